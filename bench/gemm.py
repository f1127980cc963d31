"""TFLOPS of the TLX GEMM beside the vendor's library and stock Triton, in one process.

Without arguments it measures the usual shapes with both types. One shape, and a result file:

    python -m bench.gemm --shape 4096x4096x4096 --dtype float16 --out bench/results/gemm.json
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from bench import command_line

# M x N x K.
SHAPES = (
    (2048, 2048, 2048),
    (4096, 4096, 4096),
    (8192, 8192, 8192),
    (8192, 28672, 4096),
    (16384, 16384, 4096),
    (128, 13312, 16384),
    (16384, 8192, 8192),
    (8192, 53248, 8192),
)
DTYPES = ("float16", "bfloat16")


def parse_args(argv: Sequence[str]) -> argparse.Namespace:
    """Parses the command line."""
    parser = command_line.parser("gemm", __doc__, rounds=7, milliseconds=100)
    command_line.add_shape(parser)
    parser.add_argument("--dtype", action="append", choices=DTYPES, help="repeatable")
    parser.add_argument(
        "--random",
        type=command_line.parse_count,
        metavar="SEED",
        help="ten shapes that the seed draws, instead of the usual ones",
    )
    return parser.parse_args(argv)


def random_shapes(seed: int) -> list[tuple[int, int, int]]:
    """Ten shapes: M, N and K from 512 to 16384, small as likely as large, multiples of 8."""
    draw = random.Random(seed)

    def size() -> int:
        return 8 * round(2 ** draw.uniform(6, 11))

    return [(size(), size(), size()) for _ in range(10)]


def measure(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Measures what the arguments name."""
    import torch

    from bench import compare, harness

    compare.tlx_matmul()
    generator = torch.Generator(device="cuda").manual_seed(0)
    shapes = random_shapes(args.random) if args.random else args.shape or SHAPES
    for dtype in args.dtype or DTYPES:
        for m, n, k in shapes:
            problem = harness.Problem(m, n, k, getattr(torch, dtype))
            yield compare.run(problem, generator, args.rounds, args.milliseconds)


def table(results: list[dict[str, Any]]) -> Any:
    """The results as a person reads them."""
    from bench import compare

    return compare.table(results)


def main(argv: Sequence[str]) -> int:
    """Runs the benchmark and returns its exit code."""
    args = parse_args(argv)
    return command_line.run("gemm", argv, args.out, lambda: measure(args), table)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
