"""Kernels with descriptors of their own, bulk copies and prefetches, which the tests compile."""

import triton
import triton.language as tl

import triton_plugins.tlx as tlx


@triton.jit
def slots(src, dst, m, n, steps, BM: tl.constexpr, BN: tl.constexpr, DTYPE: tl.constexpr):
    """One task makes descriptors, which another takes out of their slots; a third makes its own."""
    buffers = tlx.local_alloc((BM, BN), DTYPE, 2)
    made = tlx.alloc_barriers(2)
    full = tlx.alloc_barriers(2)
    free = tlx.alloc_barriers(2)
    sources = tlx.allocate_tensor_descriptor(2)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            for step in range(steps):
                # Slot and buffer have been used for the last but one step.
                tlx.barrier_wait(free[step % 2], (step // 2) % 2 ^ 1)
                tlx.make_tensor_descriptor(
                    desc_ptr=sources[step % 2],
                    base=src + step * m * n,
                    shape=[m, n],
                    strides=[n, 1],
                    block_shape=[BM, BN],
                )
                tlx.barrier_arrive(made[step % 2])
        with tlx.async_task(num_warps=1):
            for step in range(steps):
                tlx.barrier_wait(made[step % 2], (step // 2) % 2)
                desc = tlx.reinterpret_tensor_descriptor(sources[step % 2], [BM, BN], DTYPE)
                tlx.barrier_expect_bytes(full[step % 2], BM * BN * tlx.size_of(DTYPE))
                tlx.async_descriptor_load(desc, buffers[step % 2], [0, 0], full[step % 2])
        with tlx.async_task(num_warps=4):
            slot = tlx.allocate_tensor_descriptor(1)
            desc = tlx.make_tensor_descriptor(
                slot, dst, [m * steps, n], strides=[n, 1], block_shape=[BM, BN]
            )
            for step in range(steps):
                tlx.barrier_wait(full[step % 2], (step // 2) % 2)
                tlx.async_descriptor_store(desc, buffers[step % 2], [step * m, 0])
                tlx.async_descriptor_store_wait(0)
                tlx.barrier_arrive(free[step % 2])


@triton.jit
def no_slot(src, dst, m, n, BM: tl.constexpr, BN: tl.constexpr):
    """Without a slot it is stock Triton's descriptor, on every target."""
    desc = tlx.make_tensor_descriptor(None, src, [m, n], [n, 1], [BM, BN])
    out = tlx.make_tensor_descriptor(None, dst, [m, n], [n, 1], [BM, BN])
    out.store([0, 0], desc.load([0, 0]) + 1)


@triton.jit
def slot_and_load(src, dst, m, n, BM: tl.constexpr, BN: tl.constexpr):
    """Stock Triton's load and store through a descriptor in a slot."""
    both = tlx.allocate_tensor_descriptor(2)
    desc = tlx.make_tensor_descriptor(both[0], src, [m, n], [n, 1], [BM, BN])
    tlx.make_tensor_descriptor(both[1], dst, [m, n], [n, 1], [BM, BN])
    out = tlx.reinterpret_tensor_descriptor(both[1], [BM, BN], tlx.dtype_of(dst))
    out.store([0, 0], desc.load([0, 0]) + 1)


@triton.jit
def not_a_slot(src, dst, m, n):
    tlx.make_tensor_descriptor(src, src, [m, n], [n, 1], [64, 64])


@triton.jit
def copy_through_descriptor(src, dst, m, n):
    desc = tlx.make_tensor_descriptor(None, src, [m, n], [n, 1], [64, 64])
    buffers = tlx.local_alloc((64, 64), tlx.dtype_of(src), 1)
    tlx.async_descriptor_store(desc, buffers[0], [0, 0])


@triton.jit
def another_block(src, dst, m, n):
    both = tlx.allocate_tensor_descriptor(1)
    tlx.make_tensor_descriptor(both, src, [m, n], [n, 1], [64, 64])
    desc = tlx.reinterpret_tensor_descriptor(both, [32, 64], tlx.dtype_of(src))
    desc.store([0, 0], tl.zeros((32, 64), tlx.dtype_of(src)))


@triton.jit
def bulk(src, dst, n, BLOCK: tl.constexpr, EVICT: tl.constexpr):
    """Moves bytes in and out without registers."""
    buffers = tlx.local_alloc((BLOCK,), tlx.dtype_of(src), 2)
    full = tlx.alloc_barriers(2)
    SIZE: tl.constexpr = BLOCK * tlx.size_of(tlx.dtype_of(src))
    tlx.barrier_expect_bytes(full[0], SIZE)
    tlx.async_load(src, buffers[0], bulk=True, barrier=full[0], eviction_policy=EVICT)
    tlx.barrier_expect_bytes(full[1], 64)
    tlx.async_load(src + BLOCK, buffers[1], bulk=True, bulk_size=n, barrier=full[1])
    tlx.barrier_wait(full[0], 0)
    tlx.barrier_wait(full[1], 0)
    tlx.async_store(dst, buffers[0], SIZE)
    tlx.async_store(dst + BLOCK, buffers[1], n)
    tlx.async_descriptor_store_wait(0)


@triton.jit
def bulk_with_mask(src, dst, n):
    buffers = tlx.local_alloc((64,), tlx.dtype_of(src), 1)
    full = tlx.alloc_barriers(1)
    tlx.async_load(src, buffers[0], mask=n > 0, bulk=True, barrier=full[0])


@triton.jit
def barrier_without_bulk(src, dst, n):
    buffers = tlx.local_alloc((64,), tlx.dtype_of(src), 1)
    full = tlx.alloc_barriers(1)
    tlx.async_load(src + tl.arange(0, 64), buffers[0], barrier=full[0])


@triton.jit
def cached(src, dst, n, CACHE: tl.constexpr, EVICT: tl.constexpr):
    """A copy that says what to do with the caches."""
    offsets = tl.arange(0, 1024)
    buffers = tlx.local_alloc((1024,), tlx.dtype_of(src), 1)
    tlx.async_load(src + offsets, buffers[0], cache_modifier=CACHE, eviction_policy=EVICT)
    tlx.async_load_commit_group()
    tlx.async_load_wait_group(0)
    tl.store(dst + offsets, tlx.local_load(buffers[0]))


@triton.jit
def prefetches(src, dst, n, LEVEL: tl.constexpr):
    """Prefetches by pointers, some of them only where a mask is true."""
    offsets = tl.arange(0, 128) * 32
    tlx.prefetch(src + offsets, LEVEL)
    tlx.prefetch(src + offsets, LEVEL, mask=offsets < n)
    tlx.prefetch(dst)


@triton.jit
def prefetched_tensor(desc, dst, n, EVICT: tl.constexpr):
    tlx.prefetch(desc, tensormap=True)
    tlx.async_descriptor_prefetch_tensor(desc, [0, n], pred=n > 0, eviction_policy=EVICT)
    tl.store(dst + tl.arange(0, 64)[:, None] * 128 + tl.arange(0, 128)[None, :], desc.load([0, 0]))


@triton.jit
def redux(src, dst, OP: tl.constexpr):
    offsets = tl.arange(0, 128)
    tl.store(dst + offsets, tlx.warp_redux(tl.load(src + offsets), OP))


@triton.jit
def stored(desc, FENCE: tl.constexpr):
    buffers = tlx.local_alloc((64, 64), tl.float32, 1)
    tlx.local_store(buffers[0], tl.zeros((64, 64), tl.float32))
    if FENCE:
        tlx.fence("async_shared")
    tlx.async_descriptor_store(desc, buffers[0], [0, 0])
    tlx.async_descriptor_store_wait(0)
