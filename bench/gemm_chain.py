"""Products one after the other, each of the last one's result, as layers of a model are.

    python -m bench.gemm_chain --out bench/results/gemm-chain.json

Nothing lies between two products, so what counts as well is when the next one starts. The calls
come from Python, or from a CUDA graph that was recorded from them.
"""

from __future__ import annotations

import itertools
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

from bench import command_line, compare, harness

# Rows of x and columns of w in x = x @ w.
SIZES = ((128, 4096), (128, 8192), (1024, 1024), (2048, 2048), (4096, 4096))
PRODUCTS = 40
# The GPU is kept busy for so long before calls from Python, so that it never waits for them.
CYCLES = 4_000_000


def chain(matmul: harness.Matmul, x: torch.Tensor, w: torch.Tensor) -> Callable[[], None]:
    """A function that multiplies x by w again and again."""
    buffers = torch.empty_like(x), torch.empty_like(x)

    def run() -> None:
        source = x
        for target in itertools.islice(itertools.cycle(buffers), PRODUCTS):
            matmul(source, w, target)
            source = target

    return run


def recorded(run: Callable[[], None]) -> Callable[[], None]:
    """A CUDA graph of what a function launches."""
    run()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()
    return graph.replay


def microseconds(run: Callable[[], None]) -> float:
    """What one product of a chain takes."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(CYCLES)
    start.record()
    run()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) * 1000 / PRODUCTS


def measure(rounds: int) -> Iterator[dict[str, Any]]:
    """Times chains of all sizes."""
    library = compare.library_name()
    contenders: Mapping[str, harness.Matmul] = {
        library: lambda a, b, out: torch.mm(a, b, out=out),
        "TLX": compare.tlx_matmul(),
    }
    generator = torch.Generator(device="cuda").manual_seed(0)
    for m, n in SIZES:
        x, w = harness.Problem(m, n, n, torch.float16).inputs(generator)
        # Values stay as large as they are.
        w *= n**-0.5
        harness.check_all(harness.Problem(m, n, n, torch.float16), contenders, x, w)
        for calls in ("Python", "CUDA graph"):
            runs = {name: chain(matmul, x, w) for name, matmul in contenders.items()}
            if calls == "CUDA graph":
                runs = {name: recorded(run) for name, run in runs.items()}
            times: dict[str, list[float]] = {name: [] for name in runs}
            for turn in range(rounds):
                for name in list(runs)[:: -1 if turn % 2 else 1]:
                    microseconds(runs[name])
                    times[name].append(microseconds(runs[name]))
            medians = {name: statistics.median(turns) for name, turns in times.items()}
            yield {
                "m": m,
                "n": n,
                "k": n,
                "dtype": "float16",
                "calls_from": calls,
                "microseconds_of_a_product": {
                    name: {
                        "median": round(medians[name], 2),
                        "rounds": [round(value, 2) for value in turns],
                    }
                    for name, turns in times.items()
                },
                "tlx_to_library": round(medians[library] / medians["TLX"], 3),
            }


def main(argv: Sequence[str]) -> int:
    """Runs the benchmark and returns its exit code."""
    args = command_line.parser("gemm_chain", __doc__, rounds=9).parse_args(argv)
    return command_line.run(
        "gemm_chain", argv, args.out, lambda: measure(args.rounds), lambda results: results
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
