"""TFLOPS of the TLX GEMM beside the vendor's library and stock Triton, in one process.

Without arguments it measures the usual shapes with both types. One shape, and a file for the
result:

    python -m bench.gemm --shape 4096x4096x4096 --dtype float16 --out bench/results/gemm.json
"""

from __future__ import annotations

import argparse
import pathlib
import re
import sys
from collections.abc import Sequence
from typing import Any

import rich
import rich.table
import torch

from bench import harness, stock_gemm

# M x N x K.
SHAPES = ((2048, 2048, 2048), (4096, 4096, 4096), (8192, 8192, 8192), (8192, 28672, 4096))
DTYPES = ("float16", "bfloat16")


def tlx_matmul() -> harness.Matmul:
    """The TLX kernel for this GPU.

    Raises:
        RuntimeError: there is no GPU, or none that TLX has a GEMM for.
    """
    if not torch.cuda.is_available():
        raise RuntimeError("PyTorch finds no GPU, and a benchmark needs one")
    # Imported here, so that the message above comes without a plugin being loaded.
    if torch.version.hip:
        from examples.amd_gemm_kernel import matmul

        return matmul
    major, minor = torch.cuda.get_device_capability()
    if (major, minor) != (9, 0):
        raise RuntimeError(
            f"this GPU is sm_{major}{minor}, and the TLX GEMMs are for sm_90a, gfx942 and gfx950"
        )
    from examples.hopper_gemm_kernel import matmul

    return matmul


def library_name() -> str:
    """The BLAS library behind torch.mm on this GPU."""
    return "hipBLAS" if torch.version.hip else "cuBLAS"


def run(problem: harness.Problem, generator: torch.Generator, rounds: int) -> dict[str, Any]:
    """Checks the TLX kernel and the best stock kernel on one problem, then times them beside the
    library.

    Raises:
        ArithmeticError: a kernel's result is wrong.
    """
    a, b = problem.inputs(generator)
    stock = stock_gemm.candidates(a, b, problem.n)
    chosen = harness.fastest(problem, stock, generator)
    contenders: dict[str, harness.Matmul] = {
        library_name(): lambda a, b, out: torch.mm(a, b, out=out),
        "stock Triton": stock[chosen],
        "TLX": tlx_matmul(),
    }
    checks = {name: harness.check(matmul, a, b) for name, matmul in contenders.items()}
    for name, check in checks.items():
        if not check.passed:
            raise ArithmeticError(
                f"{name} is wrong on {problem}: the largest error is {check.worst:.3g} bounds"
            )
    figures = harness.summarize(harness.measure(problem, contenders, generator, rounds=rounds))
    ours = figures["TLX"]["tflops"]
    return {
        "m": problem.m,
        "n": problem.n,
        "k": problem.k,
        "dtype": str(problem.dtype).removeprefix("torch."),
        "stock_config": chosen,
        "contenders": figures,
        "worst_error_in_bounds": {name: round(check.worst, 3) for name, check in checks.items()},
        "tlx_to_library": round(ours / figures[library_name()]["tflops"], 3),
        "tlx_to_stock": round(ours / figures["stock Triton"]["tflops"], 3),
    }


def table(results: Sequence[dict[str, Any]]) -> rich.table.Table:
    """The results as a person reads them."""
    shown = rich.table.Table(
        title=f"{harness.machine()['gpu']}, TFLOPS, median of interleaved rounds"
    )
    for column in (
        "M x N x K",
        "type",
        library_name(),
        "stock Triton",
        "TLX",
        "TLX / library",
        "TLX / stock",
    ):
        shown.add_column(column, justify="left" if column in ("M x N x K", "type") else "right")
    for result in results:
        speeds = (f"{figures['tflops']:.0f}" for figures in result["contenders"].values())
        shown.add_row(
            f"{result['m']} x {result['n']} x {result['k']}",
            result["dtype"],
            *speeds,
            f"{result['tlx_to_library']:.3f}",
            f"{result['tlx_to_stock']:.3f}",
        )
    return shown


def parse_shape(text: str) -> tuple[int, int, int]:
    """Parses MxNxK."""
    if not re.fullmatch(r"[1-9]\d*x[1-9]\d*x[1-9]\d*", text):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not MxNxK with positive numbers, such as 4096x4096x4096"
        )
    m, n, k = map(int, text.split("x"))
    return m, n, k


def main(argv: Sequence[str]) -> int:
    """Runs the benchmark and returns its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--shape", action="append", type=parse_shape, metavar="MxNxK", help="repeatable"
    )
    parser.add_argument("--dtype", action="append", choices=DTYPES, help="repeatable")
    parser.add_argument(
        "--rounds", type=int, default=7, help="turns of every contender (%(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the random inputs (%(default)s)")
    parser.add_argument(
        "--out", type=pathlib.Path, metavar="FILE", help="a JSON file for the results"
    )
    args = parser.parse_args(argv)
    results = []
    try:
        tlx_matmul()
        generator = torch.Generator(device="cuda").manual_seed(args.seed)
        for dtype in args.dtype or DTYPES:
            for m, n, k in args.shape or SHAPES:
                problem = harness.Problem(m, n, k, getattr(torch, dtype))
                results.append(run(problem, generator, args.rounds))
    except (RuntimeError, ArithmeticError) as problem_found:
        print(f"gemm: {problem_found}", file=sys.stderr)
        return 1
    rich.print(table(results))
    if args.out:
        harness.write_json(args.out, "gemm", ["python", "-m", "bench.gemm", *argv], results)
        print(f"results in {args.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
