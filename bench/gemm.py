"""TFLOPS of the TLX GEMM beside the vendor's library and stock Triton, in one process.

Without arguments it measures the usual shapes with both types. One shape, and a result file:

    python -m bench.gemm --shape 4096x4096x4096 --dtype float16 --out bench/results/gemm.json
"""

from __future__ import annotations

import argparse
import os
import pathlib
import random
import re
import sys
from collections.abc import Sequence

import rich

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


def parse_shape(text: str) -> tuple[int, int, int]:
    """Parses MxNxK."""
    if not re.fullmatch(r"[1-9]\d*x[1-9]\d*x[1-9]\d*", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not MxNxK, such as 4096x4096x4096")
    m, n, k = map(int, text.split("x"))
    return m, n, k


def parse_count(text: str) -> int:
    """Parses a positive number."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def parse_args(argv: Sequence[str]) -> argparse.Namespace:
    """Parses the command line."""
    parser = argparse.ArgumentParser(
        prog="bench.gemm",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--shape", action="append", type=parse_shape, metavar="MxNxK", help="repeatable"
    )
    parser.add_argument("--dtype", action="append", choices=DTYPES, help="repeatable")
    parser.add_argument(
        "--rounds",
        type=parse_count,
        default=7,
        metavar="N",
        help="turns of every contender (%(default)s)",
    )
    parser.add_argument(
        "--milliseconds",
        type=parse_count,
        default=100,
        metavar="N",
        help="about how long a turn measures (%(default)s)",
    )
    parser.add_argument(
        "--random",
        type=parse_count,
        metavar="SEED",
        help="ten shapes that the seed draws, instead of the usual ones",
    )
    parser.add_argument("--out", type=pathlib.Path, metavar="FILE", help="a JSON file to write")
    return parser.parse_args(argv)


def random_shapes(seed: int) -> list[tuple[int, int, int]]:
    """Ten shapes: M, N and K from 512 to 16384, small as likely as large, multiples of 8."""
    draw = random.Random(seed)

    def size() -> int:
        return 8 * round(2 ** draw.uniform(6, 11))

    return [(size(), size(), size()) for _ in range(10)]


def main(argv: Sequence[str]) -> int:
    """Runs the benchmark and returns its exit code."""
    args = parse_args(argv)
    # Triton 3.9 warns where this is not set, since 3.10 will have another default.
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
    # `bazel run` starts programs elsewhere and leaves the user's folder in this variable.
    out = pathlib.Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."), args.out or "")
    results = []
    try:
        import torch

        from bench import compare, harness

        compare.tlx_matmul()
        generator = torch.Generator(device="cuda").manual_seed(0)
        shapes = random_shapes(args.random) if args.random else args.shape or SHAPES
        for dtype in args.dtype or DTYPES:
            for m, n, k in shapes:
                problem = harness.Problem(m, n, k, getattr(torch, dtype))
                results.append(compare.run(problem, generator, args.rounds, args.milliseconds))
                # After each problem, so that what is stopped keeps what it has.
                if args.out:
                    harness.write_json(out, "gemm", ["python", "-m", "bench.gemm", *argv], results)
    except (ModuleNotFoundError, RuntimeError, ArithmeticError) as problem_found:
        print(f"bench.gemm: {problem_found}", file=sys.stderr)
        return 1
    rich.print(compare.table(results))
    if args.out:
        print(f"results in {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
