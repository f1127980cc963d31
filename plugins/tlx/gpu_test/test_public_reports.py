"""Bugs that users of TLX have reported elsewhere, and the kernel of docs/tlx_model.md, on a GPU."""

from __future__ import annotations

import pytest

torch = pytest.importorskip(
    "torch", reason="needs PyTorch and a Hopper GPU; PyTorch cannot be imported"
)

from triton.tools.tensor_descriptor import TensorDescriptor  # noqa: E402

from plugins.tlx.test import barrier_kernels, model_page, report_kernels  # noqa: E402
from tools.testing import hopper  # noqa: E402

pytestmark = hopper.MARKS


def integers(rows: int, cols: int) -> torch.Tensor:
    """Random numbers whose products have exact sums."""
    return torch.randint(-4, 5, (rows, cols), device="cuda").to(torch.float16)


def poisoned(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """An output that is wrong everywhere until a kernel writes it."""
    return torch.full(shape, float("nan"), device="cuda").to(dtype)


@pytest.mark.parametrize(("number", "delay"), [(1, 0), (2, 0), (2, 1), (3, 1)])
def test_1278_products_read_what_was_loaded_for_them(number, delay):
    size, steps = 64, 24
    for _ in range(200):
        a, b = integers(size, size * steps), integers(size * steps, size)
        found = poisoned(size, size)
        barrier_kernels.ring[(1,)](
            TensorDescriptor.from_tensor(a, [size, size]),
            TensorDescriptor.from_tensor(b, [size, size]),
            found,
            steps,
            SIZE=size,
            NUM=number,
            RELEASES=1,
            FIRST=1,
            TURN=1,
            BYTES=4 * size * size,
            PENDING=delay,
            DELAY=delay,
        )
        assert torch.equal(found.double(), a.double() @ b.double())


def test_462_barriers_have_slots_of_their_own():
    found = torch.full((1024,), -1, dtype=torch.int32, device="cuda")
    report_kernels.one_of_two[(1,)](found, BLOCK=1024)
    assert torch.equal(found, torch.arange(1, 1025, dtype=torch.int32, device="cuda"))


@pytest.mark.parametrize("n", [0, 1, 500, 1023, 1024])
def test_2902_masked_elements_are_zero_without_other(n):
    source, found = torch.randn(1024, device="cuda"), poisoned(1024)
    report_kernels.masked[(1,)](source, found, n, BLOCK=1024)
    assert torch.equal(found[:n], source[:n])
    assert torch.equal(found[n:], torch.zeros_like(found[n:]))


@pytest.mark.parametrize("size", [32, 256])
def test_216_vectors_that_tma_fills(size):
    source, found = torch.randn(size, device="cuda"), poisoned(size)
    report_kernels.vector[(1,)](TensorDescriptor.from_tensor(source, [size]), found, SIZE=size)
    assert torch.equal(found, source)


@pytest.mark.parametrize(("m", "n", "k"), [(128, 128, 64), (200, 136, 1000), (1024, 512, 2048)])
def test_the_kernel_of_the_page(tmp_path, m, n, k):
    kernel = model_page.kernel(tmp_path)
    for _ in range(20):
        a, b, c = integers(m, k), integers(k, n), poisoned(m, n, dtype=torch.float16)
        kernel[(-(-m // 128), -(-n // 128))](
            TensorDescriptor.from_tensor(a, [128, 64]),
            TensorDescriptor.from_tensor(b, [64, 128]),
            TensorDescriptor.from_tensor(c, [128, 128]),
            k,
            BLOCK=128,
            BK=64,
            NUM=3,
        )
        assert torch.equal(c, (a.double() @ b.double()).to(torch.float16))
