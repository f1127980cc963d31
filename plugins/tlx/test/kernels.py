"""Kernels that the tests compile: small ones, right and wrong."""

import triton
import triton.language as tl

import triton_plugins.tlx as tlx
from triton_plugins.tlx import local_alloc, local_view


@triton.jit
def copy(src, dst, BLOCK: tl.constexpr, NUM: tl.constexpr):
    """Copies NUM blocks through as many buffers."""
    offsets = tl.arange(0, BLOCK)
    buffers = tlx.local_alloc((BLOCK,), tlx.dtype_of(src), NUM)
    for i in tl.static_range(NUM):
        token = tlx.async_load(src + i * BLOCK + offsets, tlx.local_view(buffers, i))
        tlx.async_load_commit_group([token])
    tlx.async_load_wait_group(0)
    for i in tl.range(0, NUM):
        tl.store(dst + i * BLOCK + offsets, tlx.local_load(tlx.local_view(buffers, i)))


@triton.jit
def carried(src, dst, n, BLOCK: tl.constexpr):
    """A view and a token that a loop and a branch carry along."""
    offsets = tl.arange(0, BLOCK)
    buffers = tlx.local_alloc((BLOCK,), tlx.dtype_of(src), 2)
    current = tlx.local_view(buffers, 0)
    token = tlx.async_load(src + offsets, current)
    tlx.async_load_commit_group([token])
    for i in tl.range(0, n):
        tlx.async_load_wait_group(0)
        tl.store(dst + i * BLOCK + offsets, tlx.local_load(current))
        if i % 2 == 0:
            current = tlx.local_view(buffers, 1)
        else:
            current = tlx.local_view(buffers, 0)
        token = tlx.async_load(src + (i + 1) * BLOCK + offsets, current, mask=offsets < n)
        tlx.async_load_commit_group([token])


@triton.jit
def early_return(src, dst, n, BLOCK: tl.constexpr):
    """Allocates before a branch that leaves the kernel; copies after it and never waits."""
    offsets = tl.arange(0, BLOCK)
    view = tlx.local_view(tlx.local_alloc((BLOCK,), tlx.dtype_of(src), 1), 0)
    if n == 0:
        return
    tlx.local_store(view, tl.load(src + offsets))
    tl.store(dst + offsets, tlx.local_load(view))
    tlx.async_load(src + offsets, view)
    tlx.async_load_commit_group()


@triton.jit
def dot(a, b, c, M: tl.constexpr, N: tl.constexpr, KA: tl.constexpr, KB: tl.constexpr):
    """One product; KA and KB must be equal."""
    rows, cols = tl.arange(0, M), tl.arange(0, N)
    a_bufs = tlx.local_alloc((M, KA), tlx.dtype_of(a), 1)
    b_bufs = tlx.local_alloc((KB, N), tlx.dtype_of(b), 1)
    a_view, b_view = tlx.local_view(a_bufs, 0), tlx.local_view(b_bufs, 0)
    tlx.async_load(a + rows[:, None] * KA + tl.arange(0, KA)[None, :], a_view)
    tlx.async_load(b + tl.arange(0, KB)[:, None] * N + cols[None, :], b_view)
    tlx.async_load_commit_group()
    tlx.async_load_wait_group(0)
    product = tlx.async_dot(a_view, b_view)
    product = tlx.async_dot_wait(0, product)
    tl.store(c + rows[:, None] * N + cols[None, :], product)


@triton.jit
def dot_of_registers(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """One product whose left operand is in registers, with b stored column by column."""
    rows, cols, depth = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    b_view = tlx.local_view(tlx.local_alloc((K, N), tlx.dtype_of(b), 1), 0)
    tlx.async_load(b + depth[:, None] + cols[None, :] * K, b_view)
    tlx.async_load_commit_group()
    left = tl.load(a + rows[:, None] * K + depth[None, :])
    tlx.async_load_wait_group(0)
    product = tlx.async_dot(left, b_view, out_dtype=tlx.dtype_of(c))
    product = tlx.async_dot_wait(0, product)
    tl.store(c + rows[:, None] * N + cols[None, :], product)


@triton.jit
def dot_of_columns(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """One product of buffers, with b stored column by column."""
    rows, cols, depth = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a_view = tlx.local_view(tlx.local_alloc((M, K), tlx.dtype_of(a), 1), 0)
    b_view = tlx.local_view(tlx.local_alloc((K, N), tlx.dtype_of(b), 1), 0)
    tlx.async_load(a + rows[:, None] * K + depth[None, :], a_view)
    tlx.async_load(b + depth[:, None] + cols[None, :] * K, b_view)
    tlx.async_load_commit_group()
    tlx.async_load_wait_group(0)
    product = tlx.async_dot(a_view, b_view, out_dtype=tlx.dtype_of(c))
    product = tlx.async_dot_wait(0, product)
    tl.store(c + rows[:, None] * N + cols[None, :], product)


@triton.jit
def early_use(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Stores a product without waiting for it."""
    rows, cols = tl.arange(0, M), tl.arange(0, N)
    a_bufs = tlx.local_alloc((M, K), tlx.dtype_of(a), 1)
    b_bufs = tlx.local_alloc((K, N), tlx.dtype_of(b), 1)
    product = tlx.async_dot(tlx.local_view(a_bufs, 0), tlx.local_view(b_bufs, 0))
    tl.store(c + rows[:, None] * N + cols[None, :], product)


@triton.jit
def wait_for(src, COMMITTED: tl.constexpr, PENDING: tl.constexpr):
    """Waits until PENDING of COMMITTED groups are left."""
    offsets = tl.arange(0, 128)
    buffers = tlx.local_alloc((128,), tl.float32, COMMITTED)
    for i in tl.static_range(COMMITTED):
        tlx.async_load(src + offsets, tlx.local_view(buffers, i))
        tlx.async_load_commit_group()
    tlx.async_load_wait_group(PENDING)


@triton.jit
def alloc(SIZE: tl.constexpr, NUM: tl.constexpr, dtype: tl.constexpr):
    """Only allocates."""
    tlx.local_alloc((SIZE,), dtype, NUM)


@triton.jit
def view(INDEX: tl.constexpr):
    """Takes a buffer of two."""
    tlx.local_view(tlx.local_alloc((128,), tl.float32, 2), INDEX)


@triton.jit
def no_buffer(src):
    """Stores into what is no buffer."""
    tlx.local_store(src, tl.load(src))


@triton.jit
def other_dtype(src):
    """Copies floats into a buffer of halves."""
    offsets = tl.arange(0, 128)
    tlx.async_load(src + offsets, tlx.local_view(tlx.local_alloc((128,), tl.float16, 1), 0))


@triton.jit
def through_buffer(src, dst, BLOCK: tl.constexpr):
    """Copies one block through a buffer."""
    offsets = tl.arange(0, BLOCK)
    buffers = tlx.local_alloc((BLOCK,), tlx.dtype_of(src), 1)
    tlx.local_store(tlx.local_view(buffers, 0), tl.load(src + offsets))
    tl.store(dst + offsets, tlx.local_load(tlx.local_view(buffers, 0)))


@triton.jit
def _pass_through(value, BLOCK: tl.constexpr):
    view = local_view(local_alloc((BLOCK,), value.dtype, 1), 0)
    tlx.local_store(view, value)
    return tlx.local_load(view)


@triton.jit
def through_helpers(src, dst, BLOCK: tl.constexpr):
    """Does the same, but the ops are in a function that it calls."""
    offsets = tl.arange(0, BLOCK)
    tl.store(dst + offsets, _pass_through(tl.load(src + offsets), BLOCK))


@triton.jit
def plain(src, dst, BLOCK: tl.constexpr):
    """Uses no operation of TLX."""
    offsets = tl.arange(0, BLOCK)
    tl.store(dst + offsets, tl.load(src + offsets))
