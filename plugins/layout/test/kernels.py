"""Kernels of the tests."""

import triton
import triton.language as tl

import triton_plugins.layout as layout


@triton.jit
def copy_2d(x, y, M: tl.constexpr, N: tl.constexpr, L: tl.constexpr):
    """A copy through a pinned layout."""
    offsets = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(y + offsets, layout.pin(tl.load(x + offsets), L))


@triton.jit
def pin_in_loop(x, y, n, M: tl.constexpr, N: tl.constexpr, L: tl.constexpr):
    """A sum that is pinned in every iteration."""
    offsets = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    total = tl.zeros((M, N), tl.float32)
    for _ in range(n):
        total = layout.pin(total + tl.load(x + offsets), L)
        x += M * N
    tl.store(y + offsets, total)


@triton.jit
def release(x, y, M: tl.constexpr, N: tl.constexpr, L: tl.constexpr):
    """A pin that ends."""
    offsets = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    value = layout.release(layout.pin(tl.load(x + offsets), L) * 2)
    tl.store(y + offsets, value + 1)


@triton.jit
def product_like(a, b, c, d, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """A bias in the layout of the product that it is added to."""
    rm, rn, rk = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    product = tl.dot(
        tl.load(a + rm[:, None] * K + rk[None, :]), tl.load(b + rk[:, None] * N + rn[None, :])
    )
    bias = tl.load(c + rm[:, None] * N + rn[None, :])
    bias = layout.convert(bias, layout.like(product), via="shared")
    tl.store(d + rm[:, None] * N + rn[None, :], product + bias)


@triton.jit
def built_in_kernel(x, y, M: tl.constexpr, N: tl.constexpr):
    """Layouts that the kernel makes itself."""
    L: tl.constexpr = layout.blocked([1, 4], [8, 4], [4, 1])
    offsets = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    value = layout.pin(tl.load(x + offsets), L)
    rows = layout.assert_trivial(tl.sum(value, 1), layout.slice(1, L))
    tl.store(y + tl.arange(0, M), rows)


@triton.jit
def trivial(x, y, M: tl.constexpr, N: tl.constexpr, L: tl.constexpr, R: tl.constexpr):
    """An assertion on what is pinned to another layout."""
    offsets = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    value = layout.assert_trivial(layout.pin(tl.load(x + offsets), L), R)
    tl.store(y + offsets, value)


@triton.jit
def there_and_back(
    x,
    y,
    SHAPE: tl.constexpr,
    RANK: tl.constexpr,
    FROM: tl.constexpr,
    TO: tl.constexpr,
    VIA: tl.constexpr,
):
    """A copy through two layouts and back, the value held in each."""
    size: tl.constexpr = SHAPE[0] * SHAPE[1] * SHAPE[2] * SHAPE[3]
    offsets = tl.reshape(tl.arange(0, size), SHAPE[4 - RANK :])
    value = layout.pin(tl.load(x + offsets), FROM)
    value = layout.convert(value, TO, via=VIA)
    value = layout.convert(value, FROM, via=VIA)
    tl.store(y + offsets, value)


@triton.jit
def move(
    x, y, M: tl.constexpr, N: tl.constexpr, FROM: tl.constexpr, TO: tl.constexpr, VIA: tl.constexpr
):
    """A copy that is loaded in one layout and stored in another."""
    offsets = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    value = layout.pin(tl.load(x + layout.pin(offsets, FROM)), FROM)
    value = layout.convert(value, TO, via=VIA)
    tl.store(y + layout.pin(offsets, TO), value)


@triton.jit
def wrong_argument(x, KIND: tl.constexpr):
    """Calls that Python refuses."""
    value = tl.load(x + tl.arange(0, 128))
    if KIND == "scalar":
        layout.pin(tl.load(x), layout.blocked([1], [32], [4]))
    elif KIND == "no layout":
        layout.pin(value, "blocked")
    elif KIND == "rank":
        layout.pin(value, layout.blocked([1, 1], [1, 32], [4, 1]))
    elif KIND == "via":
        layout.convert(value, layout.blocked([1], [32], [4]), via="telepathy")
    elif KIND == "shared":
        layout.pin(value, layout.swizzled(1, 1, 1, [0]))
    elif KIND == "text":
        layout.pin(value, layout.blocked([3], [32], [4]))
