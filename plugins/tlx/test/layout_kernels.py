"""Kernels that name layouts."""

import triton
import triton.language as tl

import triton_plugins.tlx as tlx


@triton.jit
def _half(value, layout: tl.constexpr):
    return tlx.require_layout(value * 0.5, layout)


@triton.jit
def through_buffer(src, dst, M: tl.constexpr, N: tl.constexpr, layout: tl.constexpr):
    """Copies a matrix through a buffer of a given layout."""
    offsets = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    buffers = tlx.local_alloc((M, N), tlx.dtype_of(src), 2, layout=layout)
    tlx.local_store(buffers[1], tl.load(src + offsets))
    tl.store(dst + offsets, tlx.local_load(buffers[1]))


@triton.jit
def default_layouts(src, dst, M: tl.constexpr, N: tl.constexpr):
    """The same, with layouts that the kernel makes."""
    offsets = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    plain: tl.constexpr = tlx.swizzled_shared_layout_encoding.make_default(rank=2)
    first = tlx.local_alloc((M, N), tlx.dtype_of(src), 1, layout=plain)
    swizzled = tlx.local_alloc((M, N), tlx.dtype_of(src), 1, layout=tlx.swizzled_layout(3, 2, 5))
    tlx.local_store(first[0], tl.load(src + offsets))
    tlx.local_store(swizzled[0], tlx.local_load(first[0]))
    tl.store(dst + offsets, tlx.local_load(swizzled[0]))


@triton.jit
def required(src, dst, layout: tl.constexpr):
    """Halves a 32x32 matrix in a layout."""
    offsets = tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :]
    half = _half(tl.load(src + offsets), layout)
    tl.store(dst + offsets, half + tlx.zeros((32, 32), tl.float32, layout))


@triton.jit
def pinned(src, dst, layout: tl.constexpr, PIN: tl.constexpr):
    """Halves a 32x32 matrix in a layout that nothing around has a use for."""
    offsets = tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :]
    half = tlx.require_layout(tl.load(src + offsets), layout, pin=PIN) * 0.5
    tl.store(dst + offsets, half)


@triton.jit
def reinterpreted(src, dst, layout: tl.constexpr):
    """Reads a matrix's memory in a layout of its own."""
    offsets = tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :]
    buffers = tlx.local_alloc((32, 32), tl.float32, 1)
    tlx.local_store(buffers[0], tl.load(src + offsets))
    other = tlx.local_reinterpret(buffers[0], tl.float32, layout=layout)
    tl.store(dst + offsets, tlx.local_load(other))


@triton.jit
def operands(src, dst, VERSION: tl.constexpr, K: tl.constexpr):
    """Squares a 64x64 matrix with AMD's matrix instructions, from operands in their layout."""
    offsets = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    buffers = tlx.local_alloc((64, 64), tl.float16, 1)
    tlx.local_store(buffers[0], tl.load(src + offsets))
    mfma: tl.constexpr = tlx.amd_mfma_layout(VERSION, [16, 16, K], True, [2, 2])
    left = tlx.local_load(buffers[0], layout=tlx.dot_operand_layout(0, mfma, 8))
    right = tlx.local_load(buffers[0], layout=tlx.dot_operand_layout(1, mfma, 8))
    square = tlx.release_layout(tl.dot(left, right))
    tl.store(dst + offsets, square.to(tl.float16))


@triton.jit
def other_warps(src, dst):
    """Asks for a layout of two warps."""
    offsets = tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :]
    layout: tl.constexpr = tlx.layout(shape=((32, 2), (16,)), stride=((32, 1), (2,)))
    tl.store(dst + offsets, tlx.require_layout(tl.load(src + offsets), layout))


@triton.jit
def vector_layout(src):
    """Gives a matrix a vector's layout."""
    tlx.local_alloc(
        (64, 64), tlx.dtype_of(src), 1, layout=tlx.swizzled_shared_layout_encoding(1, 1, 1, [0])
    )


@triton.jit
def same_layouts(src, dst, LAYOUT: tl.constexpr, OTHER: tl.constexpr):
    """Claims that a loaded tensor and its double are laid out alike, and like a layout."""
    offsets = tl.arange(0, 1024)
    value = tl.load(src + offsets)
    double = value * 2
    tlx.assert_same_layout(value, double)
    buffers = tlx.local_alloc((1024,), tl.float32, 1)
    tlx.local_store(buffers[0], double)
    tlx.assert_same_layout(buffers[0], OTHER)
    tlx.assert_same_layout(double, LAYOUT)
    tl.store(dst + offsets, tlx.local_load(buffers[0]))


@triton.jit
def two_layouts(src, dst, FIRST: tl.constexpr, SECOND: tl.constexpr):
    """Claims that what it pins to two layouts has one."""
    offsets = tl.arange(0, 1024)
    value = tl.load(src + offsets)
    first = tlx.require_layout(value, FIRST, pin=True)
    second = tlx.require_layout(value, SECOND, pin=True)
    tlx.assert_same_layout(first, FIRST)
    tlx.assert_same_layout(first, second)
    tl.store(dst + offsets, first + second)


@triton.jit
def layout_of_nothing(src, dst):
    tlx.assert_same_layout(1.0, src)
