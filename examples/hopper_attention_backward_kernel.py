"""Gradients of attention on Hopper, with TLX: one kernel of five products, dQ added up in memory.

A program owns BN keys of one head of K and V, two warp groups of 64 keys each, and goes through the
queries that see them:

    S' = K Q'     dP' = V dO'      wgmma, operands in shared memory
    P' = exp2(scale S' - lse)      dS' = P' (dP' - delta)
    dV += P' dO   dK += dS' Q      wgmma, P' and dS' in registers
    dQ += dS K                     needs the keys of both groups: dS' goes through shared memory

dQ gets a sum from every program that shares its rows: copies that add (TMA reductions) collect it
in float32, in an order that differs from run to run. dK and dV are the same in every run.

A head of 96 is D0 + D1 = 64 + 32 columns, with buffers and accumulators of their own. Each group
multiplies a part of dQ (`dq_part`).
"""

from __future__ import annotations

import triton
import triton.language as tl

import triton_plugins.tlx as tlx
from examples.hopper_attention_tiles import (
    add_rows,
    load_rows,
    make_ds,
    mask_keys,
    multiply,
    multiply_ds,
    store_rows,
    unknown_zero,
)


@triton.jit
def locate_keys(
    cu_q, cu_k, max_q, max_k,
    BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr, RAGGED: tl.constexpr,
):  # fmt: skip
    """Where a program is: its first key, batch, sequences, statistics, and tiles of queries.

    Of the tiles from `first` to `last`, those before `free` need a mask.
    """
    key = tl.program_id(0) * BN
    batch = tl.program_id(2)
    if RAGGED:
        start_q, start_k = tl.load(cu_q + batch), tl.load(cu_k + batch)
        len_q = tl.load(cu_q + batch + 1) - start_q
        len_k = tl.load(cu_k + batch + 1) - start_k
        padded = (start_q // BM + batch) * BM
    else:
        start_q, start_k, len_q, len_k, padded = 0, 0, max_q, max_k, 0
    last = tl.cdiv(len_q, BM)
    first = 0
    free = 0
    if CAUSAL:
        # Query i sees key j from i = j - ahead on.
        ahead = len_k - len_q
        first = tl.minimum(tl.maximum(key - ahead, 0) // BM, last)
        free = tl.cdiv(tl.maximum(key + BN - 1 - ahead, 0), BM)
    free = tl.where(key + BN > len_k, last, tl.minimum(free, last))
    return key, batch, start_q, len_q, start_k, len_k, padded, first, free, last


@triton.constexpr_function
def dq_part(group, D0, D1, BM):
    """First row, rows, first column and columns of what a group multiplies of a tile's dQ.

    Half the rows if there are enough for a matrix instruction, else half the columns, or a part.
    """
    if BM > 64:
        return group * (BM // 2), BM // 2, 0, D0
    if D1:
        return 0, BM, group * D0, D1 if group else D0
    return 0, BM, group * (D0 // 2), D0 // 2


@triton.jit(do_not_specialize=["heads", "heads_per_kv", "max_q", "max_k", "padded_stride"])
def attention_backward(
    q_desc, k_desc, v_desc, grad_desc, dk_desc, dv_desc, dq_desc,
    q_tail, k_tail, v_tail, grad_tail, dk_tail, dv_tail, dq_tail,
    lse2_ptr, delta_ptr, cu_q, cu_k, scale, heads, heads_per_kv, max_q, max_k, padded_stride,
    D0: tl.constexpr, D1: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
    STAGES: tl.constexpr, REGISTERS: tl.constexpr, DV_EARLY: tl.constexpr, CAUSAL: tl.constexpr,
    RAGGED: tl.constexpr,
):  # fmt: skip
    """Adds scale-free dQ up in float32, stores dK and dV. Grid: (key tiles, kv heads, batch).

    With DV_EARLY, dV of a tile is begun before dP' is waited for. Without, the assembler begins
    most of it behind dS', which measured better for 64 and 96 columns, and worse for 128.
    """
    dtype: tl.constexpr = tlx.dtype_of(q_desc)
    KEYS: tl.constexpr = BN // 2
    ROW_BYTES: tl.constexpr = (D0 + D1) * 2
    FIRST: tl.constexpr = dq_part(0, D0, D1, BM)
    SECOND: tl.constexpr = dq_part(1, D0, D1, BM)
    # Products that are begun together.
    PARTS: tl.constexpr = 2 if D1 else 1

    # Without a tail its buffers are not used, whatever they are.
    k0 = tlx.local_alloc((KEYS, D0), dtype, 2)
    k1 = tlx.local_alloc((KEYS, D1), dtype, 2) if D1 else k0
    v0 = tlx.local_alloc((KEYS, D0), dtype, 2)
    v1 = tlx.local_alloc((KEYS, D1), dtype, 2) if D1 else v0
    q0 = tlx.local_alloc((BM, D0), dtype, STAGES)
    q1 = tlx.local_alloc((BM, D1), dtype, STAGES) if D1 else q0
    grad0 = tlx.local_alloc((BM, D0), dtype, STAGES)
    grad1 = tlx.local_alloc((BM, D1), dtype, STAGES) if D1 else grad0
    # Both groups' halves, twice: a group writes while the other one still reads.
    ds = tlx.local_alloc((KEYS, BM), dtype, 4)
    dq0 = tlx.local_alloc((FIRST[1], FIRST[3]), tl.float32, 1)
    dq1 = tlx.local_alloc((SECOND[1], SECOND[3]), tl.float32, 1)
    kv_full = tlx.alloc_barriers(1)
    lse2 = tlx.local_alloc((BM,), tl.float32, STAGES)
    deltas = tlx.local_alloc((BM,), tl.float32, STAGES)
    # A tile of queries is complete with its copies and its statistics.
    q_full = tlx.alloc_barriers(STAGES, 2)
    q_empty = tlx.alloc_warp_barrier(STAGES, num_warps=4, num_arrivals=2)
    grad_full = tlx.alloc_barriers(STAGES)
    grad_empty = tlx.alloc_warp_barrier(STAGES, num_warps=4, num_arrivals=2)
    # Both groups have written dS', or have read what comes next to be overwritten.
    both = tlx.alloc_warp_barrier(1, num_warps=4, num_arrivals=2)

    with tlx.async_tasks():
        with tlx.async_task("default"):
            kv_head = tl.program_id(1)
            key, batch, start_q, len_q, start_k, len_k, padded, first, free, last = locate_keys(
                cu_q, cu_k, max_q, max_k, BM, BN, CAUSAL, RAGGED
            )
            if key < len_k:
                tlx.barrier_expect_bytes(kv_full[0], 2 * BN * ROW_BYTES)
                for group in tl.static_range(2):
                    load_rows(
                        k_desc, k_tail, k0, k1, group, kv_full[0], batch, kv_head,
                        key + group * KEYS, start_k, len_k, D0, D1, RAGGED,
                    )  # fmt: skip
                    load_rows(
                        v_desc, v_tail, v0, v1, group, kv_full[0], batch, kv_head,
                        key + group * KEYS, start_k, len_k, D0, D1, RAGGED,
                    )  # fmt: skip
                stage = 0
                phase = 0
                for member in tl.range(0, heads_per_kv):
                    head = kv_head * heads_per_kv + member
                    if RAGGED:
                        statistics = head.to(tl.int64) * padded_stride + padded
                    else:
                        statistics = (batch * heads + head).to(tl.int64) * padded_stride
                    for tile in tl.range(first, last):
                        row = tile * BM
                        rows = statistics + row + tl.arange(0, BM)
                        tlx.barrier_wait(q_empty[stage], phase ^ 1)
                        tlx.barrier_expect_bytes(q_full[stage], BM * ROW_BYTES)
                        load_rows(
                            q_desc, q_tail, q0, q1, stage, q_full[stage], batch, head, row,
                            start_q, len_q, D0, D1, RAGGED,
                        )  # fmt: skip
                        tlx.local_store(lse2[stage], tl.load(lse2_ptr + rows))
                        tlx.local_store(deltas[stage], tl.load(delta_ptr + rows))
                        tlx.barrier_arrive(q_full[stage])
                        tlx.barrier_wait(grad_empty[stage], phase ^ 1)
                        tlx.barrier_expect_bytes(grad_full[stage], BM * ROW_BYTES)
                        load_rows(
                            grad_desc, grad_tail, grad0, grad1, stage, grad_full[stage], batch,
                            head, row, start_q, len_q, D0, D1, RAGGED,
                        )  # fmt: skip
                        stage += 1
                        phase = tl.where(stage == STAGES, phase ^ 1, phase)
                        stage = tl.where(stage == STAGES, 0, stage)
                # One more, since S' of the next tile is begun before that is known to be none.
                tlx.barrier_wait(q_empty[stage], phase ^ 1)
                tlx.barrier_expect_bytes(q_full[stage], BM * ROW_BYTES)
                load_rows(
                    q_desc, q_tail, q0, q1, stage, q_full[stage], batch, kv_head * heads_per_kv,
                    last * BM, start_q, len_q, D0, D1, RAGGED,
                )  # fmt: skip
                tlx.barrier_arrive(q_full[stage])

        with tlx.async_task(num_warps=4, registers=REGISTERS, replicate=2):
            group: tl.constexpr = tlx.async_task_replica_id()
            kv_head = tl.program_id(1)
            key, batch, start_q, len_q, start_k, len_k, padded, first, free, last = locate_keys(
                cu_q, cu_k, max_q, max_k, BM, BN, CAUSAL, RAGGED
            )
            own = key + group * KEYS
            part: tl.constexpr = SECOND if group else FIRST
            in_tail: tl.constexpr = D1 and group
            if key < len_k:
                dk0 = tl.zeros((KEYS, D0), tl.float32)
                dv0 = tl.zeros((KEYS, D0), tl.float32)
                if D1:
                    dk1 = tl.zeros((KEYS, D1), tl.float32)
                    dv1 = tl.zeros((KEYS, D1), tl.float32)
                stage = 0
                phase = 0
                half = 0
                turn = 0
                tlx.barrier_wait(kv_full[0], 0)
                tlx.barrier_wait(q_full[stage], phase)
                s = tlx.async_dot_wait(0, multiply(k0, k1, group, q0, q1, stage, D1))
                for member in tl.range(0, heads_per_kv):
                    head = kv_head * heads_per_kv + member
                    for masked in tl.static_range(1, -1, -1):
                        begin = first if masked else free
                        end = free if masked else last
                        for tile in tl.range(begin, end):
                            row = tile * BM
                            # Added to K's and V's numbers: see there.
                            zero = unknown_zero()
                            s = tlx.async_dot_wait(0, s)
                            tlx.barrier_wait(grad_full[stage], phase)
                            dp = multiply(v0, v1, zero + group, grad0, grad1, stage, D1)

                            if masked:
                                s = mask_keys(s, own, row, len_q, len_k, CAUSAL)
                            p = tl.exp2(s * scale - tlx.local_load(lse2[stage])[None, :])
                            p16 = p.to(dtype)
                            if not DV_EARLY:
                                dp = tlx.async_dot_wait(0, dp)
                                delta = tlx.local_load(deltas[stage])
                            dv0 = tlx.async_dot(p16, grad0[stage], dv0)
                            if D1:
                                dv1 = tlx.async_dot(p16, grad1[stage], dv1)
                            if DV_EARLY:
                                delta = tlx.local_load(deltas[stage])
                                dp = tlx.async_dot_wait(PARTS, dp)
                            ds16 = make_ds(p16, dp, delta[None, :])
                            tlx.local_store(ds[half + group], ds16)
                            dk0 = tlx.async_dot(ds16, q0[stage], dk0)
                            if D1:
                                dk1 = tlx.async_dot(ds16, q1[stage], dk1)

                            # wgmma reads what both groups have written.
                            tlx.fence("async_shared")
                            tlx.barrier_arrive(both[0])
                            tlx.barrier_wait(both[0], turn)
                            turn ^= 1
                            dq = multiply_ds(ds, half, k1 if in_tail else k0, zero, part, in_tail)
                            dv0 = tlx.async_dot_wait(2, dv0)
                            dk0 = tlx.async_dot_wait(2, dk0)
                            if D1:
                                dv1 = tlx.async_dot_wait(2, dv1)
                                dk1 = tlx.async_dot_wait(2, dk1)
                            tlx.barrier_arrive(q_empty[stage])
                            tlx.barrier_arrive(grad_empty[stage])
                            half = 2 - half
                            stage += 1
                            phase = tl.where(stage == STAGES, phase ^ 1, phase)
                            stage = tl.where(stage == STAGES, 0, stage)
                            tlx.barrier_wait(q_full[stage], phase)
                            s = multiply(k0, k1, zero + group, q0, q1, stage, D1)
                            dq = tlx.async_dot_wait(PARTS, dq)
                            add_rows(
                                dq, dq_tail if in_tail else dq_desc, dq1 if group else dq0, batch,
                                head, row + part[0], start_q, len_q, part[2], RAGGED,
                            )  # fmt: skip
                        # From one loop to the next it may be copied, which no running product may.
                        s = tlx.async_dot_wait(0, s)

                # What the groups own of K and V makes room for its gradient, once both have read K.
                tlx.barrier_arrive(both[0])
                tlx.barrier_wait(both[0], turn)
                scale *= 0.6931471805599453
                tlx.local_store(v0[group], tlx.async_dot_wait(0, dv0).to(dtype))
                tlx.local_store(k0[group], (tlx.async_dot_wait(0, dk0) * scale).to(dtype))
                if D1:
                    tlx.local_store(v1[group], tlx.async_dot_wait(0, dv1).to(dtype))
                    tlx.local_store(k1[group], (tlx.async_dot_wait(0, dk1) * scale).to(dtype))
                tlx.fence("async_shared")
                store_rows(dv_desc, v0[group], batch, kv_head, own, start_k, len_k, 0, RAGGED)
                store_rows(dk_desc, k0[group], batch, kv_head, own, start_k, len_k, 0, RAGGED)
                if D1:
                    store_rows(dv_tail, v1[group], batch, kv_head, own, start_k, len_k, D0, RAGGED)
                    store_rows(dk_tail, k1[group], batch, kv_head, own, start_k, len_k, D0, RAGGED)
                tlx.async_descriptor_store_wait(0)


HEAD_DIMS = (64, 96, 128)
OPTIONS = {"num_warps": 4, "num_stages": 1}


def constants(head_dim: int) -> dict[str, int]:
    """The kernel's tile for a head_dim; one between two of HEAD_DIMS is padded to the larger one.

    Args:
        head_dim: Elements of a row, up to the last of HEAD_DIMS.

    Returns:
        The kernel's constants but CAUSAL and RAGGED.
    """
    tiles = {
        64: {"D0": 64, "D1": 0, "BM": 128, "DV_EARLY": False},
        96: {"D0": 64, "D1": 32, "BM": 64, "DV_EARLY": False},
        128: {"D0": 128, "D1": 0, "BM": 64, "DV_EARLY": True},
    }
    tile = tiles[next(size for size in HEAD_DIMS if size >= head_dim)]
    return tile | {"BN": 128, "STAGES": 2, "REGISTERS": 240}
