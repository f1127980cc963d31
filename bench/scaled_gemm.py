"""TFLOPS of the TLX GEMM of float8 matrices with row-wise scales beside PyTorch's, in one process.

python -m bench.scaled_gemm --shape 4096x4096x4096 --out bench/results/scaled-gemm.json
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import rich.table
import torch

from bench import command_line, gemm, harness
from examples.hopper_persistent_gemm import scaled_matmul


def run(
    m: int, n: int, k: int, generator: torch.Generator, rounds: int, milliseconds: int
) -> dict[str, Any]:
    """Checks the contenders on one problem, then times them.

    Raises:
        ArithmeticError: A contender's result is wrong.
    """

    def draw(rows: int, cols: int) -> torch.Tensor:
        return torch.randn(rows, cols, device="cuda", generator=generator, dtype=torch.bfloat16)

    a = draw(m, k).to(torch.float8_e4m3fn)
    # wgmma and PyTorch read the right matrix along K.
    b = draw(n, k).to(torch.float8_e4m3fn).t()
    a_scale = torch.rand(m, 1, device="cuda", generator=generator) + 0.5
    b_scale = torch.rand(1, n, device="cuda", generator=generator) + 0.5

    def refresh() -> None:
        a.copy_(draw(m, k))
        b.t().copy_(draw(n, k))

    def vendor(fast: bool) -> Callable[[], torch.Tensor]:
        return lambda: torch._scaled_mm(
            a, b, a_scale, b_scale, out_dtype=torch.bfloat16, use_fast_accum=fast
        )

    contenders = {
        "PyTorch": vendor(fast=False),
        "PyTorch, fast accumulation": vendor(fast=True),
        "TLX": lambda: scaled_matmul(a, b, a_scale, b_scale),
    }
    rows = slice(0, 512)
    reference = (a[rows].double() * a_scale[rows]) @ (b.double() * b_scale)
    for name, contender in contenders.items():
        error = (contender()[rows].double() - reference).norm() / reference.norm()
        # Rounding to bfloat16, and the 14 bits with which wgmma adds products of float8.
        if not error < 2**-8:
            raise ArithmeticError(f"{name} is wrong on {m} x {n} x {k}: relative error {error:.3g}")
    figures = harness.summarize(
        harness.take_turns(
            contenders, refresh, 2 * m * n * k, rounds=rounds, milliseconds=milliseconds
        )
    )
    best = max(figures[name]["tflops"] for name in contenders if name != "TLX")
    ratio = round(figures["TLX"]["tflops"] / best, 3)
    return {"m": m, "n": n, "k": k, "contenders": figures, "tlx_to_library": ratio}


def measure(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Measures what the arguments name."""
    generator = torch.Generator(device="cuda").manual_seed(0)
    for shape in args.shape or gemm.SHAPES:
        yield run(*shape, generator, args.rounds, args.milliseconds)


def table(results: list[dict[str, Any]]) -> rich.table.Table:
    """The results as a person reads them."""
    names = list(results[0]["contenders"])
    shown = rich.table.Table("M x N x K", *names, "TLX / PyTorch")
    for result in results:
        figures = (f"{result['contenders'][name]['tflops']:.0f}" for name in names)
        shape = f"{result['m']} x {result['n']} x {result['k']}"
        shown.add_row(shape, *figures, f"{result['tlx_to_library']:.3f}")
    return shown


def main(argv: Sequence[str]) -> int:
    """Runs the benchmark and returns its exit code."""
    parser = command_line.parser("scaled_gemm", __doc__, rounds=7, milliseconds=100)
    command_line.add_shape(parser)
    args = parser.parse_args(argv)
    return command_line.run("scaled_gemm", argv, args.out, lambda: measure(args), table)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
