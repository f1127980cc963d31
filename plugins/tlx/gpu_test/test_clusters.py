"""Clusters of blocks on a Hopper GPU."""

from __future__ import annotations

import pytest

torch = pytest.importorskip(
    "torch", reason="needs PyTorch and an NVIDIA GPU; PyTorch cannot be imported"
)

from triton.tools.tensor_descriptor import TensorDescriptor  # noqa: E402

from plugins.tlx.test import cluster_kernels as kernels  # noqa: E402
from tools.testing import hopper  # noqa: E402

pytestmark = hopper.MARKS


def poisoned(*shape: int, dtype: torch.dtype = torch.float16) -> torch.Tensor:
    """An output that is wrong everywhere until a kernel writes it."""
    return torch.full(shape, float("nan"), device="cuda", dtype=dtype)


@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_every_block_is_a_program(size):
    clusters = 5
    rows = torch.full((clusters * size, 4), -1, device="cuda", dtype=torch.int32)
    kernels.ranks[(clusters,)](rows, num_ctas=size)
    programs = torch.arange(clusters * size, device="cuda", dtype=torch.int32)
    assert torch.equal(rows[:, 0], programs)
    assert (rows[:, 1] == clusters * size).all()
    assert torch.equal(rows[:, 2], programs % size)
    assert (rows[:, 3] == size).all()


def test_blocks_take_turns():
    rounds, clusters = 9, 300
    order = torch.zeros(clusters, device="cuda", dtype=torch.int32)
    kernels.turns[(clusters,)](order, ROUNDS=rounds, num_ctas=2)
    expected = 0
    for _ in range(rounds):
        for rank in range(2):
            expected = expected * 3 + rank
    assert (order == expected).all(), order.unique()


@pytest.mark.parametrize("tasks", [False, True])
def test_cluster_barriers(tasks):
    rounds, clusters = 20, 100
    words = torch.zeros(clusters * 2, rounds, device="cuda", dtype=torch.int32)
    seen = torch.full((clusters * 2, rounds), -1, device="cuda", dtype=torch.int32)
    kernels.barriers[(clusters,)](words, seen, ROUNDS=rounds, TASKS=tasks, num_ctas=2)
    # Each sees what the other wrote before the barrier.
    expected = words.view(clusters, 2, rounds).flip(1).reshape(clusters * 2, rounds)
    assert torch.equal(seen, expected)
    assert (words > 0).all()


@pytest.mark.parametrize("columns", [64, 128])
def test_a_copy_goes_to_both_blocks(columns):
    rows, clusters = 64, 70
    source = torch.randn(clusters * 2 * rows, columns, device="cuda").half()
    target = poisoned(clusters * 4 * rows, columns)
    block = [rows, columns]
    kernels.shared_rows[(clusters,)](
        TensorDescriptor.from_tensor(source, block),
        TensorDescriptor.from_tensor(target, block),
        ROWS=rows,
        COLUMNS=columns,
        num_ctas=2,
    )
    pairs = source.view(clusters, 1, 2 * rows, columns).expand(-1, 2, -1, -1)
    assert torch.equal(target.view(clusters, 2, 2 * rows, columns), pairs)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int8, torch.float64])
@pytest.mark.parametrize(("rows", "columns"), [(1, 16), (16, 64), (128, 32)])
@pytest.mark.parametrize("how", ["async", "store", "load"])
def test_blocks_exchange_tiles(how, rows, columns, dtype):
    clusters = 150
    shape = clusters * 2 * rows, columns
    source = torch.randint(-100, 100, shape, device="cuda").to(dtype)
    target = torch.full(shape, 77, device="cuda", dtype=dtype)
    kernels.exchange[(clusters,)](source, target, ROWS=rows, COLUMNS=columns, HOW=how, num_ctas=2)
    pairs = source.view(clusters, 2, rows, columns).flip(1)
    assert torch.equal(target.view(clusters, 2, rows, columns), pairs)


@pytest.mark.parametrize(
    ("m", "n", "k", "stages"),
    [(256, 128, 64, 2), (512, 384, 1024, 2), (1024, 200, 520, 3), (2048, 1024, 2048, 4)],
)
def test_gemm_that_shares_a_tile(m, n, k, stages):
    a = torch.randn(m, k, device="cuda").half()
    b = torch.randn(k, n, device="cuda").half()
    exact = a.double() @ b.double()
    bound = 2**-10 * exact.abs() + 2**-20 * (a.double().abs() @ b.double().abs())
    for _ in range(10):
        c = poisoned(m, n)
        programs = m // 128 * -(-n // 128)
        kernels.gemm[(programs // 2,)](
            TensorDescriptor.from_tensor(a, [128, 64]),
            TensorDescriptor.from_tensor(b, [64, 64]),
            c,
            m,
            n,
            k,
            BM=128,
            BN=128,
            BK=64,
            STAGES=stages,
            num_ctas=2,
        )
        assert ((c - exact).abs() <= bound).all()
