"""Views, shared storages and products of them on an NVIDIA GPU, against PyTorch."""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip(
    "torch", reason="needs PyTorch and an NVIDIA GPU; PyTorch cannot be imported"
)

from plugins.tlx.test import memory_kernels as kernels  # noqa: E402

NVIDIA = torch.cuda.is_available() and not torch.version.hip
pytestmark = [
    pytest.mark.nvidia,
    pytest.mark.skipif(not NVIDIA, reason="needs an NVIDIA GPU; PyTorch finds none"),
]
hopper = pytest.mark.skipif(
    not (NVIDIA and torch.cuda.get_device_capability()[0] == 9),
    reason="wgmma needs a Hopper GPU",
)


def random(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(shape, device="cuda").to(dtype)


def poisoned(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """An output that is wrong everywhere until a kernel writes it."""
    return torch.full(shape, float("nan"), device="cuda").to(dtype)


def assert_product(found: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> None:
    """Checks `found` against a @ b in float64, relative to the magnitudes that are added."""
    exact = a.double() @ b.double()
    magnitude = a.double().abs() @ b.double().abs()
    assert ((found.double() - exact).abs() <= 2**-16 * magnitude).all()


@pytest.mark.parametrize("dtype", [torch.int8, torch.float16, torch.float32])
@pytest.mark.parametrize(("m", "n"), [(16, 16), (64, 128), (128, 32)])
def test_slices_and_transposed_views(dtype, m, n):
    source = random(m, n).mul(50).to(dtype)
    target = torch.zeros((n, m), dtype=dtype, device="cuda")
    kernels.transpose[(1,)](source, target, M=m, N=n)
    assert torch.equal(target, source.T)


def test_reinterpreted_rows_stay_rows():
    source = random(64, 32)
    target = torch.zeros((64, 64), dtype=torch.int16, device="cuda")
    kernels.reinterpret[(1,)](source, target, M=64, N=32)
    assert torch.equal(target, source.view(torch.int16))


def test_buffers_after_each_other_in_one_memory():
    source, target = random(1024), poisoned(1024)
    kernels.reuse[(1,)](source, target, BLOCK=1024)
    assert torch.equal(target, source * 2)


def test_buffers_of_a_group_do_not_meet():
    block = 256
    source, target = random(6 * block), poisoned(10 * block)
    kernels.overlap[(1,)](source, target, BLOCK=block)
    assert torch.equal(target, torch.cat([source, source[: 4 * block]]))


@hopper
@pytest.mark.parametrize("num_warps", [4, 8])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize(
    ("m", "n", "k"), [(64, 64, 64), (128, 128, 64), (128, 256, 16), (64, 32, 128), (256, 64, 32)]
)
def test_products_of_either_order(m, n, k, dtype, num_warps):
    for a_transposed in (False, True):
        for b_transposed in (False, True):
            a, b, c = random(m, k, dtype=dtype), random(k, n, dtype=dtype), poisoned(m, n)
            kernels.dot_of_views[(1,)](
                a.T.contiguous() if a_transposed else a,
                b.T.contiguous() if b_transposed else b,
                c,
                M=m,
                N=n,
                K=k,
                AT=a_transposed,
                BT=b_transposed,
                num_warps=num_warps,
            )
            assert_product(c, a, b)


@hopper
@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2])
def test_products_of_8_bits_through_transposed_views(dtype):
    a, b, c = random(64, 128, dtype=dtype), random(64, 128, dtype=dtype), poisoned(64, 64)
    kernels.dot_of_views[(1,)](a, b, c, M=64, N=64, K=128, AT=False, BT=True)
    exact, magnitude = a.double() @ b.double().T, a.double().abs() @ b.double().abs().T
    # wgmma adds products of fp8 with fewer bits than float32 has.
    assert ((c.double() - exact).abs() <= 2**-12 * magnitude).all()


@hopper
@pytest.mark.parametrize("num_warps", [4, 8])
@pytest.mark.parametrize(("m", "n", "k"), [(128, 128, 128), (64, 256, 128), (128, 64, 64)])
def test_products_of_slices_in_flight_together(m, n, k, num_warps):
    a, b = random(m, k, dtype=torch.float16), random(k, n, dtype=torch.float16)
    c = poisoned(m, n)
    kernels.dot_of_slices[(1,)](a, b, c, M=m, N=n, K=k, num_warps=num_warps)
    assert_product(c, a, b)


@hopper
@pytest.mark.parametrize("num_warps", [4, 8])
def test_products_of_buffers_that_threads_wrote(num_warps):
    a, b = random(128, 64, dtype=torch.bfloat16), random(64, 128, dtype=torch.bfloat16)
    c = poisoned(128, 128)
    kernels.dot_of_stored[(1,)](a, b, c, M=128, N=128, K=64, num_warps=num_warps)
    assert_product(c, a, b)


@hopper
@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_accumulators_in_branches(n):
    a, b = random(64, 64, dtype=torch.float16), random(64, 64, dtype=torch.float16)
    c = poisoned(64, 64)
    kernels.dot_in_branches[(1,)](a, b, c, n, M=64, N=64, K=64)
    factor = 0.0
    for i in range(n):
        factor = factor + 1 if i % 2 == 0 else factor / 2
    # In float64: a product of halves would be rounded here and not in the kernel.
    assert_product(c, a.double() * factor, b)


@hopper
@pytest.mark.parametrize("n", [1, 2, 3])
def test_accumulators_scaled_between_loops(n):
    a, b = random(64, 64, dtype=torch.float16), random(64, 64, dtype=torch.float16)
    c = poisoned(64, 64)
    kernels.dot_scaled_between_tiles[(1,)](a, b, c, n, M=64, N=64, K=64)
    factor, start = 0.0, 7.0
    for _ in range(n):
        factor, start = (factor + n) / 2, start / 2
    assert_product(c - start, a.double() * factor, b)


@hopper
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize(
    ("d", "m", "n", "num_warps"), [(64, 64, 64, 4), (128, 64, 128, 4), (128, 128, 64, 8)]
)
def test_attention_with_products_in_flight(d, m, n, num_warps, dtype):
    steps = 5
    q = random(m, d, dtype=dtype)
    k, v = random(steps * n, d, dtype=dtype), random(steps * n, d, dtype=dtype)
    out = poisoned(m, d, dtype=dtype)
    scale = 1 / math.sqrt(d)
    kernels.attention[(1,)](
        q, k, v, out, scale / math.log(2), steps, D=d, M=m, N=n, num_warps=num_warps
    )
    exact = torch.softmax(q.double() @ k.double().T * scale, 1) @ v.double()
    assert (out.double() - exact).abs().max() <= 2 ** (-8 if dtype == torch.float16 else -5)


@hopper
@pytest.mark.parametrize("size", [16, 1008, 1024])
def test_copies_in_bulk(size):
    source, target = random(256), poisoned(256)
    kernels.stored_in_bulk[(1,)](source, target, size, BLOCK=256)
    assert torch.equal(target[: size // 4], source[: size // 4])
    assert target[size // 4 :].isnan().all()
