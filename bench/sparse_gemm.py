"""TFLOPS of sparsity24's GEMM beside cuBLAS on the dense matrix and cuSPARSELt, in one process.

The left matrix is random and pruned to 2:4; rates count the operations of the dense product.
cuSPARSELt multiplies with the algorithm that its search finds for the shape. Without arguments the
usual shapes are measured with both types. One shape, and a result file:

    python -m bench.sparse_gemm --shape 8192x8192x8192 --dtype float16 --out results.json
"""

from __future__ import annotations

import argparse
import os
import pathlib
import sys
import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

import rich
import rich.table
import torch
from torch.sparse import SparseSemiStructuredTensorCUSPARSELT

import triton_plugins.sparsity24 as sp
from bench import gemm, harness

# M x N x K, of which M x K is sparse. The last ones are on no list that the kernel was tuned on.
SHAPES = (
    (4096, 4096, 4096),
    (8192, 8192, 8192),
    (8192, 28672, 4096),
    (16384, 8192, 8192),
    (11008, 4096, 4096),
    (5120, 1544, 13824),
)
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
        checks[name] = harness.check(
            lambda a, b, out, multiply=multiply: out.copy_(multiply()), a, inputs.b
        )
        if not checks[name].passed:
            raise ArithmeticError(
                f"{name} is wrong on {problem}: the largest error is {checks[name].worst:.3g} of "
                "its bound"
            )
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
    parser = argparse.ArgumentParser(
        prog="bench.sparse_gemm",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--shape", action="append", type=gemm.parse_shape, metavar="MxNxK", help="repeatable"
    )
    parser.add_argument("--dtype", action="append", choices=gemm.DTYPES, help="repeatable")
    parser.add_argument(
        "--rounds",
        type=gemm.parse_count,
        default=5,
        metavar="N",
        help="turns of every contender (%(default)s)",
    )
    parser.add_argument("--out", type=pathlib.Path, metavar="FILE", help="a JSON file to write")
    return parser.parse_args(argv)


def main(argv: Sequence[str]) -> int:
    """Runs the benchmark and returns its exit code."""
    args = parse_args(argv)
    if not torch.cuda.is_available():
        print("bench.sparse_gemm: PyTorch finds no GPU here", file=sys.stderr)
        return 1
    # Triton 3.9 warns where this is not set, since 3.10 will have another default.
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
    generator = torch.Generator(device="cuda").manual_seed(0)
    # `bazel run` starts programs elsewhere and leaves the user's folder in this variable.
    out = args.out and pathlib.Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."), args.out)
    results = []
    for dtype in args.dtype or gemm.DTYPES:
        for m, n, k in args.shape or SHAPES:
            problem = harness.Problem(m, n, k, getattr(torch, dtype))
            results.append(run(problem, generator, args.rounds))
            if out:
                command = ["python", "-m", "bench.sparse_gemm", *argv]
                harness.write_json(out, "sparse_gemm", command, results)
    rich.print(table(results))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
