"""Tiles of any number of columns for the persistent Hopper GEMM, made of strips.

Tensors, and what TMA copies, have powers of two of columns. So a tile of 192 columns is a strip of
128 and one of 64. Each has a ring of buffers of B, and accumulators, and a step multiplies A's rows
with one strip after the other.
"""

from __future__ import annotations

import triton
import triton.language as tl

import triton_plugins.tlx as tlx
from examples.hopper_gemm_tiles import column_slices


@triton.jit
def zeros(ROWS: tl.constexpr, WIDTHS: tl.constexpr):
    """Accumulators of all strips."""
    accs = ()
    for index in tl.static_range(len(WIDTHS)):
        accs += (tl.zeros((ROWS, WIDTHS[index]), tl.float32),)
    return accs


@triton.jit
def rings_of_b(
    WIDTHS: tl.constexpr, BK: tl.constexpr, DTYPE: tl.constexpr, NUM: tl.constexpr,
    BY_COLUMNS: tl.constexpr,
):  # fmt: skip
    """A ring of NUM buffers of B for each strip."""
    rings = ()
    for index in tl.static_range(len(WIDTHS)):
        if BY_COLUMNS:
            rings += (tlx.local_alloc((WIDTHS[index], BK), DTYPE, NUM),)
        else:
            rings += (tlx.local_alloc((BK, WIDTHS[index]), DTYPE, NUM),)
    return rings


@triton.jit
def places_of_b(
    b_descs, col, k, rank, WIDTHS: tl.constexpr, CLUSTER_M: tl.constexpr, BY_COLUMNS: tl.constexpr
):
    """Where in memory begins what a program loads of each strip: all lines, or one half of them."""
    places = ()
    for index in tl.static_range(len(WIDTHS)):
        line = rank * b_descs[index].block_shape[0] if CLUSTER_M == 2 else 0
        places += ((col + line, k) if BY_COLUMNS else (k + line, col),)
        col += WIDTHS[index]
    return places


@triton.jit
def prefetch_b(
    b_descs, col, k, N, K, rank, WIDTHS: tl.constexpr, CLUSTER_M: tl.constexpr,
    BY_COLUMNS: tl.constexpr, EVICT: tl.constexpr,
):  # fmt: skip
    """Brings what a program loads of a step of B into the L2 cache."""
    places = places_of_b(b_descs, col, k, rank, WIDTHS, CLUSTER_M, BY_COLUMNS)
    for index in tl.static_range(len(WIDTHS)):
        line, first = places[index]
        is_inside = (line < N) & (first < K) if BY_COLUMNS else (line < K) & (first < N)
        tlx.async_descriptor_prefetch_tensor(
            b_descs[index], [line, first], pred=is_inside, eviction_policy=EVICT
        )


@triton.jit
def load_b(
    b_descs, b_rings, buf, full, col, k, rank, WIDTHS: tl.constexpr, CLUSTER_M: tl.constexpr,
    BY_COLUMNS: tl.constexpr, EVICT: tl.constexpr,
):  # fmt: skip
    """Loads a step of B, or one half of it for both programs of a cluster."""
    places = places_of_b(b_descs, col, k, rank, WIDTHS, CLUSTER_M, BY_COLUMNS)
    for index in tl.static_range(len(WIDTHS)):
        line, first = places[index]
        b = b_rings[index][buf]
        if CLUSTER_M == 1:
            tlx.async_descriptor_load(
                b_descs[index], b, [line, first], full[buf], eviction_policy=EVICT
            )
        else:
            tlx.async_descriptor_load(
                b_descs[index], half_of(b, rank), [line, first], full[buf],
                multicast_targets=[0, 1],
            )  # fmt: skip


@triton.jit
def half_of(buffer, rank):
    """The first or the second half of a buffer's lines."""
    LINES: tl.constexpr = buffer.shape[0] // 2
    if rank == 0:
        half = tlx.local_slice(buffer, [0, 0], [LINES, buffer.shape[1]])
    else:
        half = tlx.local_slice(buffer, [LINES, 0], [LINES, buffer.shape[1]])
    return half


@triton.jit
def start_products(a, b_rings, buf, accs, use_acc, BY_COLUMNS: tl.constexpr):
    """Starts to multiply a step of a tile's rows with all strips of B."""
    started = ()
    for index in tl.static_range(len(accs)):
        b = b_rings[index][buf]
        b = tlx.local_trans(b) if BY_COLUMNS else b
        started += (tlx.async_dot(a, b, accs[index], use_acc=use_acc),)
    return started


@triton.jit
def wait_for_products(accs, PENDING: tl.constexpr):
    """Waits until no more than PENDING steps' products are running."""
    ended = ()
    for index in tl.static_range(len(accs)):
        ended += (tlx.async_dot_wait(PENDING * len(accs), accs[index]),)
    return ended


@triton.jit
def slices_of(
    accs, row, col, row_scale_ptr, col_scale_ptr, M, N, COLS: tl.constexpr, DTYPE: tl.constexpr
):
    """A tile's slices of COLS columns: its accumulators, scaled and rounded."""
    slices = ()
    for index in tl.static_range(len(accs)):
        result = accs[index]
        if row_scale_ptr is not None:
            rows = row + tl.arange(0, result.shape[0])
            result *= tl.load(row_scale_ptr + rows, mask=rows < M, other=0.0)[:, None]
        if col_scale_ptr is not None:
            cols = col + tl.arange(0, result.shape[1])
            result *= tl.load(col_scale_ptr + cols, mask=cols < N, other=0.0)[None, :]
        slices += column_slices(result.to(DTYPE), result.shape[1] // COLS)
        col += result.shape[1]
    return slices
