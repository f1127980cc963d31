"""What a GEMM costs on the CPU: microseconds of a call, seconds of a first call.

    python -m bench.gemm_host --out bench/results/gemm-host.json

Calls are of a product so small that the GPU never falls behind. First calls are made in processes
and cache folders of their own: what a user waits for before the first result.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

from bench import command_line, harness, launch, stock_gemm
from examples import hopper_gemm_plans, hopper_persistent_gemm

SMALL = (256, 256, 256)
# What the first calls multiply: large enough for every tile.
LARGE = (4096, 4096, 4096)
LAUNCHES = 2000
STOCK, TLX, TUNED = "stock Triton, one configuration", "TLX, one configuration", "TLX, tuned"


def matrices(m: int, n: int, k: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Two random matrices and room for their product."""
    problem = harness.Problem(m, n, k, torch.float16)
    a, b = problem.inputs(torch.Generator(device="cuda").manual_seed(0))
    return a, b, torch.empty(m, n, device="cuda", dtype=a.dtype)


def stock(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, number: int) -> Callable[[], object]:
    """A configuration of stock Triton's kernel."""
    candidates = stock_gemm.candidates(a, b, c.shape[1])
    run = candidates[list(candidates)[number]]
    return lambda: run(a, b, c)


def calls(rounds: int) -> list[dict[str, Any]]:
    """Microseconds of a call on the CPU, by contender."""
    a, b, c = matrices(*SMALL)
    contenders: Mapping[str, Callable[[], object]] = {
        "torch.mm": lambda: torch.mm(a, b, out=c),
        # 128 x 128 x 64.
        "stock Triton": stock(a, b, c, 2),
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


def first_call(contender: str) -> float:
    """Seconds of the first call in this process."""
    a, b, c = matrices(*LARGE)
    torch.cuda.synchronize()
    start = time.perf_counter()
    if contender == STOCK:
        stock(a, b, c, 0)()
    elif contender == TLX:
        config = hopper_gemm_plans.candidates(a.element_size())[0]
        hopper_persistent_gemm.Launch(a, b, c, config)
    else:
        hopper_persistent_gemm.matmul(a, b, c)
    torch.cuda.synchronize()
    return time.perf_counter() - start


def first_call_in_a_process(contender: str) -> float:
    """Seconds of a first call in a fresh process with an empty cache."""
    with tempfile.TemporaryDirectory() as cache:
        paths = os.pathsep.join(sys.path)
        run = subprocess.run(
            [sys.executable, "-m", "bench.gemm_host", "--first-call", contender],
            env={**os.environ, "PYTHONPATH": paths, "TRITON_CACHE_DIR": cache},
            capture_output=True,
            text=True,
        )
    if run.returncode:
        raise RuntimeError(f"the first call of {contender} failed: {run.stderr[-500:]}")
    return float(run.stdout)


def first_calls(rounds: int) -> list[dict[str, Any]]:
    """Seconds of first calls, by contender; the processes of one contender run side by side."""
    results = []
    with concurrent.futures.ThreadPoolExecutor(rounds) as pool:
        for name in (STOCK, TLX, TUNED):
            seconds = list(pool.map(first_call_in_a_process, [name] * rounds))
            result = {
                "contender": name,
                "seconds_of_the_first_call": round(statistics.median(seconds), 2),
                "rounds": [round(value, 2) for value in seconds],
            }
            results.append(result)
    return results


def main(argv: Sequence[str]) -> int:
    """Runs the benchmark and returns its exit code."""
    parser = command_line.parser("gemm_host", __doc__, rounds=5)
    parser.add_argument("--first-call", choices=(STOCK, TLX, TUNED), help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.first_call:
        print(first_call(args.first_call))
        return 0

    def measure() -> Iterator[dict[str, Any]]:
        yield from calls(args.rounds)
        yield from first_calls(args.rounds)

    return command_line.run("gemm_host", argv, args.out, measure, lambda results: results)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
