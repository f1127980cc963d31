"""Attention forward on CDNA3 (gfx942), with TLX: two halves of a block's waves alternate.

While one half multiplies, the other one is in its softmax and reads the operands of its next
products from LDS: weights @ V of one tile, and Q @ K of the next one. Tiles go through registers to
LDS. They are loaded in the softmax and stored between the last products.
"""

from __future__ import annotations

import triton
import triton.language as tl

import triton_plugins.tlx as tlx
from examples.amd_attention_rows import (
    LDS_WRITE,
    MATRIX,
    SUMS,
    VECTOR,
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

# Rows of Q and columns of K of 64 elements. Triton chooses the same where all products have one
# layout.
Q_OF_64 = tl.constexpr(tlx.swizzled_shared_layout_encoding(4, 1, 16, (1, 0)))
K_OF_64 = tl.constexpr(tlx.swizzled_shared_layout_encoding(4, 1, 16, (0, 1)))


def _layout_of_v(rows: int, head_dim: int, low: tuple[int, ...], high: tuple[int, ...]):
    """Where LDS has V: the row and the dimension that each bit of an element's place stands for.

    4 rows of a dimension are 8 bytes, and bits 2 to 5 say in which 2 of 32 banks these are. 16
    neighbouring dimensions are read at once, and those are stored at once that differ by the
    lengths of pieces: either way the bits are different for all of them.
    """
    dims = [(0, dim) for dim in (*low, *high)]
    others = [(row, 0) for row in (4, 8, 16, 32) if row < rows]
    rest = [(0, dim) for dim in (32, 64) if dim < head_dim and dim not in (*low, *high, 34)]
    rest = [dim for dim in rest if not (34 in high and dim == (0, 32))]
    return tl.constexpr(tlx.shared_linear_layout_encoding(((1, 0), (2, 0), *dims, *others, *rest)))


# For pieces of 4, 1 and 2 dimensions.
V_64_BY_64 = _layout_of_v(64, 64, (1, 2, 4, 8), (17, 34))
V_32_BY_64 = _layout_of_v(32, 64, (1, 2, 4, 8), (16,))
V_32_BY_128 = _layout_of_v(32, 128, (2, 4, 8, 1), (17,))


@triton.jit
def _load(ptr, offsets, left, MASKED: tl.constexpr):
    """Loads a tile of K or V, of columns that `left` has."""
    if not MASKED:
        return tlx.buffer_load(ptr, offsets)
    return tlx.buffer_load(ptr, offsets, left, other=0.0)


@triton.jit
def _narrow(weights, one, TYPE: tl.constexpr):
    """Converts weights to V's type, by products with `one`, which the compiler does not know.

    CDNA3 converts one number at a time to float16, and two are packed then. A product writes to
    either half of a register.
    """
    if TYPE == tl.float16:
        weights *= one
    return weights.to(TYPE)


@triton.jit
def cdna3_attention(
    q_ptr, k_ptr, v_ptr, o_ptr, Q_LEN, KV_LEN, heads, programs, scale,
    stride_qb, stride_qh, stride_qm, stride_kb, stride_kh, stride_kn,
    stride_vb, stride_vh, stride_vn, stride_ob, stride_oh, stride_om,
    BM: tl.constexpr, BN: tl.constexpr, D0: tl.constexpr, D1: tl.constexpr,
    CAUSAL: tl.constexpr, HEADS_PER_KV: tl.constexpr, XCDS: tl.constexpr,
    V0_PIECE: tl.constexpr, V1_PIECE: tl.constexpr, PAIRS: tl.constexpr,
):  # fmt: skip
    # Tile n is read while tile n + 2 is stored; the one between may be stored or read.
    NUM_BUFFERS: tl.constexpr = 3
    # Products that a tile is stored between, the last ones.
    STORED_BETWEEN: tl.constexpr = 8
    tile_m, head, batch = locate_rows(programs, Q_LEN, heads, BM, XCDS)
    kv_head = head // HEADS_PER_KV

    q_ptr += batch * stride_qb + head * stride_qh + (tile_m * BM).to(tl.int64) * stride_qm
    o_ptr += batch * stride_ob + head * stride_oh + (tile_m * BM).to(tl.int64) * stride_om
    k_first = k_ptr + batch * stride_kb + kv_head * stride_kh
    v_first = v_ptr + batch * stride_vb + kv_head * stride_vh

    rows, cols, dims0 = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D0)
    row_mask = rows[:, None] < Q_LEN - tile_m * BM
    SMALL: tl.constexpr = BN == 64
    Q_LAYOUT: tl.constexpr = Q_OF_64 if SMALL else None
    q0 = load_q(q_ptr, rows, dims0, stride_qm, row_mask, BM, D0, Q_LAYOUT)
    k0_offsets = dims0[:, None] + cols[None, :] * stride_kn
    # V is transposed on its way to LDS, in registers, for which a thread needs several rows: its
    # loads are as short as these pieces.
    v0_offsets = cols[:, None] * stride_vn + tl.max_contiguous(dims0, V0_PIECE)[None, :]
    acc0 = tl.zeros((BM, D0), tl.float32)
    q1, acc1 = q0, acc0
    if D1 > 0:
        dims1 = D0 + tl.arange(0, D1)
        q1 = load_q(q_ptr, rows, dims1, stride_qm, row_mask, BM, D1, None)
        k1_offsets = dims1[:, None] + cols[None, :] * stride_kn
        v1_offsets = cols[:, None] * stride_vn + tl.max_contiguous(dims1, V1_PIECE)[None, :]
        acc1 = tl.zeros((BM, D1), tl.float32)
        k1_bufs = tlx.local_alloc((D1, BN), tlx.dtype_of(k_ptr), NUM_BUFFERS)
        v1_bufs = tlx.local_alloc((BN, D1), tlx.dtype_of(v_ptr), NUM_BUFFERS)
    K_LAYOUT: tl.constexpr = K_OF_64 if SMALL else None
    V_LAYOUT: tl.constexpr = V_64_BY_64 if SMALL else V_32_BY_64 if D0 == 64 else V_32_BY_128
    k0_bufs = tlx.local_alloc((D0, BN), tlx.dtype_of(k_ptr), NUM_BUFFERS, layout=K_LAYOUT)
    v0_bufs = tlx.local_alloc((BN, D0), tlx.dtype_of(v_ptr), NUM_BUFFERS, layout=V_LAYOUT)

    ends, last_col = count_tiles(tile_m, rows, Q_LEN, KV_LEN, BM, BN, BN, NUM_BUFFERS - 1, CAUSAL)

    # Tile n of V comes with tile n + 1 of K, whose first one is in the last buffer.
    left = cols[None, :] < KV_LEN
    tlx.local_store(tlx.local_view(k0_bufs, 2), _load(k_first, k0_offsets, left, True))
    if D1 > 0:
        tlx.local_store(tlx.local_view(k1_bufs, 2), _load(k_first, k1_offsets, left, True))
    k_ptr, v_ptr = k_first + BN * stride_kn, v_first
    for n in tl.static_range(2):
        k_mask, v_mask = cols[None, :] < KV_LEN - (n + 1) * BN, cols[:, None] < KV_LEN - n * BN
        tlx.local_store(tlx.local_view(k0_bufs, n), _load(k_ptr, k0_offsets, k_mask, True))
        tlx.local_store(tlx.local_view(v0_bufs, n), _load(v_ptr, v0_offsets, v_mask, True))
        if D1 > 0:
            tlx.local_store(tlx.local_view(k1_bufs, n), _load(k_ptr, k1_offsets, k_mask, True))
            tlx.local_store(tlx.local_view(v1_bufs, n), _load(v_ptr, v1_offsets, v_mask, True))
        k_ptr += BN * stride_kn
        v_ptr += BN * stride_vn

    scores = tl.dot(q0, tlx.local_load(tlx.local_view(k0_bufs, 2)))
    if D1 > 0:
        scores = tl.dot(q1, tlx.local_load(tlx.local_view(k1_bufs, 2)), scores)
    # In units of log2, which exp2 wants.
    scale *= 1.4426950408889634
    reference = get_reference(scores, scale, cols, last_col, KV_LEN, CAUSAL)
    sums = tl.zeros((BM, SUMS), tl.float32)
    one = tl.where(KV_LEN >= 0, 1.0, 0.0)
    # Everyone has read the first tile of K, whose buffer is stored to next.
    tl.debug_barrier()

    # Most tiles first, then those that load partial tiles, then those with columns that some row
    # does not see.
    for kind in tl.static_range(3):
        for n in tl.range(ends[kind], ends[kind + 1], num_stages=0):
            slot, ahead = n % NUM_BUFFERS, (n + 2) % NUM_BUFFERS
            with tlx.warp_pipeline_stage("softmax", priority=0):
                k_mask = cols[None, :] < KV_LEN - (n + 3) * BN
                v_mask = cols[:, None] < KV_LEN - (n + 2) * BN
                k0_next = _load(k_ptr, k0_offsets, k_mask, kind > 0)
                v0_next = _load(v_ptr, v0_offsets, v_mask, kind > 0)
                if D1 > 0:
                    k1_next = _load(k_ptr, k1_offsets, k_mask, kind > 0)
                    v1_next = _load(v_ptr, v1_offsets, v_mask, kind > 0)
                k_ptr += BN * stride_kn
                v_ptr += BN * stride_vn
                col = n * BN + cols[None, :]
                weights = get_weights(
                    scores, scale, reference, col, last_col, KV_LEN, kind == 2, CAUSAL
                )
                sums = add_sums(sums, weights, BM, BN)
                weights = _narrow(weights, one, tlx.dtype_of(v_ptr))
                k0 = tlx.local_load(tlx.local_view(k0_bufs, slot))
                v0 = tlx.local_load(tlx.local_view(v0_bufs, slot))
                if D1 > 0:
                    k1 = tlx.local_load(tlx.local_view(k1_bufs, slot))
                    v1 = tlx.local_load(tlx.local_view(v1_bufs, slot))
                read_beside_exponentials(BN // 2, PAIRS, 8, 3)
            # A product comes first whenever the matrix cores are free.
            with tlx.warp_pipeline_stage("multiply", priority=1):
                scores = tl.dot(q0, k0)
                if D1 > 0:
                    scores = tl.dot(q1, k1, scores)
                acc0 = tl.dot(weights, v0, acc0)
                if D1 > 0:
                    acc1 = tl.dot(weights, v1, acc1)
                # Both halves have read what was in this buffer, in step n - 1.
                tlx.local_store(tlx.local_view(k0_bufs, ahead), k0_next)
                tlx.local_store(tlx.local_view(v0_bufs, ahead), v0_next)
                if D1 > 0:
                    tlx.local_store(tlx.local_view(k1_bufs, ahead), k1_next)
                    tlx.local_store(tlx.local_view(v1_bufs, ahead), v1_next)
                # Stores wait for their loads as late as they can. A product keeps the matrix cores
                # for eight turns, which is more than what stands between two products takes.
                tlx.amd_sched_group_barrier(MATRIX, BN * (D0 + D1) // 128 - STORED_BETWEEN)
                for _ in tl.static_range(STORED_BETWEEN):
                    tlx.amd_sched_group_barrier(VECTOR, 3)
                    tlx.amd_sched_group_barrier(LDS_WRITE, 1)
                    tlx.amd_sched_group_barrier(MATRIX, 1)

    total = tl.sum(sums, 1)
    need = need_exact_rows(sums)
    if need != 0:
        acc0, acc1, total = exact_rows(
            q0, q1, k_first, v_first, KV_LEN, last_col, scale, ends[3], stride_kn, stride_vn,
            need - 1, BM, BN, D0, D1, CAUSAL,
        )  # fmt: skip
    share = 1.0 / tl.where(total == 0.0, 1.0, total)[:, None]
    store_part(o_ptr, acc0, share, rows, dims0, stride_om, row_mask)
    if D1 > 0:
        store_part(o_ptr, acc1, share, rows, dims1, stride_om, row_mask)
