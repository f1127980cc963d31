"""Attention forward on CDNA4 (gfx950), with TLX: two halves of a block's waves alternate.

While one half multiplies, the other one is in its softmax, reads the operands of its next products
from LDS and loads tiles directly to LDS. A step is STEP columns of a tile of BN: the products of a
step are weights @ V of its own columns and Q @ K of the next ones, so that a tile of K begins STEP
columns behind the tile of V that it is loaded with.
"""

from __future__ import annotations

import triton
import triton.language as tl

import triton_plugins.tlx as tlx
from examples.amd_attention_rows import (
    SUMS,
    add_sums,
    count_tiles,
    exact_rows,
    get_reference,
    get_weights,
    load_q,
    locate_rows,
    need_exact_rows,
    read_beside_exponentials,
    store_part,
)


@triton.jit
def _columns(buffers, slot, step, D: tl.constexpr, STEP: tl.constexpr):
    """Reads a step's columns of a tile of K."""
    tile = tlx.local_view(buffers, slot)
    return tlx.local_load(tlx.local_slice(tile, (0, step * STEP), (D, STEP)))


@triton.jit
def _rows(buffers, slot, step, D: tl.constexpr, STEP: tl.constexpr):
    """Reads a step's rows of a tile of V."""
    tile = tlx.local_view(buffers, slot)
    return tlx.local_load(tlx.local_slice(tile, (step * STEP, 0), (STEP, D)))


@triton.jit
def cdna4_attention(
    q_ptr, k_ptr, v_ptr, o_ptr, Q_LEN, KV_LEN, heads, programs, scale,
    stride_qb, stride_qh, stride_qm, stride_kb, stride_kh, stride_kn,
    stride_vb, stride_vh, stride_vn, stride_ob, stride_oh, stride_om,
    BM: tl.constexpr, BN: tl.constexpr, STEP: tl.constexpr, D0: tl.constexpr, D1: tl.constexpr,
    CAUSAL: tl.constexpr, HEADS_PER_KV: tl.constexpr, NUM_BUFFERS: tl.constexpr,
    XCDS: tl.constexpr,
):  # fmt: skip
    AHEAD: tl.constexpr = NUM_BUFFERS - 1
    tile_m, head, batch = locate_rows(programs, Q_LEN, heads, BM, XCDS)
    kv_head = head // HEADS_PER_KV

    q_ptr += batch * stride_qb + head * stride_qh + (tile_m * BM).to(tl.int64) * stride_qm
    o_ptr += batch * stride_ob + head * stride_oh + (tile_m * BM).to(tl.int64) * stride_om
    k_first = k_ptr + batch * stride_kb + kv_head * stride_kh
    v_first = v_ptr + batch * stride_vb + kv_head * stride_vh

    rows, cols, step_cols = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, STEP)
    dims0 = tl.arange(0, D0)
    row_mask = rows[:, None] < Q_LEN - tile_m * BM
    q0 = load_q(q_ptr, rows, dims0, stride_qm, row_mask, BM, D0, None)
    k0_offsets = dims0[:, None] + cols[None, :] * stride_kn
    v0_offsets = cols[:, None] * stride_vn + dims0[None, :]
    acc0 = tl.zeros((BM, D0), tl.float32)
    q1, acc1 = q0, acc0
    if D1 > 0:
        dims1 = D0 + tl.arange(0, D1)
        q1 = load_q(q_ptr, rows, dims1, stride_qm, row_mask, BM, D1, None)
        k1_offsets = dims1[:, None] + cols[None, :] * stride_kn
        v1_offsets = cols[:, None] * stride_vn + dims1[None, :]
        acc1 = tl.zeros((BM, D1), tl.float32)
        k1_bufs = tlx.local_alloc((D1, BN), tlx.dtype_of(k_ptr), NUM_BUFFERS)
        v1_bufs = tlx.local_alloc((BN, D1), tlx.dtype_of(v_ptr), NUM_BUFFERS)
    k0_bufs = tlx.local_alloc((D0, BN), tlx.dtype_of(k_ptr), NUM_BUFFERS)
    v0_bufs = tlx.local_alloc((BN, D0), tlx.dtype_of(v_ptr), NUM_BUFFERS)

    first_masked, end, last_col = count_tiles(tile_m, rows, Q_LEN, KV_LEN, BM, BN, CAUSAL)

    # The last buffer of K is for the first step alone.
    left = cols[None, :] < KV_LEN
    first = tlx.local_view(k0_bufs, AHEAD)
    tlx.buffer_load_to_local(first, k_first, k0_offsets, mask=left)
    if D1 > 0:
        first = tlx.local_view(k1_bufs, AHEAD)
        tlx.buffer_load_to_local(first, k_first, k1_offsets, mask=left)
    tlx.async_load_commit_group()
    k_ptr, v_ptr = k_first + STEP * stride_kn, v_first
    for n in tl.static_range(AHEAD):
        v_left = KV_LEN - n * BN
        k_mask, v_mask = cols[None, :] < v_left - STEP, cols[:, None] < v_left
        tlx.buffer_load_to_local(tlx.local_view(k0_bufs, n), k_ptr, k0_offsets, mask=k_mask)
        tlx.buffer_load_to_local(tlx.local_view(v0_bufs, n), v_ptr, v0_offsets, mask=v_mask)
        if D1 > 0:
            tlx.buffer_load_to_local(tlx.local_view(k1_bufs, n), k_ptr, k1_offsets, mask=k_mask)
            tlx.buffer_load_to_local(tlx.local_view(v1_bufs, n), v_ptr, v1_offsets, mask=v_mask)
        tlx.async_load_commit_group()
        k_ptr += BN * stride_kn
        v_ptr += BN * stride_vn

    tlx.async_load_wait_group(AHEAD)
    scores = tl.dot(q0, _columns(k0_bufs, AHEAD, 0, D0, STEP))
    if D1 > 0:
        scores = tl.dot(q1, _columns(k1_bufs, AHEAD, 0, D1, STEP), scores)
    # In units of log2, which exp2 wants.
    scale *= 1.4426950408889634
    reference = get_reference(scores, scale, step_cols, last_col, KV_LEN, CAUSAL)
    sums = tl.zeros((BM, SUMS), tl.float32)
    tlx.async_load_wait_group(AHEAD - 1)
    # Everyone has read the first step's K, whose buffer is loaded next.
    tl.debug_barrier()

    # Whole tiles first, then those with columns that some row does not see.
    for masked in tl.static_range(2):
        first_tile, last_tile = (first_masked, end) if masked else (0, first_masked)
        for n in tl.range(first_tile, last_tile, num_stages=0):
            slot, ahead = n % NUM_BUFFERS, (n + AHEAD) % NUM_BUFFERS
            for step in tl.static_range(BN // STEP):
                with tlx.warp_pipeline_stage("softmax", priority=0):
                    col = n * BN + step * STEP + step_cols[None, :]
                    weights = get_weights(
                        scores, scale, reference, col, last_col, KV_LEN, masked, CAUSAL
                    )
                    sums = add_sums(sums, weights, BM, STEP)
                    weights = weights.to(tlx.dtype_of(v_ptr))
                    k0 = _columns(k0_bufs, slot, step, D0, STEP)
                    v0 = _rows(v0_bufs, slot, step, D0, STEP)
                    if D1 > 0:
                        k1 = _columns(k1_bufs, slot, step, D1, STEP)
                        v1 = _rows(v1_bufs, slot, step, D1, STEP)
                    if step == 0:
                        # Both halves have read what was in this buffer, in tile n - 1.
                        v_left = KV_LEN - (n + AHEAD) * BN
                        k_mask, v_mask = cols[None, :] < v_left - STEP, cols[:, None] < v_left
                        k0_next = tlx.local_view(k0_bufs, ahead)
                        v0_next = tlx.local_view(v0_bufs, ahead)
                        tlx.buffer_load_to_local(k0_next, k_ptr, k0_offsets, mask=k_mask)
                        tlx.buffer_load_to_local(v0_next, v_ptr, v0_offsets, mask=v_mask)
                        if D1 > 0:
                            k1_next = tlx.local_view(k1_bufs, ahead)
                            v1_next = tlx.local_view(v1_bufs, ahead)
                            tlx.buffer_load_to_local(k1_next, k_ptr, k1_offsets, mask=k_mask)
                            tlx.buffer_load_to_local(v1_next, v_ptr, v1_offsets, mask=v_mask)
                        tlx.async_load_commit_group()
                        k_ptr += BN * stride_kn
                        v_ptr += BN * stride_vn
                    read_beside_exponentials(STEP // 2, 2)
                if step == BN // STEP - 1:
                    # The other half reads the next tile behind the barrier that follows.
                    tlx.async_load_wait_group(AHEAD - 1)
                # A product comes first whenever the matrix cores are free.
                with tlx.warp_pipeline_stage("multiply", priority=1):
                    scores = tl.dot(q0, k0)
                    if D1 > 0:
                        scores = tl.dot(q1, k1, scores)
                    acc0 = tl.dot(weights, v0, acc0)
                    if D1 > 0:
                        acc1 = tl.dot(weights, v1, acc1)

    total = tl.sum(sums, 1)
    need = need_exact_rows(sums)
    if need != 0:
        acc0, acc1, total = exact_rows(
            q0, q1, k_first, v_first, KV_LEN, last_col, scale, end * (BN // STEP),
            stride_kn, stride_vn, need - 1, BM, STEP, D0, D1, CAUSAL,
        )  # fmt: skip
    share = 1.0 / tl.where(total == 0.0, 1.0, total)[:, None]
    store_part(o_ptr, acc0, share, rows, dims0, stride_om, row_mask)
    if D1 > 0:
        store_part(o_ptr, acc1, share, rows, dims1, stride_om, row_mask)
