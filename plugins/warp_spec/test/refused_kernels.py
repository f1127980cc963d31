"""Kernels with a loop around a product that cannot be specialized, one for each reason."""

import triton
import triton.language as tl


@triton.jit
def under_a_condition(a_ptr, b_ptr, c_ptr, K, B: tl.constexpr):
    """Loads only in every other turn."""
    places = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    acc = tl.zeros((B, B), tl.float32)
    for k in tl.range(0, K):
        a, b = tl.zeros((B, B), tl.float16), tl.zeros((B, B), tl.float16)
        if k % 2 == 0:
            a, b = tl.load(a_ptr + places), tl.load(b_ptr + places)
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + places, acc)


@triton.jit
def volatile(a_ptr, b_ptr, c_ptr, K, B: tl.constexpr):
    """Loads what others may change in between."""
    places = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    acc = tl.zeros((B, B), tl.float32)
    for k in tl.range(0, K):
        a = tl.load(a_ptr + k * B * B + places, volatile=True)
        acc = tl.dot(a, tl.load(b_ptr + k * B * B + places), acc)
    tl.store(c_ptr + places, acc)


@triton.jit
def every_other_element(a_ptr, b_ptr, c_ptr, K, B: tl.constexpr):
    """Loads elements of two bytes with gaps between them."""
    places = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    acc = tl.zeros((B, B), tl.float32)
    for k in tl.range(0, K):
        a = tl.load(a_ptr + 2 * (k * B * B + places))
        acc = tl.dot(a, tl.load(b_ptr + k * B * B + places), acc)
    tl.store(c_ptr + places, acc)


@triton.jit
def descriptor_in_the_loop(a_ptr, b_ptr, c_ptr, K, B: tl.constexpr):
    """Makes a descriptor for each turn."""
    places = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    acc = tl.zeros((B, B), tl.float32)
    for k in tl.range(0, K):
        desc = tl.make_tensor_descriptor(a_ptr + k * B * B, [B, B], [B, 1], [B, B])
        acc = tl.dot(desc.load([0, 0]), tl.load(b_ptr + k * B * B + places), acc)
    tl.store(c_ptr + places, acc)


@triton.jit
def two_loops(a_ptr, b_ptr, c_ptr, K, B: tl.constexpr):
    """Has two loops in the one that could be split; they would share its warps."""
    places = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    for tile in tl.range(0, K):
        acc = tl.zeros((B, B), tl.float32)
        for k in tl.range(0, K):
            at = (tile + k) * B * B + places
            acc = tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at), acc)
        for k in tl.range(0, K):
            at = (tile * k) * B * B + places
            acc = tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at), acc)
        tl.store(c_ptr + tile * B * B + places, acc)
