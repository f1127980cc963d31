"""Kernels on whole matrices: prune, check, compress and decompress.

Each program takes a tile of BM rows and BK columns of the dense matrix. Elements are taken as bits.
"""

import triton
import triton.language as tl

from .ops import compress_tile, decompress_tile

# What `find` kernels leave where they find nothing.
NOWHERE = tl.constexpr(1 << 62)


@triton.jit
def _tile(M, columns, BM: tl.constexpr, BK: tl.constexpr):
    # Of 64 bits: a matrix may hold more than 2**31 elements, by rows or by columns.
    rows = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    places = tl.program_id(1).to(tl.int64) * BK + tl.arange(0, BK)
    return rows[:, None], places[None, :], (rows[:, None] < M) & (places[None, :] < columns)


@triton.jit
def _first(wrong, rows, groups, K):
    """Offset in the dense matrix of the first group that is wrong."""
    return tl.min(tl.min(tl.where(wrong, rows * K + 4 * groups, NOWHERE), 1), 0)


@triton.jit
def find_dense(dense_ptr, found_ptr, M, K, stride_m, stride_k, BM: tl.constexpr, BK: tl.constexpr):
    """Finds a group with more than two elements that are not positive zero."""
    rows, columns, inside = _tile(M, K, BM, BK)
    bits = tl.load(dense_ptr + rows * stride_m + columns * stride_k, mask=inside, other=0)
    counts = tl.sum((bits != 0).to(tl.int32).reshape(BM, BK // 4, 4), 2)
    groups = tl.program_id(1) * (BK // 4) + tl.arange(0, BK // 4)
    tl.atomic_min(found_ptr, _first(counts > 2, rows, groups[None, :], K))


@triton.jit
def find_nibble(meta_ptr, found_ptr, M, K, stride_m, stride_k, BM: tl.constexpr, BK: tl.constexpr):
    """Finds a nibble that is none of 4, 8, 9, 12, 13 and 14."""
    rows, words, inside = _tile(M, K // 16, BM, BK // 16)
    meta = tl.load(meta_ptr + rows * stride_m + words * stride_k, mask=inside, other=0x4444)
    first = tl.full((), NOWHERE, tl.int64)
    for group in tl.static_range(4):
        nibbles = (meta.to(tl.int32) >> (4 * group)) & 0xF
        wrong = ((0x7310 >> nibbles) & 1) == 0
        first = tl.minimum(first, _first(wrong, rows, 4 * words + group, K))
    tl.atomic_min(found_ptr, first)


@triton.jit
def prune(dense_ptr, pruned_ptr, M, K, stride_m, stride_k, BM: tl.constexpr, BK: tl.constexpr):
    """Keeps the two largest magnitudes of every four, of equal ones the first."""
    rows, columns, inside = _tile(M, K, BM, BK)
    bits = tl.load(dense_ptr + rows * stride_m + columns * stride_k, mask=inside, other=0)
    # No two elements of a group have the same key.
    key = ((bits.to(tl.int32) & 0x7FFF) << 2) | (3 - columns % 4).to(tl.int32)
    keys = key.reshape(BM, BK // 4, 4)
    largest = tl.max(keys, 2, keep_dims=True)
    second = tl.max(tl.where(keys == largest, -1, keys), 2, keep_dims=True)
    kept = (keys >= second).reshape(BM, BK)
    tl.store(pruned_ptr + rows * K + columns, tl.where(kept, bits, 0), mask=inside)


@triton.jit
def compress(
    dense_ptr, values_ptr, meta_ptr, M, K, stride_m, stride_k, stride_word,
    BM: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """Writes values by rows and metadata by columns."""
    rows, columns, inside = _tile(M, K, BM, BK)
    dense = tl.load(dense_ptr + rows * stride_m + columns * stride_k, mask=inside, other=0)
    values, meta = compress_tile(dense)
    rows, columns, inside = _tile(M, K // 2, BM, BK // 2)
    tl.store(values_ptr + rows * (K // 2) + columns, values, mask=inside)
    rows, words, inside = _tile(M, K // 16, BM, BK // 16)
    tl.store(meta_ptr + words * stride_word + rows, meta, mask=inside)


@triton.jit
def decompress(
    values_ptr, meta_ptr, dense_ptr, M, K, stride_m, stride_k, meta_stride_m, meta_stride_k,
    BM: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """Writes the dense matrix by rows."""
    rows, columns, inside = _tile(M, K // 2, BM, BK // 2)
    values = tl.load(values_ptr + rows * stride_m + columns * stride_k, mask=inside)
    rows, words, inside = _tile(M, K // 16, BM, BK // 16)
    meta = tl.load(meta_ptr + rows * meta_stride_m + words * meta_stride_k, mask=inside)
    rows, columns, inside = _tile(M, K, BM, BK)
    tl.store(dense_ptr + rows * K + columns, decompress_tile(values, meta), mask=inside)
