"""What a launch of a warm kernel costs the CPU, by how a plugin is applied to it.

    python -m bench.launch --out bench/results/launch.json

Each of several processes measures all contenders: first stock Triton, before triton_plugins is
imported; then, in turns, the same kernel with the plugin loaded and no pipeline, under `use`, in a
`with` block, installed for the process, and under the hook that Triton's own README recommends. The
kernel does nothing, so the GPU never falls behind.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import triton
from triton import knobs

STOCK = "stock Triton, no hook"
LOADED = "plugin loaded, no pipeline"

# Launches that are timed together: many beside a look at the clock, few beside an interruption.
BATCH = 50

# A launch of the kernel, and what is active around a turn of them.
Contender = tuple[Callable[[], object], Callable[[], AbstractContextManager[Any]]]


@triton.jit
def nothing(x, y, out, n, BLOCK: triton.language.constexpr):
    """Takes what a small kernel takes and returns."""


def turn(launch: Callable[[], object], synchronize: Callable[[], object], launches: int) -> float:
    """Microseconds of one launch: the median over batches, so that what else the machine does now
    and then does not count."""
    launch()
    synchronize()
    batches = []
    gc.disable()
    for _ in range(max(1, launches // BATCH)):
        start = time.perf_counter_ns()
        for _ in range(BATCH):
            launch()
        batches.append((time.perf_counter_ns() - start) / BATCH / 1000)
        synchronize()
    gc.enable()
    return statistics.median(batches)


@contextmanager
def documented_hook() -> Iterator[None]:
    """The hook in its slot."""
    from bench import documented_hook

    knobs.runtime.add_stages_inspection_hook = documented_hook.hook
    try:
        yield
    finally:
        knobs.runtime.add_stages_inspection_hook = None


def with_plugin(arguments: Sequence[Any]) -> Mapping[str, Contender]:
    """Loads the plugin; returns everyone but stock Triton."""
    import triton_plugins
    import triton_plugins.tlx as tlx

    used = triton_plugins.use(tlx.PIPELINE)(nothing)

    def launch() -> None:
        nothing[(1,)](*arguments, BLOCK=128)

    def launch_used() -> None:
        used[(1,)](*arguments, BLOCK=128)

    def launch_in_block() -> None:
        with tlx.PIPELINE:
            nothing[(1,)](*arguments, BLOCK=128)

    @contextmanager
    def installed() -> Iterator[None]:
        tlx.PIPELINE.install()
        try:
            yield
        finally:
            tlx.PIPELINE.uninstall()

    return {
        LOADED: (launch, nullcontext),
        "use(pipeline)": (launch_used, nullcontext),
        "with pipeline: around many launches": (launch, lambda: tlx.PIPELINE),
        "with pipeline: around each launch": (launch_in_block, nullcontext),
        "pipeline.install()": (launch, installed),
        "the README's hook": (launch, documented_hook),
    }


def measure(
    arguments: Sequence[Any], synchronize: Callable[[], object], turns: int, launches: int
) -> dict[str, list[float]]:
    """Measures everyone in this process, in which nobody may have imported triton_plugins.

    Args:
        arguments: Three tensors and a number.
        synchronize: Waits for the GPU.
        turns: How often each contender has its turn.
        launches: Launches in a turn.

    Returns:
        Microseconds of a launch by contender, one number a turn.
    """
    times: dict[str, list[float]] = {}

    def stock() -> None:
        nothing[(1,)](*arguments, BLOCK=128)

    times[STOCK] = [turn(stock, synchronize, launches) for _ in range(turns)]
    contenders = with_plugin(arguments)
    for number in range(turns):
        order = list(contenders) if number % 2 == 0 else list(reversed(contenders))
        for name in order:
            launch, around = contenders[name]
            with around():
                times.setdefault(name, []).append(turn(launch, synchronize, launches))
            # Else the next contender would pay for this one.
            assert knobs.runtime.add_stages_inspection_hook is None
    return {name: times[name] for name in (STOCK, *contenders)}


def measure_on_gpu(turns: int, launches: int) -> dict[str, list[float]]:
    """Measures everyone on the current GPU."""
    import torch

    if not torch.cuda.is_available():
        raise RuntimeError("PyTorch finds no GPU here")
    tensors = [torch.empty(128, device="cuda") for _ in range(3)]
    return measure((*tensors, 128), torch.cuda.synchronize, turns, launches)


def in_new_process(turns: int, launches: int) -> dict[str, list[float]]:
    """Measures everyone in a process of its own."""
    command = [
        sys.executable, "-m", "bench.launch", "--measure",
        f"--turns={turns}", f"--launches={launches}",
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError(f"a measuring process ended with exit code {done.returncode}")
    return json.loads(done.stdout.splitlines()[-1])


def summarize(processes: Sequence[Mapping[str, Sequence[float]]]) -> list[dict[str, Any]]:
    """Medians over the processes, each the median of its turns; differences within a process.

    Stock Triton is measured before the others, and the clocks of a CPU drift by more than what is
    looked for. The others take turns, so what a pipeline costs is its difference to the kernel with
    the plugin loaded and no pipeline, for which Triton runs the same code as without us.
    """
    medians = [
        {name: statistics.median(times) for name, times in process.items()} for process in processes
    ]
    return [
        {
            "contender": name,
            "microseconds": round(statistics.median(m[name] for m in medians), 3),
            "over_stock": round(statistics.median(m[name] - m[STOCK] for m in medians), 3),
            "over_loaded": round(statistics.median(m[name] - m[LOADED] for m in medians), 3),
            "processes": [round(m[name], 3) for m in medians],
        }
        for name in medians[0]
    ]


def parse_args(argv: Sequence[str]) -> argparse.Namespace:
    """Parses the command line."""
    parser = argparse.ArgumentParser(
        prog="bench.launch",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for name, default, meaning in (
        ("processes", 5, "processes that measure, one after another"),
        ("turns", 11, "turns of every contender in a process"),
        ("launches", 2000, "launches in a turn"),
    ):
        parser.add_argument(
            f"--{name}", type=int, default=default, metavar="N", help=f"{meaning} (%(default)s)"
        )
    parser.add_argument("--out", type=pathlib.Path, metavar="FILE", help="a JSON file to write")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if min(args.processes, args.turns, args.launches) < 1:
        parser.error("processes, turns and launches are whole numbers from 1 on")
    return args


def main(argv: Sequence[str]) -> int:
    """Runs the benchmark and returns its exit code."""
    args = parse_args(argv)
    # Triton 3.9 warns where this is not set, since 3.10 will have another default.
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
    try:
        if args.measure:
            print(json.dumps(measure_on_gpu(args.turns, args.launches)))
            return 0
        processes = [in_new_process(args.turns, args.launches) for _ in range(args.processes)]
        results = summarize(processes)
        for row in results:
            print(
                f"{row['microseconds']:7.3f} us  {row['over_stock']:+7.3f} over stock"
                f"  {row['over_loaded']:+7.3f} over no pipeline  {row['contender']}",
                flush=True,
            )
        if args.out:
            import triton_plugins
            from bench import harness

            # For the versions in the result file.
            triton_plugins.load("tlx")
            # `bazel run` starts programs elsewhere and leaves the user's folder in this variable.
            out = pathlib.Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."), args.out)
            harness.write_json(out, "launch", ["python", "-m", "bench.launch", *argv], results)
            print(f"results in {out}")
    except (ModuleNotFoundError, RuntimeError) as problem:
        print(f"bench.launch: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
