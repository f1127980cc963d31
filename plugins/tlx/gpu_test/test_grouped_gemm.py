"""The grouped Hopper GEMM on random lists of problems, against a float64 reference."""

import random

import pytest

torch = pytest.importorskip(
    "torch", reason="needs PyTorch and a Hopper GPU; PyTorch cannot be imported"
)

from bench import harness  # noqa: E402
from examples.hopper_grouped_gemm import grouped_matmul  # noqa: E402
from tools.testing import hopper  # noqa: E402

pytestmark = hopper.MARKS


def assert_right(shapes: list[tuple[int, int, int]], dtype: torch.dtype):
    generator = torch.Generator(device="cuda").manual_seed(len(shapes))
    pairs = [harness.Problem(*shape, dtype).inputs(generator) for shape in shapes]
    results = grouped_matmul([a for a, _ in pairs], [b for _, b in pairs])
    for (a, b), result in zip(pairs, results, strict=True):
        check = harness.check(lambda _a, _b, out, result=result: out.copy_(result), a, b)
        assert check.passed, (
            f"{tuple(a.shape)} @ {tuple(b.shape)}: the largest error is {check.worst:.3g} of its "
            "bound"
        )


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
@pytest.mark.parametrize("count", range(1, 21))
def test_random_problems(count, dtype):
    draw = random.Random(count)
    # Every fourth problem is of a size that TMA cannot read.
    assert_right(
        [
            tuple(
                -(-round(2000 ** draw.random()) // step) * step
                for step in (1, *((1, 1) if index % 4 == 3 else (8, 8)))
            )
            for index in range(count)
        ],
        dtype,
    )


def test_more_problems_than_programs():
    assert_right([(64, 128, 64)] * 300, torch.float16)


def test_no_problem():
    assert grouped_matmul([], []) == []


def test_repeats_agree():
    generator = torch.Generator(device="cuda").manual_seed(5)
    pairs = [
        harness.Problem(m, 512, 320, torch.float16).inputs(generator) for m in (128, 40, 1000, 8)
    ]
    lists = [a for a, _ in pairs], [b for _, b in pairs]
    expected = grouped_matmul(*lists)
    for _ in range(200):
        assert all(map(torch.equal, grouped_matmul(*lists), expected))


def test_in_a_graph():
    generator = torch.Generator(device="cuda").manual_seed(6)
    pairs = [
        harness.Problem(m, 512, 320, torch.float16).inputs(generator) for m in (128, 40, 1000, 8)
    ]
    lists = [a for a, _ in pairs], [b for _, b in pairs]
    grouped_matmul(*lists)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        results = grouped_matmul(*lists)
    # The graph reads its table of addresses from memory of the host, which others ask for as well.
    for _ in range(9):
        torch.full((4, 9), 1, dtype=torch.int64).pin_memory()
    for a in lists[0]:
        a.normal_(generator=generator)
    for result in results:
        result.fill_(float("nan"))
    graph.replay()
    assert all(map(torch.equal, results, grouped_matmul(*lists)))


def test_lists_that_do_not_fit():
    a = torch.empty(8, 8, device="cuda", dtype=torch.float16)
    with pytest.raises(ValueError, match="there must be as many"):
        grouped_matmul([a], [])
    with pytest.raises(ValueError, match="all float16 or all bfloat16"):
        grouped_matmul([a.float()], [a.float()])
    with pytest.raises(ValueError, match=r"cannot multiply \(8, 8\) and \(4, 8\)"):
        grouped_matmul([a], [a[:4]])
    with pytest.raises(ValueError, match="on cuda:0, cpu; they must be on one GPU"):
        grouped_matmul([a, a], [a, a.cpu()])
