"""Kernels that others have reported as wrong elsewhere (test_public_reports.py)."""

import triton
import triton.language as tl

import triton_plugins.tlx as tlx


@triton.jit
def one_of_two(out, BLOCK: tl.constexpr):
    """Uses the second of two allocations of barriers, and a buffer before and after."""
    offsets = tl.arange(0, BLOCK)
    unused = tlx.alloc_barriers(1)
    used = tlx.alloc_barriers(1, arrive_count=2)
    first = tlx.local_alloc((BLOCK,), tl.int32, 1)[0]
    tlx.local_store(first, offsets)
    values = tlx.local_load(first)
    tlx.barrier_arrive(used[0])
    tlx.barrier_arrive(used[0])
    tlx.barrier_wait(used[0], 0)
    tlx.barrier_arrive(unused[0])
    second = tlx.local_alloc((BLOCK,), tl.int32, 1)[0]
    tlx.local_store(second, values + 1)
    tl.store(out + offsets, tlx.local_load(second))


@triton.jit
def vector(desc, dst, SIZE: tl.constexpr):
    """Copies a vector through a buffer of one dimension that TMA fills."""
    buf = tlx.local_alloc((SIZE,), tl.float32, 1)[0]
    bar = tlx.alloc_barriers(1)[0]
    tlx.barrier_expect_bytes(bar, SIZE * 4)
    tlx.async_descriptor_load(desc, buf, [0], bar)
    tlx.barrier_wait(bar, 0)
    tl.store(dst + tl.arange(0, SIZE), tlx.local_load(buf))


@triton.jit
def masked(src, dst, n, BLOCK: tl.constexpr):
    """Copies n elements into a buffer that held NaN before, and all of it out again."""
    offsets = tl.arange(0, BLOCK)
    buf = tlx.local_alloc((BLOCK,), tl.float32, 1)[0]
    tlx.local_store(buf, tl.full((BLOCK,), float("nan"), tl.float32))
    tlx.async_load(src + offsets, buf, mask=offsets < n)
    tlx.async_load_commit_group()
    tlx.async_load_wait_group(0)
    tl.store(dst + offsets, tlx.local_load(buf))
