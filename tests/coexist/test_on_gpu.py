"""Kernels with operations of all four plugins give right numbers."""

import random

import pytest

torch = pytest.importorskip(
    "torch", reason="needs PyTorch and a Hopper GPU; PyTorch cannot be imported"
)

import combined  # noqa: E402
import triton  # noqa: E402

import triton_plugins.layout as layout  # noqa: E402
import triton_plugins.sparsity24 as sp  # noqa: E402
import triton_plugins.warp_spec as warp_spec  # noqa: E402
from tools.testing import hopper  # noqa: E402

pytestmark = hopper.MARKS

# Warps and blocks.
TILES = [(4, 128, 64), (8, 128, 128)]
_draw = random.Random(7)
SHAPES = [tuple(128 * _draw.randint(1, 9) for _ in range(3)) for _ in range(4)]


@pytest.fixture(autouse=True)
def memory_of_descriptors():
    triton.set_allocator(
        lambda size, align, stream: torch.empty(size, dtype=torch.int8, device="cuda")
    )


def normal(*shape, dtype=torch.float16):
    return torch.randn(*shape, device="cuda").to(dtype)


def poisoned(rows, cols):
    return torch.full((rows, cols), float("nan"), device="cuda")


def columns_of(warps, cols):
    """A layout whose threads hold eight neighbours in a row."""
    return layout.blocked([1, 8], [32 // (cols // 8), cols // 8], [warps, 1])


def check(kernel, out, wanted, depth):
    """Sums of `depth` float16 products in float32 differ from exact ones by their order alone; the
    loop must have been specialized, too."""
    assert warp_spec.report(kernel).loops[0]["specialized"]
    torch.testing.assert_close(out.double(), wanted, rtol=1e-5, atol=2e-5 * depth**0.5)


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("depth", [64, 128])
def test_two_products(shape, tile, depth):
    (m, n, k), (warps, bm, bn) = shape, tile
    a, b, c = normal(m, k), normal(n, k), normal(depth, n)
    bias = normal(m, n, dtype=torch.float32)
    dense = sp.prune(normal(m, depth))
    sparse = sp.compress(dense)
    out = poisoned(m, n)
    kernel = combined.two_products[(m // bm, n // bn)](
        *(a, b, sparse.values, sparse.meta.contiguous(), c, bias, out, m, n, k),
        *(bm, bn, 64, depth, columns_of(warps, bn)),
        num_warps=warps,
    )
    wanted = a.double() @ b.double().t() + dense.double() @ c.double() + bias.double()
    check(kernel, out, wanted.relu(), k + depth)


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("shape", SHAPES)
def test_sum_of_matrices(shape, tile):
    (m, n, k), (warps, bm, bn) = shape, tile
    a, b = normal(m, k), normal(k, n)
    dense = sp.prune(normal(m, k))
    sparse = sp.compress(dense)
    out = poisoned(m, n)
    kernel = combined.sum_of_matrices[(m // bm, n // bn)](
        *(a, sparse.values, sparse.meta.t().contiguous(), b, out, m, n, k),
        *(bm, bn, 64, columns_of(warps, bn)),
        num_warps=warps,
    )
    check(kernel, out, (a.double() + dense.double()) @ b.double(), 2 * k)


@pytest.mark.parametrize("warps", [1, 2, 4])
def test_in_tasks(warps):
    m, n, k = 64, 128, 128
    x, y, b = normal(m, n), poisoned(m, n).half(), normal(k, n)
    dense = sp.prune(normal(m, k))
    sparse = sp.compress(dense)
    out = poisoned(m, n)
    combined.in_tasks[(1,)](
        *(x, y, sparse.values, sparse.meta.contiguous(), b, out),
        *(m, n, k, warps, columns_of(warps, n)),
        num_warps=4,
    )
    assert torch.equal(x, y)
    torch.testing.assert_close(out.double(), dense.double() @ b.double(), rtol=1e-5, atol=1e-4)
