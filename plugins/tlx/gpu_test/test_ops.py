"""Single TLX ops on an NVIDIA GPU, against PyTorch."""

from __future__ import annotations

import pytest

torch = pytest.importorskip(
    "torch", reason="needs PyTorch and an NVIDIA GPU; PyTorch cannot be imported"
)

from plugins.tlx.test import kernels, warp_kernels  # noqa: E402

NVIDIA = torch.cuda.is_available() and not torch.version.hip
pytestmark = [
    pytest.mark.nvidia,
    pytest.mark.skipif(not NVIDIA, reason="needs an NVIDIA GPU; PyTorch finds none"),
]
HOPPER = NVIDIA and torch.cuda.get_device_capability()[0] == 9

# Relative to the sum of the magnitudes of what is added, like the rounding errors of the inputs.
BOUNDS = {torch.float32: 2**-20, torch.float16: 2**-10, torch.int32: 0.0}


def random(shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    """A fresh random tensor of any dtype."""
    if not dtype.is_floating_point:
        return torch.randint(-128, 128, shape, device="cuda").to(dtype)
    return torch.randn(shape, device="cuda").to(dtype)


def poisoned(shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    """An output that is wrong everywhere until a kernel writes it."""
    return torch.full(
        shape, float("nan") if dtype.is_floating_point else -(2**31), dtype=dtype
    ).cuda()


@pytest.mark.parametrize("offset", [0, 1, 3, 8])
@pytest.mark.parametrize("dtype", [torch.int8, torch.float16, torch.float32])
def test_copies_of_every_alignment(dtype, offset):
    block, num = 512, 3
    source = random((block * num + offset,), dtype)[offset:]
    target = torch.zeros(block * num, dtype=dtype, device="cuda") - 1
    kernels.copy[(1,)](source, target, BLOCK=block, NUM=num)
    assert torch.equal(source, target)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_loops_and_branches_carry_views(n):
    block = 512
    source = random((block * (n + 1),), torch.float32)
    target = torch.zeros(block * n, device="cuda") - 1
    kernels.carried[(1,)](source, target, n, BLOCK=block)
    # From the second block on the kernel copies n elements; a masked copy writes zeros.
    expected = source[: block * n].clone().view(n, block)
    expected[1:, n:] = 0
    assert torch.equal(target, expected.flatten())


@pytest.mark.parametrize("chosen", [[], [2], [0, 3], [0, 1, 2, 3]])
def test_warps_branch_by_themselves(chosen):
    # A row is a warp's.
    src = -torch.rand(4, 32, device="cuda") - 0.1
    for row in chosen:
        src[row, 7 * row] = 1.0
    dst = torch.full_like(src, float("nan"))
    warp_kernels.branches[(1,)](src, dst, ROWS=4, AXIS=1, num_warps=4)
    expected = src.clone()
    expected[chosen] += src[chosen].sum(1, keepdim=True)
    torch.testing.assert_close(dst, expected)


@pytest.mark.skipif(not HOPPER, reason="wgmma needs a Hopper GPU")
@pytest.mark.parametrize("kernel", [kernels.dot_of_registers, kernels.dot_of_columns])
@pytest.mark.parametrize(
    ("dtype", "out"),
    [
        (torch.float16, torch.float16),
        (torch.float16, torch.float32),
        (torch.bfloat16, torch.float32),
        (torch.float32, torch.float32),
        (torch.float8_e4m3fn, torch.float32),
        (torch.float8_e5m2, torch.float32),
        (torch.int8, torch.int32),
    ],
)
@pytest.mark.parametrize(("m", "n", "k"), [(64, 64, 64), (128, 32, 128), (256, 128, 32)])
def test_products_of_every_dtype(kernel, dtype, out, m, n, k):
    a, b = random((m, k), dtype), random((n, k), dtype)
    c = poisoned((m, n), out)
    kernel[(1,)](a, b, c, M=m, N=n, K=k)
    exact = a.double() @ b.double().T
    magnitude = a.double().abs() @ b.double().abs().T
    bound = BOUNDS[out]
    if dtype == torch.float32:
        bound = 2**-9  # tf32 keeps 10 bits of each factor.
    elif dtype in (torch.float8_e4m3fn, torch.float8_e5m2):
        # wgmma adds products of fp8 with fewer bits than float32 has: of 200 draws the worst was
        # 2**-11.1 off, and cuBLAS's product (with fast accumulation) the same to the bit.
        bound = 2**-10
    assert ((c.double() - exact).abs() <= bound * magnitude).all()
