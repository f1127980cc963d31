"""Kernels from a seed give the very numbers of their plain forms."""

import multiprocessing
import warnings
from concurrent.futures import ProcessPoolExecutor

import pytest

torch = pytest.importorskip(
    "torch", reason="needs PyTorch and a Hopper GPU; PyTorch cannot be imported"
)

import triton  # noqa: E402

import triton_plugins.warp_spec as warp_spec  # noqa: E402
from plugins.warp_spec.test import random_kernels  # noqa: E402
from tools.testing import hopper  # noqa: E402

pytestmark = hopper.MARKS

SEEDS = range(100)
# Stock Triton 3.9.0 compiles the plain kernel of this one wrong: each run gives other numbers.
STOCK_IS_WRONG = 58
_TYPES = {
    "fp16": torch.float16,
    "bf16": torch.bfloat16,
    "fp32": torch.float32,
    "fp8e4nv": torch.float8_e4m3fn,
}


def randn(*shape, dtype):
    return torch.randn(*shape, device="cuda").to(_TYPES[dtype])


class Run:
    """One case with its inputs; `c` is what a kernel writes."""

    def __init__(self, seed):
        self.case = case = random_kernels.draw(seed)
        torch.manual_seed(seed)
        if case.kernel is random_kernels.gemm:
            m, n, k = case.sizes
            a = randn(m, k, dtype=case.dtype)
            by_rows_of_n = case.constants["B_BY_ROWS_OF_N"]
            b = randn(*((n, k) if by_rows_of_n else (k, n)), dtype=case.dtype)
            c_type = torch.float16 if case.dtype == "fp8e4nv" else a.dtype
            self.c = torch.empty(m, n, device="cuda", dtype=c_type)
            self.args = (a, b, self.c, torch.randn(n, device="cuda"), m, n, k)
            tiles = triton.cdiv(m, case.constants["BM"]) * triton.cdiv(n, case.constants["BN"])
            # Few programs, so that persistent ones have several tiles.
            self.grid = (min(tiles, 5) if case.constants["PERSISTENT"] else tiles,)
        else:
            (length,), dim = case.sizes, case.constants["D"]
            q, k, v = (randn(length, dim, dtype=case.dtype) for _ in range(3))
            self.c = torch.empty_like(q)
            self.args = (q, k, v, self.c, length, 1.44 / dim**0.5)
            self.grid = (triton.cdiv(length, case.constants["BM"]),)
        self.options = case.constants | {"num_warps": case.num_warps, "num_stages": case.num_stages}
        self.kernels = (case.kernel, warp_spec.specialize(case.kernel))

    def compile(self):
        for kernel in self.kernels:
            kernel.warmup(*self.args, grid=self.grid, **self.options)

    def results(self):
        for kernel in self.kernels:
            self.c.fill_(float("nan"))
            kernel[self.grid](*self.args, **self.options)
            yield self.c.clone()


def compile_case(seed):
    """Fills Triton's cache; a process each, since Triton's frontend holds Python's lock."""
    warnings.simplefilter("ignore", warp_spec.NotSpecialized)
    Run(seed).compile()


@pytest.fixture(scope="module", autouse=True)
def compiled():
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        list(pool.map(compile_case, SEEDS))


@pytest.fixture(autouse=True)
def memory_of_descriptors():
    triton.set_allocator(
        lambda size, align, stream: torch.empty(size, dtype=torch.int8, device="cuda")
    )


@pytest.mark.filterwarnings("ignore::triton_plugins.warp_spec.NotSpecialized")
@pytest.mark.parametrize("seed", SEEDS)
def test_equal(seed):
    run = Run(seed)
    plain, specialized = run.results()
    if seed == STOCK_IS_WRONG:
        a, b = (matrix.double() for matrix in run.args[:2])
        wanted = a @ b + a.sum(1, keepdim=True)
        torch.testing.assert_close(specialized.double(), wanted, rtol=2e-3, atol=2e-2)
        return
    assert torch.isfinite(plain).all()
    assert torch.equal(plain, specialized), run.case
