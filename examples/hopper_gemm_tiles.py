"""What the Hopper GEMM kernels do with rings of buffers, and with tiles of the result."""

from __future__ import annotations

import triton
import triton.language as tl

import triton_plugins.tlx as tlx
from examples import hopper_shared_tiles

# A warp group: what wgmma needs, and what the kernel is launched with.
CONSUMER_WARPS = tl.constexpr(4)


@triton.jit
def next_buffer(buf, phase, NUM: tl.constexpr):
    """The next buffer of a ring; the phase of its barriers turns with every round."""
    is_last = buf == NUM - 1
    return tl.where(is_last, 0, buf + 1), tl.where(is_last, phase ^ 1, phase)


@triton.jit
def previous_buffer(buf, NUM: tl.constexpr):
    """The buffer before one of a ring."""
    return tl.where(buf == 0, NUM - 1, buf - 1)


@triton.jit
def steps_of(item, steps, SPLITS: tl.constexpr):
    """The part of K's steps that an item of work multiplies: from the first, up to the second."""
    split = item % SPLITS
    return split * steps // SPLITS, (split + 1) * steps // SPLITS


@triton.jit
def work_of(item, first, share, shared, steps, SPLITS: tl.constexpr, SHARED: tl.constexpr):
    """The tile of an item of work, and the steps of it that the item multiplies."""
    if SHARED:
        return hopper_shared_tiles.work_of(item, first, share, shared, steps)
    else:
        begin, end = steps_of(item, steps, SPLITS)
        return item // SPLITS, begin, end


@triton.jit
def place_of(tile, tiles_m, tiles_n, GROUP_M: tl.constexpr):
    """Row and column of a tile.

    Tiles that run at the same time lie in GROUP_M rows of tiles, so that what they read is still in
    the L2 cache.
    """
    return tl.swizzle2d(tile // tiles_n, tile % tiles_n, tiles_m, tiles_n, GROUP_M)


@triton.jit
def column_slices(values, NUM: tl.constexpr):
    """Cuts a tile into NUM slices of neighbouring columns; the values stay in their registers."""
    if NUM == 1:
        return (values,)
    else:
        ROWS: tl.constexpr = values.shape[0]
        COLS: tl.constexpr = values.shape[1]
        left, right = tl.split(tl.permute(tl.reshape(values, (ROWS, 2, COLS // 2)), (0, 2, 1)))
        return column_slices(left, NUM // 2) + column_slices(right, NUM // 2)


@triton.jit
def release(free, buf, rank, CLUSTER: tl.constexpr):
    """Says that this task has read a buffer, to the producers of all programs that fill it."""
    tlx.barrier_arrive(free[buf])
    if CLUSTER == 2:
        tlx.barrier_arrive(free[buf], remote_cta_rank=rank ^ 1, relaxed=True)


@triton.jit
def store_slice(
    c_desc, c_bufs, slices, consumer, row, col, index: tl.constexpr, C_BUFFERS: tl.constexpr
):
    """Starts to store one slice of a consumer's tile, through one of its C_BUFFERS."""
    c = c_bufs[C_BUFFERS * consumer + index % C_BUFFERS]
    # The store that has read this buffer may not be one of the latest. Of an odd number of slices
    # the first goes where the last one of the tile before went.
    IS_LATEST: tl.constexpr = index == 0 and len(slices) % C_BUFFERS > 0
    tlx.async_descriptor_store_wait(0 if IS_LATEST else C_BUFFERS - 1)
    tlx.local_store(c, slices[index])
    tlx.fence("async_shared")
    tlx.async_descriptor_store(c_desc, c, [row, col + index * slices[index].shape[1]])


@triton.jit
def store_tile(c_desc, c_bufs, slices, consumer, row, col, C_BUFFERS: tl.constexpr):
    """Starts to store all slices of a consumer's tile."""
    for index in tl.static_range(len(slices)):
        store_slice(c_desc, c_bufs, slices, consumer, row, col, index, C_BUFFERS)
