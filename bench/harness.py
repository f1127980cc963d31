"""Measures matrix products: checked first, in turns, on random inputs, repeatable.

Clocks, power and temperature change while a benchmark runs, so contenders take turns and only
figures from one process are compared.
"""

from __future__ import annotations

import dataclasses
import datetime
import functools
import hashlib
import json
import pathlib
import platform
import shlex
import shutil
import statistics
import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
import triton

import triton_plugins

# A matrix product into a given output: (a, b, out).
Matmul = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], object]


@dataclasses.dataclass(frozen=True)
class Problem:
    """One product: (m x k) times (k x n)."""

    m: int
    n: int
    k: int
    dtype: torch.dtype

    @property
    def flops(self) -> int:
        return 2 * self.m * self.n * self.k

    def inputs(self, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        """Random normal matrices; on zeros or constants the GPU would clock higher."""

        def draw(rows: int, cols: int) -> torch.Tensor:
            return torch.randn(
                rows, cols, device=generator.device, dtype=self.dtype, generator=generator
            )

        return draw(self.m, self.k), draw(self.k, self.n)


@dataclasses.dataclass(frozen=True)
class Check:
    """How far a result is from the reference; `worst` is the largest error over its bound."""

    worst: float
    max_error: float

    @property
    def passed(self) -> bool:
        # NaN, which an unwritten element leaves, compares false.
        return self.worst <= 1.0


def check(matmul: Matmul, a: torch.Tensor, b: torch.Tensor) -> Check:
    """Compares a product with a float64 reference; an element that is not written fails.

    The bound of an element is what correct code may be off by: rounding the result to the output's
    type, and K float32 additions each off by a unit in the last place of a partial sum, whose usual
    size is |row| |column| / sqrt(K).
    """
    k = a.shape[1]
    out = torch.full((a.shape[0], b.shape[1]), float("nan"), device=a.device, dtype=a.dtype)
    matmul(a, b, out)
    rounding = torch.finfo(a.dtype).eps / 2
    accumulation = k**0.5 * torch.finfo(torch.float32).eps / 2
    smallest = torch.finfo(a.dtype).smallest_normal * torch.finfo(a.dtype).eps
    b64 = b.double()
    b_norms = b64.norm(dim=0)
    worst, max_error = [], []
    # By rows, since whole float64 matrices would not fit beside large problems.
    for rows, result in zip(a.split(2048), out.split(2048), strict=True):
        a64 = rows.double()
        reference = a64 @ b64
        error = (result.double() - reference).abs()
        bound = (
            rounding * reference.abs()
            + accumulation * a64.norm(dim=1)[:, None] * b_norms
            + smallest
        )
        worst.append((error / bound).max())
        max_error.append(error.max())
    # max() of a tensor passes NaN on, Python's max() may not.
    return Check(float(torch.stack(worst).max()), float(torch.stack(max_error).max()))


def check_all(
    problem: Problem, contenders: Mapping[str, Matmul], a: torch.Tensor, b: torch.Tensor
) -> dict[str, Check]:
    """Checks each contender.

    Raises:
        ArithmeticError: One is wrong.
    """
    checks = {name: check(matmul, a, b) for name, matmul in contenders.items()}
    for name, found in checks.items():
        if not found.passed:
            raise ArithmeticError(
                f"{name} is wrong on {problem}: the largest error is {found.worst:.3g} of its bound"
            )
    return checks


def measure(
    problem: Problem,
    contenders: Mapping[str, Matmul],
    generator: torch.Generator,
    *,
    rounds: int = 7,
    milliseconds: int = 100,
) -> dict[str, list[float]]:
    """Times contenders in turns.

    Args:
        problem: The product to time.
        contenders: The implementations by name.
        generator: Where fresh inputs of every round come from.
        rounds: How often each contender has its turn.
        milliseconds: About how long a turn measures.

    Returns:
        TFLOPS by contender, one number a round: the median of that turn's runs, the L2 cache
        flushed between runs.
    """
    a, b = problem.inputs(generator)
    out = torch.empty((problem.m, problem.n), device=a.device, dtype=a.dtype)

    def refresh() -> None:
        a.normal_(generator=generator)
        b.normal_(generator=generator)

    runs = {name: functools.partial(run, a, b, out) for name, run in contenders.items()}
    return take_turns(runs, refresh, problem.flops, rounds=rounds, milliseconds=milliseconds)


def take_turns(
    contenders: Mapping[str, Callable[[], object]],
    refresh: Callable[[], None],
    flops: int,
    *,
    rounds: int = 7,
    milliseconds: int = 100,
) -> dict[str, list[float]]:
    """Times contenders in turns.

    Args:
        contenders: What to run, by name.
        refresh: Draws new inputs; called before every round.
        flops: Operations of one run.
        rounds: How often each contender has its turn.
        milliseconds: About how long a turn measures.

    Returns:
        TFLOPS by contender, one number a round: the median of that turn's runs, the L2 cache
        flushed between runs.
    """
    speeds: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(rounds):
        refresh()
        # Every second round goes backwards, so that nobody always runs on the chip another one has
        # heated.
        order = list(contenders) if turn % 2 == 0 else list(reversed(contenders))
        for name in order:
            time = triton.testing.do_bench(
                contenders[name], warmup=25, rep=milliseconds, return_mode="median"
            )
            speeds[name].append(flops / time / 1e9)
    return speeds


def fastest(problem: Problem, candidates: Mapping[str, Matmul], generator: torch.Generator) -> str:
    """The name of the fastest candidate in a short measurement; one may fail to run.

    Raises:
        RuntimeError: None runs.
    """
    a, b = problem.inputs(generator)
    out = torch.empty((problem.m, problem.n), device=a.device, dtype=a.dtype)
    return fastest_of({name: functools.partial(run, a, b, out) for name, run in candidates.items()})


def fastest_of(candidates: Mapping[str, Callable[[], object]]) -> str:
    """The name of the fastest candidate in a short measurement; one may fail to run.

    Raises:
        RuntimeError: None runs.
    """
    times: dict[str, float] = {}
    problems: list[str] = []
    for name, run in candidates.items():
        try:
            times[name] = triton.testing.do_bench(run, warmup=25, rep=50)
        # Triton raises RuntimeError where a pass fails.
        except (
            triton.runtime.errors.OutOfResources,
            triton.CompilationError,
            RuntimeError,
        ) as problem_found:
            problems.append(f"{name}: {problem_found}")
    if not times:
        raise RuntimeError("no candidate runs on this GPU: " + "; ".join(problems))
    return min(times, key=lambda name: times[name])


def summarize(speeds: Mapping[str, Sequence[float]]) -> dict[str, dict[str, Any]]:
    """Median, extremes and the rounds behind them, by contender, ready for JSON."""
    return {
        name: {
            "tflops": round(statistics.median(values), 1),
            "min": round(min(values), 1),
            "max": round(max(values), 1),
            "rounds": [round(value, 1) for value in values],
        }
        for name, values in speeds.items()
    }


def machine() -> dict[str, Any]:
    """The GPU that results come from."""
    properties = torch.cuda.get_device_properties(torch.cuda.current_device())
    driver = None
    if shutil.which("nvidia-smi"):
        query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        driver = (
            subprocess.run(query, capture_output=True, text=True).stdout.split("\n")[0].strip()
            or None
        )
    return {
        "gpu": properties.name,
        "multiprocessors": properties.multi_processor_count,
        "memory_gib": round(properties.total_memory / 2**30),
        "driver": driver,
    }


def versions() -> dict[str, Any]:
    """The software that results come from, plugins with the hashes of their libraries."""
    return {
        "python": platform.python_version(),
        "triton": triton.__version__,
        "torch": torch.__version__,
        "runtime": f"ROCm {torch.version.hip}"
        if torch.version.hip
        else f"CUDA {torch.version.cuda}",
        "plugins": {
            plugin.note.name: {
                "version": plugin.note.version,
                "sha256": hashlib.sha256(pathlib.Path(plugin.path).read_bytes()).hexdigest(),
            }
            for plugin in triton_plugins.loaded()
        },
    }


def write_json(
    path: pathlib.Path, benchmark: str, command: Sequence[str], results: Sequence[Mapping[str, Any]]
) -> None:
    """Writes a result file: the numbers and all that is needed to measure them again."""
    document = {
        "benchmark": benchmark,
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "command": shlex.join(command),
        "machine": machine(),
        "versions": versions(),
        "results": list(results),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=2) + "\n")
