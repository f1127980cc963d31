"""Kernels for the tests of sparsity24."""

import triton
import triton.language as tl

import triton_plugins.sparsity24 as sp


@triton.jit
def one_dot(
    values_ptr, meta_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
    B_BY_COLUMNS: tl.constexpr = False,
):  # fmt: skip
    """One product of whole matrices; all by rows, b if it is asked for by columns."""
    rows, columns = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    values = tl.load(values_ptr + rows * (K // 2) + tl.arange(0, K // 2)[None, :])
    meta = tl.load(meta_ptr + rows * (K // 16) + tl.arange(0, K // 16)[None, :])
    depth = tl.arange(0, K)[:, None]
    b = tl.load(b_ptr + (columns * K + depth if B_BY_COLUMNS else depth * N + columns))
    product = sp.dot(values, meta, b, out_dtype=c_ptr.dtype.element_ty)
    tl.store(c_ptr + rows * N + columns, product)


@triton.jit
def bad_meta(values_ptr, meta_ptr, b_ptr, c_ptr):
    """The metadata has half the columns that the values need."""
    rows = tl.arange(0, 64)[:, None]
    values = tl.load(values_ptr + rows * 32 + tl.arange(0, 32)[None, :])
    meta = tl.load(meta_ptr + rows * 2 + tl.arange(0, 2)[None, :])
    b = tl.load(b_ptr + rows * 64 + tl.arange(0, 64)[None, :])
    tl.store(c_ptr + rows * 64 + tl.arange(0, 64)[None, :], sp.dot(values, meta, b))
