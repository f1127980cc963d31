"""Specialized kernels give the very numbers of the plain ones."""

import random

import pytest

torch = pytest.importorskip(
    "torch", reason="needs PyTorch and a Hopper GPU; PyTorch cannot be imported"
)

import triton  # noqa: E402

import triton_plugins.warp_spec as warp_spec  # noqa: E402
from plugins.warp_spec.test import kernels  # noqa: E402
from tools.testing import hopper  # noqa: E402

pytestmark = hopper.MARKS

_draw = random.Random(24)
SHAPES = [tuple(64 * _draw.randint(1, 24) for _ in range(3)) for _ in range(10)]
TILES = [(4, 64, 128), (4, 128, 128), (8, 128, 256), (8, 256, 128)]


@pytest.fixture(autouse=True)
def memory_of_descriptors():
    triton.set_allocator(
        lambda size, align, stream: torch.empty(size, dtype=torch.int8, device="cuda")
    )


def poisoned(rows, cols, dtype):
    return torch.full((rows, cols), float("nan"), device="cuda", dtype=dtype)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("shape", SHAPES)
def test_gemm_with_descriptors(shape, tile, dtype):
    (m, n, k), (warps, bm, bn) = shape, tile
    a = torch.randn(m, k, device="cuda", dtype=dtype)
    b = torch.randn(n, k, device="cuda", dtype=dtype)
    # Tiles at the edge read past N.
    bias = torch.randn(n + bn, device="cuda", dtype=dtype)
    grid = (min(132, triton.cdiv(m, bm) * triton.cdiv(n, bn)),)
    results = []
    for kernel in (kernels.descriptor_gemm, warp_spec.specialize(kernels.descriptor_gemm)):
        c = poisoned(m, n, dtype)
        kernel[grid](a, b, c, bias, m, n, k, bm, bn, 64, num_warps=warps)
        results.append(c)
    assert torch.equal(*results)
    wanted = (a.double() @ b.double().t() + bias[:n]).relu()
    torch.testing.assert_close(results[1].double(), wanted, rtol=2e-2, atol=2e-2 * k**0.5)


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("shape", SHAPES)
def test_gemm_with_pointers(shape, tile):
    (m, n, k), (warps, bm, bn) = shape, tile
    a = torch.randn(m, k, device="cuda", dtype=torch.float16)
    # Tiles at the edge read past N.
    b = torch.randn(k + 1, n, device="cuda", dtype=torch.float16)
    grid = (triton.cdiv(m, bm), n // 64 * 64 // bn or 1)
    results = []
    for kernel in (kernels.pointer_gemm, warp_spec.specialize(kernels.pointer_gemm)):
        c = torch.zeros(m, n, device="cuda", dtype=torch.float16)
        kernel[grid](a, b, c, m, n, k, bm, bn, 64, num_warps=warps)
        results.append(c)
    assert torch.equal(*results)


@pytest.mark.parametrize("warps", [4, 8])
@pytest.mark.parametrize("dim", [64, 128])
@pytest.mark.parametrize("length", [128, 384, 2048])
def test_attention(length, dim, warps):
    q, k, v = (torch.randn(length, dim, device="cuda", dtype=torch.float16) for _ in range(3))
    results = []
    for kernel in (kernels.attention, warp_spec.specialize(kernels.attention)):
        o = poisoned(length, dim, torch.float16)
        kernel[(length // 128,)](q, k, v, o, length, 1.44 / 8, 128, 128, dim, num_warps=warps)
        results.append(o)
    assert torch.equal(*results)


@pytest.mark.parametrize("tile", [(8, 128, 256), (4, 128, 128)])
def test_few_buffers_many_times(tile):
    """A buffer that is given back while a product still reads it is seen when the ring is short."""
    warps, bm, bn = tile
    m, n, k = 512, 512, 4096
    a = torch.randn(m, k, device="cuda", dtype=torch.float16)
    b = torch.randn(n, k, device="cuda", dtype=torch.float16)
    bias = torch.randn(n, device="cuda", dtype=torch.float16)
    grid = (m // bm * (n // bn),)
    args = (a, b, poisoned(m, n, a.dtype), bias, m, n, k, bm, bn, 64)
    kernels.descriptor_gemm[grid](*args, num_warps=warps)
    wanted = args[2].clone()
    specialized = warp_spec.specialize(kernels.descriptor_gemm, buffers=2)
    for _ in range(100):
        args[2].fill_(float("nan"))
        specialized[grid](*args, num_warps=warps)
        assert torch.equal(args[2], wanted)
