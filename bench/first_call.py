"""Seconds of the first call of a kernel, with nothing compiled before.

    python -m bench.first_call 5

prints for each contender and five processes what `bench.gemm_host` collects: the seconds of the
process's first call, of calls after it that find nothing compiled either, and of the plugin's
import before them. Calls multiply two 4096 x 4096 matrices of float16, and include the result.

    stock  a configuration of stock Triton's kernel, in a process that loads no plugin
    tlx    a configuration of the persistent kernel, with the same tile
    tuned  a new shape: all configurations that the model proposes are compiled and measured

Processes run side by side. Those of stock Triton and of one configuration take turns, so that both
find the same machine.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from triton import knobs
from triton.runtime import driver

from bench import harness

SIZE = 4096
# Calls after a process's first one.
LATER = 1
# Processes at the same time; those that tune compile in several threads.
PROCESSES = 5
TUNING_PROCESSES = 3
Call = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], object]


def stock() -> tuple[Any, Call]:
    """Stock Triton's kernel, and a call of it with a tile of 128 x 256 x 64."""
    from bench import stock_gemm

    def call(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> None:
        next(iter(stock_gemm.candidates(a, b, c.shape[1]).values()))(a, b, c)

    return stock_gemm.persistent_gemm, call


def tlx() -> tuple[Any, Call]:
    """The persistent kernel, and a call of it with a tile of 128 x 256 x 64."""
    from examples import hopper_gemm_configs, hopper_persistent_gemm

    def call(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> None:
        config = hopper_gemm_configs.candidates(a.element_size())[0]
        hopper_persistent_gemm.Launch(a, b, c, config)

    return hopper_persistent_gemm.hopper_persistent_gemm, call


def tuned() -> tuple[Any, Call]:
    """The persistent kernel, and the choice of a configuration."""
    from examples import hopper_persistent_gemm

    return hopper_persistent_gemm.hopper_persistent_gemm, hopper_persistent_gemm.tuned


CONTENDERS = {"stock": stock, "tlx": tlx, "tuned": tuned}


@contextlib.contextmanager
def nothing_compiled(kernel: Any) -> Iterator[None]:
    """Empties the kernel's cache in memory and gives Triton an empty one on disk."""
    kernel.device_caches.clear()
    with tempfile.TemporaryDirectory() as folder, knobs.cache.scope():
        knobs.cache.dir = folder
        yield


def measure(contender: str) -> dict[str, Any]:
    """Measures a contender in this process, which has not used the GPU before."""
    problem = harness.Problem(SIZE, SIZE, SIZE, torch.float16)
    a, b = problem.inputs(torch.Generator(device="cuda").manual_seed(0))
    c = torch.empty(SIZE, SIZE, device="cuda", dtype=a.dtype)
    # Triton compiles its own access to the driver once for all kernels.
    driver.active.get_current_device()
    torch.cuda.synchronize()
    start = time.perf_counter()
    kernel, call = CONTENDERS[contender]()
    imported = time.perf_counter() - start
    seconds = []
    for _ in range(1 + LATER):
        with nothing_compiled(kernel):
            start = time.perf_counter()
            call(a, b, c)
            torch.cuda.synchronize()
            seconds.append(time.perf_counter() - start)
    return {"import": imported, "first": seconds[0], "later": seconds[1:]}


def measure_all(rounds: int) -> dict[str, list[dict[str, Any]]]:
    """Measures every contender in processes of their own, by contender."""
    # Forked from here, they need not import PyTorch.
    context = multiprocessing.get_context("fork")
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in CONTENDERS}
    for names, processes in ((("stock", "tlx"), PROCESSES), (("tuned",), TUNING_PROCESSES)):
        turns = [name for _ in range(rounds) for name in names]
        with context.Pool(processes, maxtasksperchild=1) as pool:
            for name, result in zip(turns, pool.imap(measure, turns, chunksize=1), strict=True):
                found[name].append(result)
    return found


def main(argv: Sequence[str]) -> int:
    """Prints the measurements and returns the exit code."""
    print(json.dumps(measure_all(int(argv[0]))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
