"""Attention forward on Hopper, with TLX: one producer feeds several warp groups.

A program computes BM rows of one head's output. The producer copies tiles of K and V into rings of
buffers (TMA). Each of GROUPS warp groups owns 64 of the rows and, for a tile of K, does

    S = Q K'                   wgmma, both operands in shared memory
    O += P V                   wgmma of the tile before, P in registers
    P = exp2(S - reference)    while the other groups' products run and, with BESIDE, that one

Softmax is the same whatever a row's reference is, so that stays the largest score of the row's
first tile until P grows too large (LARGEST). Then the row's warp takes the largest score so far
and shrinks what it has summed. Most tiles need no maximum and leave O alone.

The head is split into D0 + D1 columns with buffers and accumulators of their own: 96 = 64 + 32
costs what 96 columns cost, although no tensor of Triton's may have a dimension of 96.
"""

from __future__ import annotations

import triton
import triton.language as tl

import triton_plugins.tlx as tlx
from examples.hopper_attention_tiles import (
    count_tiles,
    let_pass,
    load_rows,
    locate_rows,
    mask_scores,
    multiply,
    pack_pairs,
    store_rows,
    uniform,
    unknown_zero,
    unpack_pairs,
)

# Below every score, but finite: a row that sees no key yet has exp2(-inf - LOWEST) = 0, not NaN.
LOWEST = tl.constexpr(-1.0e30)
# What the 16 P's may sum up to that a thread has of a row: each of them is finite in float16.
LARGEST = tl.constexpr(32768.0)


@triton.jit
def raise_reference(scores, reference, scale):
    """A row's largest score so far, to the base of 2, and how what was summed shrinks by it."""
    new = tl.maximum(reference, tl.max(scores, 1) * scale)
    return new, tl.exp2(reference - new)


@triton.jit
def weigh(scores, reference, scale):
    """P, and a row's sums of every eighth element, which a thread adds up without the others."""
    p = tl.exp2(scores * scale - reference[:, None])
    sums = tl.sum(tl.reshape(p, (p.shape[0], p.shape[1] // 8, 8)), 1)
    return p, sums


# Every length and every number of heads runs the same code.
@triton.jit(do_not_specialize=["tiles", "heads", "heads_per_kv", "max_q", "max_k", "lse_stride"])
def attention_forward(
    q_desc, k_desc, v_desc, o_desc, q_tail, k_tail, v_tail, o_tail,
    lse_ptr, next_ptr, cu_q, cu_k, scale, tiles, heads, heads_per_kv, max_q, max_k, lse_stride,
    D0: tl.constexpr, D1: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
    GROUPS: tl.constexpr, STAGES: tl.constexpr, REGISTERS: tl.constexpr, BESIDE: tl.constexpr,
    OUT_IN_Q: tl.constexpr, CAUSAL: tl.constexpr, RAGGED: tl.constexpr,
):  # fmt: skip
    """Persistent: a program begins with the tile of its number and then takes the next free one.

    `next_ptr` counts the tiles that were taken, and `scale` includes log2(e).
    """
    dtype: tl.constexpr = tlx.dtype_of(q_desc)
    ROWS: tl.constexpr = BM // GROUPS
    ROW_BYTES: tl.constexpr = (D0 + D1) * 2
    # Products that run on while S becomes P.
    RUNNING: tl.constexpr = (2 if D1 else 1) if BESIDE else 0

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
                is_used = row < len_q
                row += group * ROWS
                if row < len_q:
                    own_steps, free = count_tiles(row, len_q, len_k, ROWS, BN, CAUSAL)
                    # The last tiles may be only for groups of later rows.
                    stage, phase = let_pass(
                        k_full, k_empty, v_full, v_empty, steps - own_steps, stage, phase, STAGES
                    )
                    mine = group + unknown_zero()
                    acc0 = tl.zeros((ROWS, D0), tl.float32)
                    if D1:
                        acc1 = tl.zeros((ROWS, D1), tl.float32)

                    tlx.barrier_wait(q_full[group], q_phase)
                    tlx.barrier_wait(k_full[stage], phase)
                    scores = multiply(q0, q1, mine, k0, k1, stage, D1)
                    scores = tlx.async_dot_wait(0, scores)
                    tlx.barrier_arrive(k_empty[stage])
                    scores = mask_scores(scores, row, (own_steps - 1) * BN, len_q, len_k, CAUSAL)
                    reference = tl.full((ROWS,), LOWEST, tl.float32)
                    reference, _ = raise_reference(scores, reference, scale)
                    p, total = weigh(scores, reference, scale)
                    pairs = pack_pairs(p.to(dtype))
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
                            p = unpack_pairs(pairs, dtype)
                            if BESIDE:
                                scores = multiply(q0, q1, mine, k0, k1, stage, D1)
                            acc0 = tlx.async_dot(p, v0[v_stage], acc0)
                            if D1:
                                acc1 = tlx.async_dot(p, v1[v_stage], acc1)
                            if not BESIDE:
                                scores = multiply(q0, q1, mine, k0, k1, stage, D1)

                            scores = tlx.async_dot_wait(RUNNING, scores)
                            if not BESIDE:
                                acc0 = tlx.async_dot_wait(0, acc0)
                                if D1:
                                    acc1 = tlx.async_dot_wait(0, acc1)
                                tlx.barrier_arrive(v_empty[v_stage])
                            tlx.barrier_arrive(k_empty[stage])
                            if masked:
                                key = (own_steps - 2 - step) * BN
                                scores = mask_scores(scores, row, key, len_q, len_k, CAUSAL)
                            p, sums = weigh(scores, reference, scale)
                            pairs = pack_pairs(p.to(dtype))
                            shrink = tl.full((ROWS,), 1.0, tl.float32)
                            # NaN is not below anything either.
                            is_large = tlx.vote_any(~(sums <= LARGEST))
                            if is_large:
                                reference, shrink = raise_reference(scores, reference, scale)
                                total *= shrink[:, None]
                                p, sums = weigh(scores, reference, scale)
                                pairs = pack_pairs(p.to(dtype))
                            total += sums
                            # The next product's V.
                            tlx.barrier_wait(v_full[stage], phase)
                            if BESIDE:
                                acc0 = tlx.async_dot_wait(0, acc0)
                                if D1:
                                    acc1 = tlx.async_dot_wait(0, acc1)
                                tlx.barrier_arrive(v_empty[v_stage])
                            if is_large:
                                acc0 *= shrink[:, None]
                                if D1:
                                    acc1 *= shrink[:, None]

                    if not OUT_IN_Q:
                        tlx.barrier_arrive(q_empty[group])
                    p = unpack_pairs(pairs, dtype)
                    acc0 = tlx.async_dot(p, v0[stage], acc0)
                    if D1:
                        acc1 = tlx.async_dot(p, v1[stage], acc1)
                    rows = row + tl.arange(0, ROWS)
                    total = tl.sum(total, 1)
                    lse = reference * 0.6931471805599453 + tl.log(total)
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
                elif is_used:
                    # The block ends before this group's rows.
                    tlx.barrier_wait(q_full[group], q_phase)
                    tlx.barrier_arrive(q_empty[group])
                    stage, phase = let_pass(
                        k_full, k_empty, v_full, v_empty, steps, stage, phase, STAGES
                    )
                q_phase ^= is_used.to(tl.int32)
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
    two_groups |= {"D1": 0, "BN": 128, "BESIDE": True}
    tiles = {
        64: {"D0": 64, "BM": 192, "GROUPS": 3, "REGISTERS": 160, "STAGES": 3, "BESIDE": False},
        96: {"D0": 64, "D1": 32, "BESIDE": False},
        128: {"D0": 128},
        192: {"D0": 128, "D1": 64, "BN": 64},
        256: {"D0": 256, "BN": 64, "BESIDE": False, "OUT_IN_Q": True},
    }
    return two_groups | tiles[next(size for size in HEAD_DIMS if size >= head_dim)]
