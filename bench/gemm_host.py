"""What a GEMM costs on the CPU: microseconds of a call, seconds of a first call.

    python -m bench.gemm_host --out bench/results/gemm-host.json

Calls are of a product so small that the GPU never falls behind. First calls, see
`bench.first_call`, find nothing compiled: what a user waits for before the first result.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import torch

from bench import command_line, harness, launch, stock_gemm
from examples import hopper_persistent_gemm

SIZE = 256
LAUNCHES = 2000
# What `bench.first_call` measures.
FIRST_CALLS = {
    "stock": "stock Triton, one configuration",
    "tlx": "TLX, one configuration",
    "tuned": "TLX, a new shape",
}


def calls(rounds: int) -> list[dict[str, Any]]:
    """Microseconds of a call on the CPU, by contender."""
    problem = harness.Problem(SIZE, SIZE, SIZE, torch.float16)
    a, b = problem.inputs(torch.Generator(device="cuda").manual_seed(0))
    c = torch.empty(SIZE, SIZE, device="cuda", dtype=a.dtype)
    # 128 x 128 x 64.
    stock = list(stock_gemm.candidates(a, b, SIZE).values())[2]
    contenders: Mapping[str, Callable[[], object]] = {
        "torch.mm": lambda: torch.mm(a, b, out=c),
        "stock Triton": lambda: stock(a, b, c),
        "TLX": lambda: hopper_persistent_gemm.matmul(a, b, c),
    }
    found: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, contender in contenders.items():
            found[name].append(launch.turn(contender, torch.cuda.synchronize, LAUNCHES))
    return [
        {
            "contender": name,
            "microseconds_of_a_call": round(statistics.median(values), 2),
            "rounds": [round(value, 2) for value in values],
        }
        for name, values in found.items()
    ]


def first_calls(rounds: int) -> list[dict[str, Any]]:
    """Seconds of first calls, by contender."""
    with tempfile.TemporaryDirectory() as cache:
        run = subprocess.run(
            [sys.executable, "-m", "bench.first_call", str(rounds)],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(sys.path),
                "TRITON_CACHE_DIR": cache,
            },
            capture_output=True,
            text=True,
        )
    if run.returncode:
        raise RuntimeError(f"a first call failed: {run.stderr[-500:]}")
    return [
        {
            "contender": FIRST_CALLS[name],
            "seconds_of_the_import": _median(result["import"] for result in results),
            "seconds_of_the_first_call": _median(result["first"] for result in results),
            "rounds": [round(result["first"], 2) for result in results],
            # In the same processes, again with nothing compiled.
            "seconds_of_later_first_calls": _median(
                seconds for result in results for seconds in result["later"]
            ),
            "later_rounds": [
                round(seconds, 2) for result in results for seconds in result["later"]
            ],
        }
        for name, results in json.loads(run.stdout).items()
    ]


def _median(seconds: Iterable[float]) -> float:
    return round(statistics.median(seconds), 2)


def main(argv: Sequence[str]) -> int:
    """Runs the benchmark and returns its exit code."""
    parser = command_line.parser("gemm_host", __doc__, rounds=5)
    args = parser.parse_args(argv)

    def measure() -> Iterator[dict[str, Any]]:
        yield from calls(args.rounds)
        yield from first_calls(args.rounds)

    return command_line.run("gemm_host", argv, args.out, measure, lambda results: results)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
