"""Kernels of threads and warps that the tests compile."""

import triton
import triton.language as tl

import triton_plugins.tlx as tlx


@triton.jit
def votes(src, dst, BLOCK: tl.constexpr):
    """A ballot of each warp."""
    offsets = tl.arange(0, BLOCK)
    tl.store(dst + offsets, tlx.vote_ballot_sync(0xFFFFFFFF, tl.load(src + offsets) > 0))


@triton.jit
def branches(src, dst, ROWS: tl.constexpr, AXIS: tl.constexpr):
    """Adds sums to what warps hold that have something positive; a row is one warp's."""
    rows, cols = tl.arange(0, ROWS)[:, None], tl.arange(0, 32)[None, :]
    value = tl.load(src + rows * 32 + cols)
    if tlx.vote_any(value > 0):
        value += tl.sum(value, AXIS, keep_dims=True)
    tl.store(dst + rows * 32 + cols, value)


@triton.jit
def arrivals(dst, WARPS: tl.constexpr):
    """Every warp arrives at a barrier, and all wait for that."""
    bars = tlx.alloc_warp_barrier(2, num_warps=WARPS)
    tlx.barrier_arrive(bars[1])
    tlx.barrier_wait(bars[1], 0)
    tl.store(dst + tl.arange(0, 32), 1)


@triton.jit
def named_barriers(BARRIER: tl.constexpr, TASKS: tl.constexpr):
    """All tasks wait for the default one."""
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.named_barrier_arrive(BARRIER, 128 + 64 * TASKS)
        with tlx.async_task(num_warps=2, replicate=TASKS):
            tlx.named_barrier_wait(BARRIER, 128 + 64 * TASKS)
