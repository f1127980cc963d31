"""Kernels that use operations of all four plugins at once.

Both multiply by a dense and by a 2:4 sparse matrix, which `sparsity24.compress` makes.
"""

import triton
import triton.language as tl

import triton_plugins.layout as layout
import triton_plugins.sparsity24 as sp
import triton_plugins.tlx as tlx
import triton_plugins.warp_spec as warp_spec


@triton.jit
def two_products(
    a_ptr,
    b_ptr,
    values_ptr,
    meta_ptr,
    c_ptr,
    bias_ptr,
    out_ptr,
    M,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    DEPTH: tl.constexpr,
    L: tl.constexpr,
):
    """relu(a @ b.T + sparse @ c + bias), where the sparse matrix has DEPTH columns.

    The loop over the dense product runs on warps of two kinds (warp_spec) while the operands of the
    sparse one (sparsity24) come into buffers (tlx); the bias is added in a layout of the kernel's
    choice (layout). Shapes are multiples of the blocks.
    """
    row, col = tl.program_id(0) * BM, tl.program_id(1) * BN
    rows, cols = row + tl.arange(0, BM), col + tl.arange(0, BN)

    halves, depth = tl.arange(0, DEPTH // 2), tl.arange(0, DEPTH)
    values_view = tlx.local_view(tlx.local_alloc((BM, DEPTH // 2), tlx.dtype_of(values_ptr), 1), 0)
    c_view = tlx.local_view(tlx.local_alloc((DEPTH, BN), tlx.dtype_of(c_ptr), 1), 0)
    tlx.async_load(values_ptr + rows[:, None] * (DEPTH // 2) + halves[None, :], values_view)
    tlx.async_load(c_ptr + depth[:, None] * N + cols[None, :], c_view)
    tlx.async_load_commit_group()

    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b_desc = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    acc = tl.zeros((BM, BN), tl.float32)
    for k in warp_spec.range(0, tl.cdiv(K, BK)):
        acc = tl.dot(a_desc.load([row, k * BK]), b_desc.load([col, k * BK]).T, acc)

    words = tl.arange(0, DEPTH // 16)
    meta = tl.load(meta_ptr + rows[:, None] * (DEPTH // 16) + words[None, :])
    tlx.async_load_wait_group(0)
    acc = sp.dot(tlx.local_load(values_view), meta, tlx.local_load(c_view), acc)

    places = rows[:, None] * N + cols[None, :]
    bias = layout.pin(tl.load(bias_ptr + places), L)
    result = layout.convert(acc, L) + bias
    tl.store(out_ptr + places, tl.maximum(result, 0.0).to(out_ptr.dtype.element_ty))


@triton.jit
def sum_of_matrices(
    a_ptr,
    values_ptr,
    meta_ptr,
    b_ptr,
    out_ptr,
    M,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    L: tl.constexpr,
):
    """(a + sparse) @ b; both products are in one specialized loop and read the same tile of b.

    The metadata comes by columns: (K // 16, M). The result goes through a buffer and leaves in a
    pinned layout. Shapes are multiples of the blocks.
    """
    row, col = tl.program_id(0) * BM, tl.program_id(1) * BN
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    values_desc = tl.make_tensor_descriptor(values_ptr, [M, K // 2], [K // 2, 1], [BM, BK // 2])
    meta_desc = tl.make_tensor_descriptor(meta_ptr, [K // 16, M], [M, 1], [BK // 16, BM])
    b_desc = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BK, BN])
    acc = tl.zeros((BM, BN), tl.float32)
    for k in warp_spec.range(0, tl.cdiv(K, BK)):
        b = b_desc.load([k * BK, col])
        acc = tl.dot(a_desc.load([row, k * BK]), b, acc)
        values = values_desc.load([row, k * (BK // 2)])
        meta = meta_desc.load([k * (BK // 16), row])
        acc = sp.dot(values, meta.T, b, acc)

    tile = tlx.local_view(tlx.local_alloc((BM, BN), tl.float32, 1), 0)
    tlx.local_store(tile, acc)
    result = layout.pin(tlx.local_load(tile), L)
    rows, cols = row + tl.arange(0, BM), col + tl.arange(0, BN)
    tl.store(out_ptr + rows[:, None] * N + cols[None, :], result)


@triton.jit
def in_tasks(
    x_ptr,
    y_ptr,
    values_ptr,
    meta_ptr,
    b_ptr,
    out_ptr,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
    WARPS: tl.constexpr,
    L: tl.constexpr,
):
    """y = x in a pinned layout by WARPS warps, and out = sparse @ b by the kernel's own."""
    with tlx.async_tasks():
        with tlx.async_task("default"):
            rows, cols, depth = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
            halves, words = tl.arange(0, K // 2), tl.arange(0, K // 16)
            values = tl.load(values_ptr + rows[:, None] * (K // 2) + halves[None, :])
            meta = tl.load(meta_ptr + rows[:, None] * (K // 16) + words[None, :])
            b = tl.load(b_ptr + depth[:, None] * N + cols[None, :])
            tl.store(out_ptr + rows[:, None] * N + cols[None, :], sp.dot(values, meta, b))
        with tlx.async_task(num_warps=WARPS):
            places = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
            tl.store(y_ptr + places, layout.pin(tl.load(x_ptr + places), L))
