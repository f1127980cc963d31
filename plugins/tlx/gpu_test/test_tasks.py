"""Kernels with tasks on an NVIDIA GPU, against PyTorch."""

from __future__ import annotations

import pytest

torch = pytest.importorskip(
    "torch", reason="needs PyTorch and an NVIDIA GPU; PyTorch cannot be imported"
)

from plugins.tlx.test import task_kernels as kernels  # noqa: E402
from tools.testing import hopper  # noqa: E402

pytestmark = hopper.MARKS


def poisoned(*shape: int) -> torch.Tensor:
    """An output that is wrong everywhere until a kernel writes it."""
    return torch.full(shape, float("nan"), device="cuda")


@pytest.mark.parametrize("registers", [None, 24, 230])
@pytest.mark.parametrize("warps", [1, 2, 4, 8])
def test_tasks_of_any_number_of_warps(warps, registers):
    if registers == 230 and warps == 8:
        pytest.skip("16 warps of 230 registers are more than a CTA has")
    source, target = torch.randn(3, 1024, device="cuda"), poisoned(3, 1024)
    kernels.copies[(1,)](source, target, BLOCK=1024, WARPS=warps, REGISTERS=registers)
    source[1:] *= 2
    assert torch.equal(source, target)


@pytest.mark.parametrize("warps", [1, 2, 4, 8])
def test_layouts_of_any_number_of_warps(warps):
    source, target = torch.randn(32, 64, device="cuda"), poisoned(64)
    kernels.shapes[(1,)](source, target, WARPS=warps)
    exact = source.double()
    sums = (exact @ exact.T).reshape(16, 64).sum(0)
    pairs = torch.stack([sums, sums.cumsum(0)], dim=-1).T.reshape(64, 2)
    low, high = pairs.unbind(-1)
    expected = low - high + low.flip(0)
    scale = (exact.abs() @ exact.abs().T).sum()
    assert ((target - expected).abs() <= 2**-18 * scale).all()


@pytest.mark.parametrize("n", [1, 2, 5])
def test_functions_in_tasks_in_a_loop(n):
    block = 256
    source = torch.randn(4, n, block, device="cuda")
    target = poisoned(4, n, block)
    kernels.functions[(1,)](source, target, n, BLOCK=block)
    expected = poisoned(4, n, block)
    expected[0], expected[1] = source[0] * 3, source[1] * 4
    for j in range(2):
        others = [i for i in range(n) if i != j]
        expected[2 + j, others] = source[2 + j, others] * 3
    assert torch.equal(expected.nan_to_num(7.5), target.nan_to_num(7.5))


@pytest.mark.parametrize("block", [128, 256])
def test_several_groups_of_tasks(block):
    source, target = torch.randn(4, block, device="cuda"), poisoned(4, block)
    kernels.several[(1,)](source, target, BLOCK=block)
    if block == 128:
        source[1] = source[0]
    assert torch.equal(source, target)


@pytest.mark.parametrize(
    ("n", "k", "num_warps"), [(64, 64, 4), (64, 64, 8), (128, 64, 8), (256, 128, 4)]
)
def test_products_of_two_tasks(n, k, num_warps):
    a, b = torch.randn(128, k, device="cuda").half(), torch.randn(k, n, device="cuda").half()
    c = poisoned(128, n)
    kernels.products[(1,)](a, b, c, N=n, K=k, num_warps=num_warps)
    exact, magnitude = a.double() @ b.double(), a.double().abs() @ b.double().abs()
    assert ((c - exact).abs() <= 2**-20 * magnitude).all()
