"""TFLOPS of sparsity24's GEMM beside cuBLAS on the dense matrix and cuSPARSELt, in one process.

The left matrix is random and pruned to 2:4; rates count the operations of the dense product.
cuSPARSELt multiplies with the algorithm that its search finds for the shape. Without arguments the
usual shapes are measured in float16, and one of them in bfloat16, which takes about a minute. One
shape, and a result file:

    python -m bench.sparse_gemm --shape 8192x8192x8192 --dtype float16 --out results.json
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import rich.table
import torch
from torch.sparse import SparseSemiStructuredTensorCUSPARSELT

import triton_plugins.sparsity24 as sp
from bench import command_line, gemm, harness

# M x N x K, of which M x K is sparse. The last ones are on no list that the kernel was tuned on.
SHAPES = (
    (8192, 8192, 8192),
    (4096, 4096, 4096),
    (8192, 28672, 4096),
    (16384, 8192, 8192),
    (11008, 4096, 4096),
    (5120, 1544, 13824),
)
# The kernels of both types differ in nothing but the type.
BFLOAT16_SHAPES = SHAPES[:1]
OURS, CUBLAS, CUSPARSELT = "sparsity24", "cuBLAS", "cuSPARSELt"


class Inputs:
    """The matrices of one problem; the left one dense, pruned and in both sparse forms."""

    def __init__(self, problem: harness.Problem, generator: torch.Generator):
        self.generator = generator
        self.dense, self.b = problem.inputs(generator)
        self.out = self.b.new_empty((problem.m, problem.n))
        self.prune()
        self.algorithm = self.search(problem.m, problem.n, problem.k)

    # Both types have the same kernels, and a search takes a second or two.
    _algorithms: ClassVar[dict[tuple[int, int, int], int]] = {}

    def search(self, *shape: int) -> int:
        """Lets cuSPARSELt look for its fastest algorithm, once a shape."""
        if shape not in self._algorithms:
            with warnings.catch_warnings():
                # PyTorch 2.11 calls it deprecated, and has no public function in its place.
                warnings.simplefilter("ignore")
                self._algorithms[shape] = torch._cslt_sparse_mm_search(self.packed, self.b)
        return self._algorithms[shape]

    def prune(self) -> None:
        """Makes the sparse forms from the dense one."""
        self.pruned = sp.prune(self.dense)
        self.compressed = sp.compress(self.pruned)
        self.packed = SparseSemiStructuredTensorCUSPARSELT.from_dense(self.pruned).packed

    def refresh(self) -> None:
        """Draws new matrices."""
        self.dense.normal_(generator=self.generator)
        self.b.normal_(generator=self.generator)
        self.prune()

    def run_ours(self) -> torch.Tensor:
        return sp.matmul(self.compressed, self.b, out=self.out)

    def run_cublas(self) -> torch.Tensor:
        return torch.mm(self.dense, self.b, out=self.out)

    def run_cusparselt(self) -> torch.Tensor:
        return torch._cslt_sparse_mm(self.packed, self.b, alg_id=self.algorithm)


def run(problem: harness.Problem, generator: torch.Generator, rounds: int) -> dict[str, Any]:
    """Checks the contenders on one problem, then times them.

    Raises:
        ArithmeticError: A contender's result is wrong.
    """
    inputs = Inputs(problem, generator)
    contenders = {
        CUBLAS: (inputs.run_cublas, inputs.dense),
        CUSPARSELT: (inputs.run_cusparselt, inputs.pruned),
        OURS: (inputs.run_ours, inputs.pruned),
    }
    checks = {}
    for name, (multiply, a) in contenders.items():

        def matmul(a: object, b: object, out: torch.Tensor, multiply: Any = multiply) -> None:
            out.copy_(multiply())

        checks |= harness.check_all(problem, {name: matmul}, a, inputs.b)
    speeds = harness.take_turns(
        {name: multiply for name, (multiply, _) in contenders.items()},
        inputs.refresh,
        problem.flops,
        rounds=rounds,
        milliseconds=60,
    )
    figures = harness.summarize(speeds)
    ours = figures[OURS]["tflops"]
    return {
        "m": problem.m,
        "n": problem.n,
        "k": problem.k,
        "dtype": str(problem.dtype).removeprefix("torch."),
        "contenders": figures,
        "worst_error_in_bounds": {name: round(check.worst, 3) for name, check in checks.items()},
        "ours_to_cublas": round(ours / figures[CUBLAS]["tflops"], 3),
        "ours_to_cusparselt": round(ours / figures[CUSPARSELT]["tflops"], 3),
    }


def table(results: Sequence[dict[str, Any]]) -> rich.table.Table:
    """The results as a person reads them."""
    gpu = harness.machine()["gpu"]
    shown = rich.table.Table(title=f"{gpu}, TFLOPS of the dense product, median of rounds")
    for column in ("M x N x K", "type"):
        shown.add_column(column)
    for column in (CUBLAS, CUSPARSELT, OURS, "/ cuBLAS", "/ cuSPARSELt"):
        shown.add_column(column, justify="right")
    for result in results:
        shown.add_row(
            f"{result['m']} x {result['n']} x {result['k']}",
            result["dtype"],
            *(f"{figures['tflops']:.0f}" for figures in result["contenders"].values()),
            f"{result['ours_to_cublas']:.3f}",
            f"{result['ours_to_cusparselt']:.3f}",
        )
    return shown


def parse_args(argv: Sequence[str]) -> argparse.Namespace:
    """Parses the command line."""
    parser = command_line.parser("sparse_gemm", __doc__, rounds=5)
    command_line.add_shape(parser)
    parser.add_argument("--dtype", action="append", choices=gemm.DTYPES, help="repeatable")
    return parser.parse_args(argv)


def measure(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Measures what the arguments name."""
    if not torch.cuda.is_available():
        raise RuntimeError("PyTorch finds no GPU here")
    generator = torch.Generator(device="cuda").manual_seed(0)
    for dtype in args.dtype or gemm.DTYPES:
        usual = BFLOAT16_SHAPES if dtype == "bfloat16" and not args.dtype else SHAPES
        for m, n, k in args.shape or usual:
            problem = harness.Problem(m, n, k, getattr(torch, dtype))
            yield run(problem, generator, args.rounds)


def main(argv: Sequence[str]) -> int:
    """Runs the benchmark and returns its exit code."""
    args = parse_args(argv)
    return command_line.run("sparse_gemm", argv, args.out, lambda: measure(args), table)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
