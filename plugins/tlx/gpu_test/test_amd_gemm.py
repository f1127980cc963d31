"""The AMD GEMM on random shapes, against a float64 reference."""

import random

import pytest

torch = pytest.importorskip(
    "torch", reason="needs PyTorch and an AMD Instinct GPU; PyTorch cannot be imported"
)

from bench import harness  # noqa: E402
from examples.amd_gemm_kernel import CONSTANTS, matmul  # noqa: E402


def why_not() -> str | None:
    """Why the tests cannot run here, or None."""
    if not torch.cuda.is_available() or not torch.version.hip:
        return "needs an AMD GPU; PyTorch finds none"
    arch = torch.cuda.get_device_properties(0).gcnArchName.split(":")[0]
    return None if arch in ("gfx942", "gfx950") else f"needs gfx942 or gfx950; this GPU is {arch}"


pytestmark = [pytest.mark.amd, pytest.mark.skipif(why_not() is not None, reason=str(why_not()))]


def random_shapes(count: int) -> list[tuple[int, int, int]]:
    """M, N and K from 1 to 3000, small ones as likely as large ones."""
    draw = random.Random(2026)
    return [tuple(round(3000 ** draw.random()) for _ in range(3)) for _ in range(count)]


def assert_right(m: int, n: int, k: int, dtype: torch.dtype):
    generator = torch.Generator(device="cuda").manual_seed(m * 7 + n * 5 + k * 3)
    check = harness.check(matmul, *harness.Problem(m, n, k, dtype).inputs(generator))
    assert check.passed, (
        f"the largest error is {check.worst:.3g} of its bound ({check.max_error:.3g})"
    )


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
@pytest.mark.parametrize("shape", random_shapes(20), ids=lambda shape: "x".join(map(str, shape)))
def test_random_shapes(shape, dtype):
    assert_right(*shape, dtype)


@pytest.mark.parametrize("tiles", range(1, CONSTANTS["NUM_STAGES"] + 2))
def test_every_fill_of_the_pipeline(tiles):
    assert_right(256, 512, tiles * CONSTANTS["BK"], torch.float16)
    assert_right(256, 512, tiles * CONSTANTS["BK"] - 8, torch.float16)
