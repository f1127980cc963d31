"""TFLOPS of the TLX grouped GEMM beside PyTorch's and cuBLAS one by one, in one process.

The problems are those of a layer of experts: each multiplies the rows that it was given by a matrix
of its own.

python -m bench.grouped_gemm --experts 16x4096x4096 --out bench/results/grouped-gemm-h200.json
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import rich.table
import torch

from bench import command_line, harness
from examples.hopper_grouped_gemm import grouped_matmul

# Experts, columns of the result, and elements that are added.
LAYERS = [(16, 4096, 4096), (64, 2048, 4096)]


def run(experts: int, n: int, k: int, generator: torch.Generator, rounds: int) -> dict[str, Any]:
    """Checks the contenders on one layer, then times them.

    Raises:
        ArithmeticError: A contender's result is wrong.
    """
    draw = random.Random(experts)
    # As many rows in all as 8192 tokens that go to two experts each, unevenly.
    shares = [draw.expovariate(1) for _ in range(experts)]
    rows = [max(8, round(16384 * share / sum(shares) / 8) * 8) for share in shares]
    tokens = torch.empty(sum(rows), k, device="cuda", dtype=torch.bfloat16)
    weights = torch.empty(experts, k, n, device="cuda", dtype=torch.bfloat16)
    ends = torch.tensor(rows, device="cuda").cumsum(0).int()
    a, b = tokens.split(rows), weights.unbind()

    def refresh() -> None:
        tokens.normal_(generator=generator)
        weights.normal_(generator=generator)

    contenders = {
        "cuBLAS, one by one": lambda: [left @ right for left, right in zip(a, b, strict=True)],
        "PyTorch": lambda: torch._grouped_mm(tokens, weights, offs=ends).split(rows),
        "TLX": lambda: grouped_matmul(a, b),
    }
    refresh()
    for name, contender in contenders.items():
        for left, right, result in zip(a, b, contender(), strict=True):
            reference = left[:256].double() @ right.double()
            error = (result[:256].double() - reference).norm() / reference.norm()
            # Rounding to bfloat16.
            if not error < 2**-8:
                raise ArithmeticError(f"{name} is wrong on {tuple(left.shape)} x {(k, n)}: {error}")
    figures = harness.summarize(
        harness.take_turns(contenders, refresh, 2 * sum(rows) * n * k, rounds=rounds)
    )
    best = max(figures[name]["tflops"] for name in contenders if name != "TLX")
    ratio = round(figures["TLX"]["tflops"] / best, 3)
    return {"rows": rows, "n": n, "k": k, "contenders": figures, "tlx_to_library": ratio}


def measure(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Measures what the arguments name."""
    generator = torch.Generator(device="cuda").manual_seed(0)
    for layer in args.experts or LAYERS:
        yield run(*layer, generator, args.rounds)


def table(results: list[dict[str, Any]]) -> rich.table.Table:
    """The results as a person reads them."""
    names = list(results[0]["contenders"])
    shown = rich.table.Table("experts x N x K", *names, "TLX / the better one")
    for result in results:
        figures = (f"{result['contenders'][name]['tflops']:.0f}" for name in names)
        layer = f"{len(result['rows'])} x {result['n']} x {result['k']}"
        shown.add_row(layer, *figures, f"{result['tlx_to_library']:.3f}")
    return shown


def main(argv: Sequence[str]) -> int:
    """Runs the benchmark and returns its exit code."""
    parser = command_line.parser("grouped_gemm", __doc__, rounds=7)
    parser.add_argument(
        "--experts",
        action="append",
        type=command_line.parse_shape,
        metavar="ExNxK",
        help="repeatable",
    )
    args = parser.parse_args(argv)
    return command_line.run("grouped_gemm", argv, args.out, lambda: measure(args), table)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
