"""Single TLX ops on an AMD GPU, against PyTorch."""

from __future__ import annotations

import pytest

torch = pytest.importorskip(
    "torch", reason="needs PyTorch and an AMD Instinct GPU; PyTorch cannot be imported"
)

from plugins.tlx.test import amd_kernels, kernels  # noqa: E402

AMD = torch.cuda.is_available() and bool(torch.version.hip)
pytestmark = [
    pytest.mark.amd,
    pytest.mark.skipif(not AMD, reason="needs an AMD GPU; PyTorch finds none"),
]


def poisoned(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """An output that is wrong everywhere until a kernel writes it."""
    return torch.full(shape, float("nan"), dtype=dtype, device="cuda")


@pytest.mark.parametrize("n", [1, 3001, 4096])
def test_buffer_loads_and_stores(n):
    source, target = torch.randn(4096, device="cuda"), poisoned(4096)
    amd_kernels.buffer_copy[(4,)](source, target, n, BLOCK=1024, GROUP=1)
    expected = source.clone()
    expected[n:] = 1
    assert torch.equal(target, expected)


@pytest.mark.parametrize("rows", [1, 37, 64])
def test_buffer_loads_to_local_fill_with_zeros(rows):
    source = torch.randn(64, 64, device="cuda").half()
    target = poisoned(64, 64, dtype=torch.float16)
    amd_kernels.buffer_copy_to_local[(1,)](source, target, rows, ROWS=64, COLS=64)
    expected = source.clone()
    expected[rows:] = 0
    assert torch.equal(target, expected)


@pytest.mark.parametrize("rows", [0, 1, 37, 64])
def test_masked_copies_of_far_rows_fill_with_zeros(rows):
    source = torch.randn(64, 4096, device="cuda").half()
    target = poisoned(64, 64, dtype=torch.float16)
    amd_kernels.copy_of_far_rows[(1,)](source, target, source.stride(0), rows, ROWS=64, COLS=64)
    expected = source[:, :64].clone()
    expected[rows:] = 0
    assert torch.equal(target, expected)


@pytest.mark.parametrize("dtype", [torch.int32, torch.float32, torch.float16, torch.bfloat16])
def test_buffer_atomics(dtype):
    source = torch.randint(0, 50, (1000,), device="cuda", dtype=torch.int32)
    counts = torch.zeros(50, device="cuda", dtype=dtype)
    amd_kernels.histogram[(4,)](source, counts, 1000, BLOCK=256)
    assert torch.equal(counts.long(), torch.bincount(source, minlength=50))


def test_pointers_from_a_table():
    sources = [torch.randn(1024, device="cuda") for _ in range(3)]
    table = torch.tensor([source.data_ptr() for source in sources], device="cuda")
    target = poisoned(3, 1024)
    amd_kernels.through_table[(3,)](table, target, BLOCK=1024)
    assert torch.equal(target, torch.stack(sources))


@pytest.mark.parametrize("steps", [1, 2, 3, 17])
def test_stages(steps):
    # Tiles of every step lie behind each other, those of b by columns.
    a, b = (torch.randn(steps, 128, 32, device="cuda").half() for _ in range(2))
    out = poisoned(128, 128)
    amd_kernels.staged[(1,)](a, b, out, steps, BLOCK=128, K=32, PRIORITY=1, num_warps=8)
    expected = (a.double() @ b.double().mT).sum(0)
    assert ((out.double() - expected).abs() <= 1e-5 * steps * 32).all()


@pytest.mark.parametrize(
    "part", [(16, 32, 16, 32), (0, 0, 64, 32), (32, 63, 32, 1), (48, 0, 16, 64)]
)
def test_slices(part):
    row, col, rows, cols = part
    source, target = torch.randn(64, 64, device="cuda"), poisoned(rows, cols)
    amd_kernels.slices[(1,)](source, target, ROW=row, COL=col, ROWS=rows, COLS=cols)
    assert torch.equal(target, source[row : row + rows, col : col + cols])


def test_hints_change_nothing():
    a, b = (torch.randn(64, 64, device="cuda").half() for _ in range(2))
    out = poisoned(64, 64)
    amd_kernels.hinted[(1,)](a, b, out, SIZE=64, ROLE="persistent", CLASS="agpr")
    expected = 3 * (a.double() @ b.double()) + 4
    assert ((out.double() - expected).abs() <= 1e-4).all()


@pytest.mark.parametrize("offset", [0, 1, 3, 8])
@pytest.mark.parametrize("dtype", [torch.int8, torch.float16, torch.float32])
def test_copies_of_every_alignment(dtype, offset):
    block, num = 512, 3
    source = torch.randint(-100, 100, (block * num + offset,), device="cuda").to(dtype)[offset:]
    target = torch.zeros(block * num, dtype=dtype, device="cuda") - 1
    kernels.copy[(1,)](source, target, BLOCK=block, NUM=num)
    assert torch.equal(source, target)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_loops_and_branches_carry_views_and_masked_copies_write_zeros(n):
    block = 512
    source = torch.randn(block * (n + 1), device="cuda")
    target = poisoned(block * n)
    kernels.carried[(1,)](source, target, n, BLOCK=block)
    expected = source[: block * n].clone().view(n, block)
    expected[1:, n:] = 0
    assert torch.equal(target, expected.flatten())
