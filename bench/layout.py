"""Counts and times the suite of layout conversions, as stock Triton compiles it and optimized.

python -m bench.layout [--out FILE.json] [--rounds N] [--milliseconds N] [--case NAME]

Before a kernel is timed, its outputs under both compilations are compared bit by bit on random
inputs.
"""

from __future__ import annotations

import argparse
import pathlib
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import rich
import rich.table
import torch
import triton

import triton_plugins
import triton_plugins.layout as layout
from bench import harness
from bench.layout_suite import CASES, Array, Case

DTYPES = {
    "fp16": torch.float16,
    "fp32": torch.float32,
    "i8": torch.int8,
    "u8": torch.uint8,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the suite; returns 1 if an output differs, 0 otherwise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, help="where the JSON goes")
    parser.add_argument("--rounds", type=int, default=7, help="turns of each compilation")
    parser.add_argument("--milliseconds", type=int, default=60, help="how long a turn measures")
    parser.add_argument("--case", action="append", help="only this case (repeatable)")
    args = parser.parse_args(argv)
    generator = torch.Generator("cuda").manual_seed(torch.seed() % 2**63)
    results = [
        run(case, generator, args.rounds, args.milliseconds)
        for case in CASES
        if args.case is None or case.name in args.case
    ]
    rich.print(table(results))
    if args.out:
        harness.write_json(
            args.out,
            "layout",
            ["python", "-m", "bench.layout", *(sys.argv[1:] if argv is None else argv)],
            results,
        )
    return 0 if all(result["equal"] for result in results) else 1


def run(case: Case, generator: torch.Generator, rounds: int, milliseconds: int) -> dict[str, Any]:
    """Compares and times the two compilations of one case."""
    kernels = {"stock": case.kernel, "optimized": triton_plugins.use(layout.OPTIMIZE)(case.kernel)}
    arguments = inputs(case, generator)
    outputs = {}
    counts = {}
    for name, kernel in kernels.items():
        outputs[name], compiled = launch(case, kernel, arguments)
        counts[name] = layout.report(compiled).count("shared")
    equal = same(outputs["stock"], outputs["optimized"])
    times = measure(
        {
            name: lambda kernel=kernel: launch(case, kernel, arguments, poison=False)
            for name, kernel in kernels.items()
        },
        rounds,
        milliseconds,
    )
    medians = {name: statistics.median(values) for name, values in times.items()}
    return {
        "case": case.name,
        "equal": equal,
        "shared_conversions": counts,
        "microseconds": {name: round(value, 2) for name, value in medians.items()},
        "rounds": {name: [round(value, 2) for value in values] for name, values in times.items()},
        # Turn by turn, since clocks change from one to the next.
        "speed_to_stock": round(
            statistics.median(
                stock / optimized
                for stock, optimized in zip(times["stock"], times["optimized"], strict=True)
            ),
            4,
        ),
    }


def inputs(case: Case, generator: torch.Generator) -> dict[str, Any]:
    """Random arguments of a case; what it writes is in the same dictionary."""
    return {
        name: _random(value, generator) if isinstance(value, Array) else value
        for name, value in case.arguments.items()
    }


def launch(
    case: Case, kernel: Any, arguments: Mapping[str, Any], poison: bool = True
) -> tuple[list[torch.Tensor], Any]:
    """Launches a case.

    Args:
        case: The case.
        kernel: Its kernel, maybe with a pipeline.
        arguments: What `inputs` made.
        poison: Whether the outputs are wrong everywhere before.

    Returns:
        Copies of the outputs if they were poisoned, and what the launch returned.
    """
    names = [
        name
        for name, value in case.arguments.items()
        if isinstance(value, Array) and value.is_output
    ]
    if poison:
        for name in names:
            value = arguments[name]
            value.fill_(float("nan") if value.is_floating_point() else 85)
    compiled = kernel[case.grid](**arguments, **case.constexprs, num_warps=case.num_warps)
    return [arguments[name].clone() for name in names] if poison else [], compiled


def same(one: Sequence[torch.Tensor], other: Sequence[torch.Tensor]) -> bool:
    """Whether tensors are equal to the bit, NaNs too."""
    return all(
        torch.equal(a.view(torch.uint8), b.view(torch.uint8))
        for a, b in zip(one, other, strict=True)
    )


def measure(
    contenders: Mapping[str, Callable[[], object]], rounds: int, milliseconds: int
) -> dict[str, list[float]]:
    """Times contenders in turns.

    Returns:
        Microseconds by contender, one number a turn: the median of that turn's runs.
    """
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(rounds):
        for name in list(contenders) if turn % 2 == 0 else list(reversed(contenders)):
            time = triton.testing.do_bench(
                contenders[name], warmup=10, rep=milliseconds, return_mode="median"
            )
            times[name].append(time * 1000)
    return times


def table(results: Sequence[Mapping[str, Any]]) -> rich.table.Table:
    """The results as a person reads them."""
    shown = rich.table.Table(title=f"{harness.machine()['gpu']}, stock and optimized layouts")
    shown.add_column("case")
    for column in ("conversions", "optimized", "us", "optimized us", "speed / stock", "equal"):
        shown.add_column(column, justify="right")
    for result in results:
        counts, times = result["shared_conversions"], result["microseconds"]
        shown.add_row(
            result["case"],
            str(counts["stock"]),
            str(counts["optimized"]),
            f"{times['stock']:.1f}",
            f"{times['optimized']:.1f}",
            f"{result['speed_to_stock']:.3f}",
            "yes" if result["equal"] else "NO",
        )
    totals = [
        sum(result["shared_conversions"][name] for result in results)
        for name in ("stock", "optimized")
    ]
    shown.add_row("all", *map(str, totals), "", "", "", "", style="bold")
    return shown


def _random(array: Array, generator: torch.Generator) -> torch.Tensor:
    dtype, shape = DTYPES[array.dtype], tuple(array.shape)
    if dtype.is_floating_point:
        return torch.randn(shape, generator=generator, device="cuda").to(dtype)
    bounds = torch.iinfo(dtype)
    return torch.randint(
        bounds.min, bounds.max + 1, shape, generator=generator, device="cuda", dtype=dtype
    )


if __name__ == "__main__":
    sys.exit(main())
