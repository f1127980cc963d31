"""Attention forward on CDNA4 (gfx950), with TLX: two halves of a block's waves alternate.

While one half multiplies and loads tiles directly to LDS, the other one is in its softmax, and
reads the operands of its next products from LDS. A step is STEP columns of a tile of BN: its
products are weights @ V of its own columns and Q @ K of the next ones, so that a tile of K begins
STEP columns behind the tile of V that it is loaded with.
"""

from __future__ import annotations

import triton
import triton.language as tl

import triton_plugins.tlx as tlx
from examples.amd_attention_rows import (
    MATRIX,
    MEMORY_READ,
    SCALAR,
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

# Where LDS has Q of 64 dimensions, and 128 columns of K. A wave loads 512 elements of K, of columns
# that are far apart, and a gap of 16 bytes follows: columns that are read at once are neighbours,
# which have different banks then. Triton chooses the same where all products have one layout, but
# the first one of 64 columns has another.
Q_OF_64 = tl.constexpr(tlx.swizzled_shared_layout_encoding(8, 2, 8, (1, 0)))
K_64_BY_128 = tl.constexpr(
    tlx.padded_shared_layout_encoding.with_bases(
        [(512, 8)],
        [
            *((2**bit, 0) for bit in range(6)),
            *((0, column) for column in (8, 16, 32, 1, 2, 4, 64)),
        ],
        (64, 128),
    )
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
def _load_tile(
    ptr, buffers0, buffers1, slot, offsets0, offsets1, mask, D1: tl.constexpr, MASKED: tl.constexpr
):
    """Starts the load of a tile of K or V, of columns that `mask` has."""
    if not MASKED:
        mask = None
    tlx.buffer_load_to_local(tlx.local_view(buffers0, slot), ptr, offsets0, mask=mask)
    if D1 > 0:
        tlx.buffer_load_to_local(tlx.local_view(buffers1, slot), ptr, offsets1, mask=mask)


@triton.jit
def cdna4_attention(
    q_ptr, k_ptr, v_ptr, o_ptr, Q_LEN, KV_LEN, heads, programs, scale,
    stride_qb, stride_qh, stride_qm, stride_kb, stride_kh, stride_kn,
    stride_vb, stride_vh, stride_vn, stride_ob, stride_oh, stride_om,
    BM: tl.constexpr, BN: tl.constexpr, STEP: tl.constexpr, D0: tl.constexpr, D1: tl.constexpr,
    CAUSAL: tl.constexpr, HEADS_PER_KV: tl.constexpr, NUM_BUFFERS: tl.constexpr,
    PAIRS: tl.constexpr, XCDS: tl.constexpr,
):  # fmt: skip
    AHEAD: tl.constexpr = NUM_BUFFERS - 1
    # Products that the loads of a tile start between, the first ones.
    LOADED_BETWEEN: tl.constexpr = 12
    tile_m, head, batch = locate_rows(programs, Q_LEN, heads, BM, XCDS)
    kv_head = head // HEADS_PER_KV

    q_ptr += batch * stride_qb + head * stride_qh + (tile_m * BM).to(tl.int64) * stride_qm
    o_ptr += batch * stride_ob + head * stride_oh + (tile_m * BM).to(tl.int64) * stride_om
    k_first = k_ptr + batch * stride_kb + kv_head * stride_kh
    v_first = v_ptr + batch * stride_vb + kv_head * stride_vh

    rows, cols, step_cols = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, STEP)
    dims0 = tl.arange(0, D0)
    row_mask = rows[:, None] < Q_LEN - tile_m * BM
    WIDE: tl.constexpr = STEP == 64
    Q_LAYOUT: tl.constexpr = Q_OF_64 if WIDE else None
    K_LAYOUT: tl.constexpr = K_64_BY_128 if WIDE else None
    q0 = load_q(q_ptr, rows, dims0, stride_qm, row_mask, BM, D0, Q_LAYOUT)
    k0_offsets = dims0[:, None] + cols[None, :] * stride_kn
    v0_offsets = cols[:, None] * stride_vn + dims0[None, :]
    acc0 = tl.zeros((BM, D0), tl.float32)
    k0_bufs = tlx.local_alloc((D0, BN), tlx.dtype_of(k_ptr), NUM_BUFFERS, layout=K_LAYOUT)
    v0_bufs = tlx.local_alloc((BN, D0), tlx.dtype_of(v_ptr), NUM_BUFFERS)
    q1, acc1 = q0, acc0
    k1_offsets, v1_offsets, k1_bufs, v1_bufs = k0_offsets, v0_offsets, k0_bufs, v0_bufs
    if D1 > 0:
        dims1 = D0 + tl.arange(0, D1)
        q1 = load_q(q_ptr, rows, dims1, stride_qm, row_mask, BM, D1, None)
        k1_offsets = dims1[:, None] + cols[None, :] * stride_kn
        v1_offsets = cols[:, None] * stride_vn + dims1[None, :]
        acc1 = tl.zeros((BM, D1), tl.float32)
        k1_bufs = tlx.local_alloc((D1, BN), tlx.dtype_of(k_ptr), NUM_BUFFERS)
        v1_bufs = tlx.local_alloc((BN, D1), tlx.dtype_of(v_ptr), NUM_BUFFERS)

    ends, last_col = count_tiles(tile_m, rows, Q_LEN, KV_LEN, BM, BN, STEP, AHEAD, CAUSAL)

    # The last buffer of K is for the first step alone.
    left = cols[None, :] < KV_LEN
    _load_tile(k_first, k0_bufs, k1_bufs, AHEAD, k0_offsets, k1_offsets, left, D1, True)
    tlx.async_load_commit_group()
    k_ptr, v_ptr = k_first + STEP * stride_kn, v_first
    for n in tl.static_range(AHEAD):
        left = cols[None, :] < KV_LEN - n * BN - STEP
        _load_tile(k_ptr, k0_bufs, k1_bufs, n, k0_offsets, k1_offsets, left, D1, True)
        left = cols[:, None] < KV_LEN - n * BN
        _load_tile(v_ptr, v0_bufs, v1_bufs, n, v0_offsets, v1_offsets, left, D1, True)
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

    # Most tiles first, then those that load partial tiles, then those with columns that some row
    # does not see.
    for kind in tl.static_range(3):
        for n in tl.range(ends[kind], ends[kind + 1], num_stages=0):
            slot, ahead = n % NUM_BUFFERS, (n + AHEAD) % NUM_BUFFERS
            for step in tl.static_range(BN // STEP):
                with tlx.warp_pipeline_stage("softmax", priority=0):
                    col = n * BN + step * STEP + step_cols[None, :]
                    weights = get_weights(
                        scores, scale, reference, col, last_col, KV_LEN, kind == 2, CAUSAL
                    )
                    sums = add_sums(sums, weights, BM, STEP)
                    weights = weights.to(tlx.dtype_of(v_ptr))
                    k0 = _columns(k0_bufs, slot, step, D0, STEP)
                    v0 = _rows(v0_bufs, slot, step, D0, STEP)
                    if D1 > 0:
                        k1 = _columns(k1_bufs, slot, step, D1, STEP)
                        v1 = _rows(v1_bufs, slot, step, D1, STEP)
                    read_beside_exponentials(STEP // 2, PAIRS, 0, 1)
                if step == BN // STEP - 1:
                    # The other half reads the next tile behind the barrier that follows.
                    tlx.async_load_wait_group(AHEAD - 2)
                # A product comes first whenever the matrix cores are free.
                with tlx.warp_pipeline_stage("multiply", priority=1):
                    scores = tl.dot(q0, k0)
                    if D1 > 0:
                        scores = tl.dot(q1, k1, scores)
                    acc0 = tl.dot(weights, v0, acc0)
                    if D1 > 0:
                        acc1 = tl.dot(weights, v1, acc1)
                    if step == BN // STEP - 1:
                        # Both halves have read what was in this buffer, in tile n - 1.
                        v_left = KV_LEN - (n + AHEAD) * BN
                        _load_tile(
                            k_ptr, k0_bufs, k1_bufs, ahead, k0_offsets, k1_offsets,
                            cols[None, :] < v_left - STEP, D1, kind > 0,
                        )  # fmt: skip
                        _load_tile(
                            v_ptr, v0_bufs, v1_bufs, ahead, v0_offsets, v1_offsets,
                            cols[:, None] < v_left, D1, kind > 0,
                        )  # fmt: skip
                        tlx.async_load_commit_group()
                        k_ptr += BN * stride_kn
                        v_ptr += BN * stride_vn
                        # A product keeps the matrix cores for eight turns.
                        for _ in tl.static_range(LOADED_BETWEEN):
                            tlx.amd_sched_group_barrier(MATRIX, 1)
                            tlx.amd_sched_group_barrier(SCALAR, 2)
                            tlx.amd_sched_group_barrier(MEMORY_READ, 1)

    total = tl.sum(sums, 1)
    need = need_exact_rows(sums)
    if need != 0:
        acc0, acc1, total = exact_rows(
            q0, q1, k_first, v_first, KV_LEN, last_col, scale, ends[3] * (BN // STEP),
            stride_kn, stride_vn, need - 1, BM, STEP, D0, D1, CAUSAL,
        )  # fmt: skip
    share = 1.0 / tl.where(total == 0.0, 1.0, total)[:, None]
    store_part(o_ptr, acc0, share, rows, dims0, stride_om, row_mask)
    if D1 > 0:
        store_part(o_ptr, acc1, share, rows, dims1, stride_om, row_mask)
