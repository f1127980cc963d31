"""Eight threads compile 40 kernels under mixed pipelines of four plugins, and every time the
machine code is that of one thread.

A round compiles each of the 40 kernels of cases.py once, from Python source to cubin or hsaco; no
cache answers. Eight threads start together and share the kernels in an order that the round's
number decides, so each round puts other kernels side by side. The reference is compiled before by
one thread.

    python -m pytest tests/stress                        30 rounds
    STRESS_ROUNDS=200 python -m pytest tests/stress      the whole test; results.txt has a run of it
"""

from __future__ import annotations

import os
import queue
import random
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from cases import Case, cases, load_plugins
from triton import knobs

import triton_plugins
from triton_plugins import Pipeline

ROUNDS = int(os.environ.get("STRESS_ROUNDS", "30"))
THREADS = 8


class Marks:
    """A Python step that counts its runs."""

    def __init__(self) -> None:
        self.count = 0
        self._lock = threading.Lock()

    def __call__(self, module: Any) -> None:
        with self._lock:
            self.count += 1


@pytest.fixture(autouse=True)
def compile_every_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No compilation is answered from the cache, though all of them write into it."""
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "1")
    yield
    assert knobs.runtime.add_stages_inspection_hook is None


@pytest.fixture(scope="module")
def marks() -> Marks:
    return Marks()


@pytest.fixture(scope="module")
def kernels(marks: Marks) -> Sequence[Case]:
    foreign = triton_plugins.load_path(load_plugins())
    assert not foreign.has_note
    assert len(triton_plugins.loaded()) >= 4
    made = cases(foreign.note.passes[0], marks)
    assert len(made) == 40
    return made


def compile_all(kernels: Sequence[Case], order: Sequence[int]) -> dict[int, tuple[bytes, str]]:
    """Compiles all kernels, each once, by eight threads that start together."""
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    for index in order:
        waiting.put(index)
    start = threading.Barrier(THREADS)

    def work(_: int) -> dict[int, tuple[bytes, str]]:
        start.wait()
        done = {}
        while True:
            try:
                index = waiting.get_nowait()
            except queue.Empty:
                return done
            done[index] = kernels[index].compile()

    with ThreadPoolExecutor(THREADS) as pool:
        return {
            index: code for part in pool.map(work, range(THREADS)) for index, code in part.items()
        }


def compare(kernels: Sequence[Case], marks: Marks, rounds: int) -> None:
    """Compiles everything by one thread and then in rounds by eight."""
    reference = [case.compile() for case in kernels]
    # Pipelines show in the code: without that, one that reached the wrong kernel would not be seen.
    assert len({code for code, _ in reference}) >= 32
    marks_a_round = sum(case.marks for case in kernels)
    hook = knobs.runtime.add_stages_inspection_hook
    began = time.monotonic()
    for number in range(rounds):
        order = random.Random(number).sample(range(len(kernels)), len(kernels))
        marks.count = 0
        found = compile_all(kernels, order)
        wrong = [kernels[i].name for i in order if found[i] != reference[i]]
        assert not wrong, f"round {number}: other code than one thread's for {'; '.join(wrong)}"
        assert marks.count == marks_a_round, f"round {number}: a step ran too often or not at all"
        assert knobs.runtime.add_stages_inspection_hook is hook
    seconds = time.monotonic() - began
    print(
        f"{rounds} rounds of {len(kernels)} kernels by {THREADS} threads in {seconds:.0f} s: "
        "all machine code equal to that of one thread"
    )


def test_machine_code_is_that_of_one_thread(kernels: Sequence[Case], marks: Marks) -> None:
    compare(kernels, marks, ROUNDS)


def test_under_an_installed_pipeline(kernels: Sequence[Case], marks: Marks) -> None:
    """The same, around a pipeline that is installed for the process."""
    base = Pipeline("base").prepend("ttir", "scale_stores", args=("factor=7",))
    base.install()
    try:
        compare(kernels, marks, max(1, ROUNDS // 10))
    finally:
        base.uninstall()


def test_one_thread_finds_the_same_code_in_any_order(kernels: Sequence[Case]) -> None:
    """The reference does not depend on what was compiled before."""
    forward = [case.compile() for case in kernels]
    backward = [case.compile() for case in reversed(kernels)]
    assert backward[::-1] == forward
