"""The AMD GEMM on random shapes, against a float64 reference."""

import random

import pytest

torch = pytest.importorskip(
    "torch", reason="needs PyTorch and an AMD Instinct GPU; PyTorch cannot be imported"
)

from bench import harness  # noqa: E402
from examples import amd_gemm_kernel, cdna4_gemm_kernel  # noqa: E402

ARCH = None
if torch.cuda.is_available() and torch.version.hip:
    ARCH = torch.cuda.get_device_properties(0).gcnArchName.split(":")[0]
MODULE = cdna4_gemm_kernel if ARCH == "gfx950" else amd_gemm_kernel


def why_not() -> str | None:
    """Why the tests cannot run here, or None."""
    if ARCH is None:
        return "needs an AMD GPU; PyTorch finds none"
    return None if ARCH in ("gfx942", "gfx950") else f"needs gfx942 or gfx950; this GPU is {ARCH}"


pytestmark = [pytest.mark.amd, pytest.mark.skipif(why_not() is not None, reason=str(why_not()))]


def random_shapes(count: int) -> list[tuple[int, int, int]]:
    """M, N and K from 1 to 3000, small ones as likely as large ones; every second aligned."""
    draw = random.Random(2026)
    shapes = []
    for index in range(count):
        shape = [round(3000 ** draw.random()) for _ in range(3)]
        shapes.append(
            tuple(-(-size // 16) * 16 for size in shape) if index % 2 == 0 else tuple(shape)
        )
    return shapes


def assert_right(m: int, n: int, k: int, dtype: torch.dtype, *, b_transposed: bool = False):
    generator = torch.Generator(device="cuda").manual_seed(m * 7 + n * 5 + k * 3)
    a, b = harness.Problem(m, n, k, dtype).inputs(generator)
    # The same matrix, stored by columns.
    b = b.t().contiguous().t() if b_transposed else b
    check = harness.check(MODULE.matmul, a, b)
    assert check.passed, (
        f"the largest error is {check.worst:.3g} of its bound ({check.max_error:.3g})"
    )


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
@pytest.mark.parametrize("shape", random_shapes(20), ids=lambda shape: "x".join(map(str, shape)))
def test_random_shapes(shape, dtype):
    assert_right(*shape, dtype)


@pytest.mark.parametrize("steps", range(1, 7))
def test_every_fill_of_the_pipeline(steps):
    # Fewer steps than buffers, as many, and more.
    depth = steps * MODULE.CONSTANTS["BK"]
    assert_right(256, 512, depth, torch.float16)
    assert_right(256, 512, depth - 8, torch.float16)


@pytest.mark.parametrize("shape", [(528, 400, 272), (521, 393, 265)], ids=["aligned", "unaligned"])
def test_a_matrix_stored_by_columns(shape):
    assert_right(*shape, torch.float16, b_transposed=True)


@pytest.mark.parametrize("m", [1, 16, 64, 65])
def test_short_products_split_k(m):
    assert_right(m, 1024, 16384, torch.bfloat16)


def test_repeated_runs_agree():
    # A race between loads, stores and stages shows as results that differ from run to run.
    a, b = harness.Problem(1024, 1024, 4096, torch.float16).inputs(
        torch.Generator(device="cuda").manual_seed(1)
    )
    first = MODULE.matmul(a, b)
    assert all(torch.equal(first, MODULE.matmul(a, b)) for _ in range(50))
