"""Attention forward on Hopper, with TLX: one producer feeds several warp groups.

A program computes BM rows of one head's output. The producer copies tiles of K and V into rings of
buffers (TMA). Each of GROUPS warp groups owns 64 of the rows and, for a tile of K, does

    S = Q K'           wgmma, both operands in shared memory
    O += P V           wgmma of the tile before, P in registers
    P = softmax(S)     while that product runs, and the other groups' products

The head is split into D0 + D1 columns with buffers and accumulators of their own: 96 = 64 + 32
costs what 96 columns cost, although no tensor of Triton's may have a dimension of 96.
"""

from __future__ import annotations

import triton
import triton.language as tl

import triton_plugins.tlx as tlx
from examples.hopper_attention_tiles import (
    count_tiles,
    load_rows,
    locate_rows,
    mask_scores,
    store_rows,
    uniform,
    unknown_zero,
)

# Below every score, but finite: a row that sees no key yet has exp2(-inf - LOWEST) = 0, not NaN.
LOWEST = tl.constexpr(-1.0e30)


@triton.jit
def softmax_step(scores, highest, total, scale):
    """One step of the online softmax, to the base of 2: P, and how what was summed shrinks.

    A row's `total` has one part for every eighth key, which a thread sums without the others.
    """
    new = tl.maximum(highest, tl.max(scores, 1) * scale)
    shrink = tl.exp2(highest - new)
    p = tl.exp2(scores * scale - new[:, None])
    parts = tl.sum(tl.reshape(p, (p.shape[0], p.shape[1] // 8, 8)), 1)
    return p, new, total * shrink[:, None] + parts, shrink


# Every length and every number of heads runs the same code.
@triton.jit(do_not_specialize=["tiles", "heads", "heads_per_kv", "max_q", "max_k", "lse_stride"])
def attention_forward(
    q_desc, k_desc, v_desc, o_desc, q_tail, k_tail, v_tail, o_tail,
    lse_ptr, next_ptr, cu_q, cu_k, scale, tiles, heads, heads_per_kv, max_q, max_k, lse_stride,
    D0: tl.constexpr, D1: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
    GROUPS: tl.constexpr, STAGES: tl.constexpr, REGISTERS: tl.constexpr, OUT_IN_Q: tl.constexpr,
    CAUSAL: tl.constexpr, RAGGED: tl.constexpr,
):  # fmt: skip
    """Persistent: a program begins with the tile of its number and then takes the next free one.

    `next_ptr` counts the tiles that were taken, and `scale` includes log2(e).
    """
    dtype: tl.constexpr = tlx.dtype_of(q_desc)
    ROWS: tl.constexpr = BM // GROUPS
    ROW_BYTES: tl.constexpr = (D0 + D1) * 2

    # Without a tail its buffers are not used, whatever they are.
    q0 = tlx.local_alloc((ROWS, D0), dtype, GROUPS)
    q1 = tlx.local_alloc((ROWS, D1), dtype, GROUPS) if D1 else q0
    o0 = q0 if OUT_IN_Q else tlx.local_alloc((ROWS, D0), dtype, GROUPS)
    o1 = q1 if OUT_IN_Q or D1 == 0 else tlx.local_alloc((ROWS, D1), dtype, GROUPS)
    k0 = tlx.local_alloc((BN, D0), dtype, STAGES)
    k1 = tlx.local_alloc((BN, D1), dtype, STAGES) if D1 else k0
    v0 = tlx.local_alloc((BN, D0), dtype, STAGES)
    v1 = tlx.local_alloc((BN, D1), dtype, STAGES) if D1 else v0
    q_full = tlx.alloc_barriers(GROUPS)
    q_empty = tlx.alloc_warp_barrier(GROUPS, num_warps=4)
    k_full = tlx.alloc_barriers(STAGES)
    k_empty = tlx.alloc_warp_barrier(STAGES, num_warps=4, num_arrivals=GROUPS)
    v_full = tlx.alloc_barriers(STAGES)
    v_empty = tlx.alloc_warp_barrier(STAGES, num_warps=4, num_arrivals=GROUPS)
    next_tile = tlx.local_alloc((1,), tl.int32, 1)
    tile_full = tlx.alloc_barriers(1)
    tile_empty = tlx.alloc_warp_barrier(1, num_warps=4, num_arrivals=GROUPS)

    with tlx.async_tasks():
        with tlx.async_task("default"):
            stage = 0
            phase = 0
            q_phase = 0
            tile_phase = 0
            tile = tl.program_id(0)
            while tile < tiles:
                batch, head, row, start_q, len_q, start_k, len_k, steps = locate_rows(
                    tile, cu_q, cu_k, heads, max_q, max_k, BM, BN, CAUSAL, RAGGED
                )
                if row < len_q:
                    kv_head = head // heads_per_kv
                    for group in tl.static_range(GROUPS):
                        tlx.barrier_wait(q_empty[group], q_phase ^ 1)
                        tlx.barrier_expect_bytes(q_full[group], ROWS * ROW_BYTES)
                        load_rows(
                            q_desc, q_tail, q0, q1, group, q_full[group], batch, head,
                            row + group * ROWS, start_q, len_q, D0, D1, RAGGED,
                        )  # fmt: skip
                    for step in tl.range(0, steps):
                        key = (steps - 1 - step) * BN
                        tlx.barrier_wait(k_empty[stage], phase ^ 1)
                        tlx.barrier_expect_bytes(k_full[stage], BN * ROW_BYTES)
                        load_rows(
                            k_desc, k_tail, k0, k1, stage, k_full[stage], batch, kv_head, key,
                            start_k, len_k, D0, D1, RAGGED,
                        )  # fmt: skip
                        tlx.barrier_wait(v_empty[stage], phase ^ 1)
                        tlx.barrier_expect_bytes(v_full[stage], BN * ROW_BYTES)
                        load_rows(
                            v_desc, v_tail, v0, v1, stage, v_full[stage], batch, kv_head, key,
                            start_k, len_k, D0, D1, RAGGED,
                        )  # fmt: skip
                        stage += 1
                        phase = tl.where(stage == STAGES, phase ^ 1, phase)
                        stage = tl.where(stage == STAGES, 0, stage)
                    q_phase ^= 1
                tile = tl.num_programs(0) + tl.atomic_add(next_ptr, 1, sem="relaxed")
                tlx.barrier_wait(tile_empty[0], tile_phase ^ 1)
                tlx.local_store(next_tile[0], tl.full((1,), tile, tl.int32))
                tlx.barrier_arrive(tile_full[0])
                tile_phase ^= 1

        with tlx.async_task(num_warps=4, registers=REGISTERS, replicate=GROUPS):
            group: tl.constexpr = tlx.async_task_replica_id()
            stage = 0
            phase = 0
            q_phase = 0
            tile_phase = 0
            tile = tl.program_id(0)
            while tile < tiles:
                batch, head, row, start_q, len_q, start_k, len_k, steps = locate_rows(
                    tile, cu_q, cu_k, heads, max_q, max_k, BM, BN, CAUSAL, RAGGED
                )
                if row < len_q:
                    row += group * ROWS
                    own_steps, free = count_tiles(row, len_q, len_k, ROWS, BN, CAUSAL)
                    # The last tiles may be only for groups of later rows.
                    for _ in tl.range(own_steps, steps):
                        tlx.barrier_wait(k_full[stage], phase)
                        tlx.barrier_arrive(k_empty[stage])
                        tlx.barrier_wait(v_full[stage], phase)
                        tlx.barrier_arrive(v_empty[stage])
                        stage += 1
                        phase = tl.where(stage == STAGES, phase ^ 1, phase)
                        stage = tl.where(stage == STAGES, 0, stage)
                    mine = group + unknown_zero()
                    highest = tl.full((ROWS,), LOWEST, tl.float32)
                    total = tl.zeros((ROWS, 8), tl.float32)
                    acc0 = tl.zeros((ROWS, D0), tl.float32)
                    if D1:
                        acc1 = tl.zeros((ROWS, D1), tl.float32)

                    tlx.barrier_wait(q_full[group], q_phase)
                    tlx.barrier_wait(k_full[stage], phase)
                    scores = tlx.async_dot(q0[mine], tlx.local_trans(k0[stage]))
                    if D1:
                        scores = tlx.async_dot(q1[mine], tlx.local_trans(k1[stage]), scores)
                    scores = tlx.async_dot_wait(0, scores)
                    tlx.barrier_arrive(k_empty[stage])
                    scores = mask_scores(scores, row, (own_steps - 1) * BN, len_q, len_k, CAUSAL)
                    p, highest, total, shrink = softmax_step(scores, highest, total, scale)
                    p = p.to(dtype)
                    tlx.barrier_wait(v_full[stage], phase)

                    for masked in tl.static_range(1 if CAUSAL else 0, -1, -1):
                        # Tiles go from the last to the first: those that need a mask, then others.
                        count = own_steps - 1 - free if masked else free
                        for step in tl.range(0, count):
                            v_stage = stage
                            stage += 1
                            phase = tl.where(stage == STAGES, phase ^ 1, phase)
                            stage = tl.where(stage == STAGES, 0, stage)

                            tlx.barrier_wait(k_full[stage], phase)
                            scores = tlx.async_dot(q0[mine], tlx.local_trans(k0[stage]))
                            if D1:
                                scores = tlx.async_dot(q1[mine], tlx.local_trans(k1[stage]), scores)
                            acc0 = tlx.async_dot(p, v0[v_stage], acc0)
                            if D1:
                                acc1 = tlx.async_dot(p, v1[v_stage], acc1)

                            scores = tlx.async_dot_wait(2 if D1 else 1, scores)
                            tlx.barrier_arrive(k_empty[stage])
                            if masked:
                                key = (own_steps - 2 - step) * BN
                                scores = mask_scores(scores, row, key, len_q, len_k, CAUSAL)
                            weights, highest, total, shrink = softmax_step(
                                scores, highest, total, scale
                            )
                            # The next product's V. A wait here also keeps the assembler from moving
                            # the softmax behind the end of the product that it runs beside.
                            tlx.barrier_wait(v_full[stage], phase)
                            acc0 = tlx.async_dot_wait(0, acc0)
                            if D1:
                                acc1 = tlx.async_dot_wait(0, acc1)
                            tlx.barrier_arrive(v_empty[v_stage])
                            acc0 *= shrink[:, None]
                            if D1:
                                acc1 *= shrink[:, None]
                            p = weights.to(dtype)

                    if not OUT_IN_Q:
                        tlx.barrier_arrive(q_empty[group])
                    acc0 = tlx.async_dot(p, v0[stage], acc0)
                    if D1:
                        acc1 = tlx.async_dot(p, v1[stage], acc1)
                    rows = row + tl.arange(0, ROWS)
                    total = tl.sum(total, 1)
                    lse = highest * 0.6931471805599453 + tl.log(total)
                    lse_row = head if RAGGED else batch * heads + head
                    lse_row = lse_row.to(tl.int64) * lse_stride + start_q
                    tl.store(lse_ptr + lse_row + rows, lse, mask=rows < len_q)
                    # A row that sees no key is zero.
                    inverse = 1.0 / tl.where(total == 0.0, 1.0, total)
                    acc0 = tlx.async_dot_wait(0, acc0)
                    if D1:
                        acc1 = tlx.async_dot_wait(0, acc1)
                    tlx.barrier_arrive(v_empty[stage])
                    stage += 1
                    phase = tl.where(stage == STAGES, phase ^ 1, phase)
                    stage = tl.where(stage == STAGES, 0, stage)

                    # The copy of the tile before has read its buffer.
                    tlx.async_descriptor_store_wait(0)
                    tlx.local_store(o0[group], (acc0 * inverse[:, None]).to(dtype))
                    if D1:
                        tlx.local_store(o1[group], (acc1 * inverse[:, None]).to(dtype))
                    tlx.fence("async_shared")
                    store_rows(o_desc, o0[group], batch, head, row, start_q, len_q, 0, RAGGED)
                    if D1:
                        store_rows(o_tail, o1[group], batch, head, row, start_q, len_q, D0, RAGGED)
                    if OUT_IN_Q:
                        tlx.async_descriptor_store_wait(0)
                        tlx.barrier_arrive(q_empty[group])
                    q_phase ^= 1
                tlx.barrier_wait(tile_full[0], tile_phase)
                tile = uniform(tl.max(tlx.local_load(next_tile[0]), 0))
                tlx.barrier_arrive(tile_empty[0])
                tile_phase ^= 1
            tlx.async_descriptor_store_wait(0)


HEAD_DIMS = (64, 96, 128, 192, 256)
OPTIONS = {"num_warps": 4}


def constants(head_dim: int) -> dict[str, int]:
    """The kernel's tile for a head_dim; one between two of HEAD_DIMS is padded to the larger one.

    Args:
        head_dim: Elements of a row, up to the last of HEAD_DIMS.

    Returns:
        The kernel's constants but CAUSAL and RAGGED.
    """
    two_groups = {"BM": 128, "GROUPS": 2, "REGISTERS": 240, "STAGES": 2, "OUT_IN_Q": False}
    two_groups |= {"D1": 0, "BN": 128}
    tiles = {
        64: {"D0": 64, "BM": 192, "GROUPS": 3, "REGISTERS": 160},
        96: {"D0": 64, "D1": 32},
        128: {"D0": 128},
        192: {"D0": 128, "D1": 64, "BN": 64},
        256: {"D0": 256, "BN": 64, "OUT_IN_Q": True},
    }
    return two_groups | tiles[next(size for size in HEAD_DIMS if size >= head_dim)]
