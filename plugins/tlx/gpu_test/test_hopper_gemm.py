"""The Hopper GEMM on random shapes, against a float64 reference."""

import random

import pytest

torch = pytest.importorskip(
    "torch", reason="needs PyTorch and a Hopper GPU; PyTorch cannot be imported"
)

from bench import harness  # noqa: E402
from examples.hopper_gemm_kernel import CONSTANTS, matmul  # noqa: E402
from tools.testing import hopper  # noqa: E402

pytestmark = hopper.MARKS


def random_shapes(count: int) -> list[tuple[int, int, int]]:
    """M, N and K from 1 to 3000, small as likely as large; every fourth of multiples of 8."""
    draw = random.Random(2026)
    shapes = []
    for index in range(count):
        shape = [round(3000 ** draw.random()) for _ in range(3)]
        shapes.append(
            tuple(-(-size // 8) * 8 for size in shape) if index % 4 == 0 else tuple(shape)
        )
    return shapes


def assert_right(
    m: int,
    n: int,
    k: int,
    dtype: torch.dtype,
    *,
    a_transposed: bool = False,
    b_transposed: bool = False,
):
    generator = torch.Generator(device="cuda").manual_seed(m * 7 + n * 5 + k * 3)
    a, b = harness.Problem(m, n, k, dtype).inputs(generator)
    # The same matrices, stored by columns.
    a = a.t().contiguous().t() if a_transposed else a
    b = b.t().contiguous().t() if b_transposed else b
    check = harness.check(matmul, a, b)
    assert check.passed, (
        f"the largest error is {check.worst:.3g} of its bound ({check.max_error:.3g})"
    )


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
@pytest.mark.parametrize("shape", random_shapes(20), ids=lambda shape: "x".join(map(str, shape)))
def test_random_shapes(shape, dtype):
    assert_right(*shape, dtype)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
def test_whole_tiles(dtype):
    assert_right(4 * CONSTANTS["BM"], 4 * CONSTANTS["BN"], 16 * CONSTANTS["BK"], dtype)


@pytest.mark.parametrize("tiles", range(1, CONSTANTS["NUM_STAGES"] + 2))
def test_every_fill_of_the_pipeline(tiles):
    # Fewer steps than stages, as many, and one more: where wait counts and wrapped buffers go wrong
    # first.
    assert_right(256, 512, tiles * CONSTANTS["BK"], torch.float16)
    assert_right(256, 512, tiles * CONSTANTS["BK"] - 8, torch.float16)


@pytest.mark.parametrize(
    ("a_transposed", "b_transposed"), [(True, False), (False, True), (True, True)]
)
@pytest.mark.parametrize("shape", [(528, 400, 272), (520, 392, 264)], ids=["aligned", "unaligned"])
def test_transposed_inputs(shape, a_transposed, b_transposed):
    assert_right(*shape, torch.float16, a_transposed=a_transposed, b_transposed=b_transposed)


def test_repeated_runs_agree():
    # A race between copies and MMAs shows as results that differ from run to run.
    a, b = harness.Problem(1024, 1024, 4096, torch.float16).inputs(
        torch.Generator(device="cuda").manual_seed(1)
    )
    first = matmul(a, b)
    assert all(torch.equal(first, matmul(a, b)) for _ in range(50))
