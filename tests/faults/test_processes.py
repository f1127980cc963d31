"""Processes that come from one with loaded plugins: forked with all that is loaded, or spawned with
nothing."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import work
from library_maker import LibraryMaker
from triton import knobs

import triton_plugins
from triton_plugins import PluginNotLoadedError, interface

FORK = multiprocessing.get_context("fork")
SPAWN = multiprocessing.get_context("spawn")
# A child that hangs fails the test instead of the whole run.
SECONDS = 60


@pytest.fixture(autouse=True)
def compile_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """No process gets its answer from another's cache entry."""
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")


@pytest.fixture
def expected() -> Sequence[str]:
    """The code without and with the pipeline."""
    work.load()
    found = [work.code(None), work.code(work.TIMES3)]
    assert found[0] != found[1]
    return found


def test_fork_after_load(expected: Sequence[str]) -> None:
    with ProcessPoolExecutor(2, mp_context=FORK) as pool:
        jobs = [pool.submit(work.compile_loaded, p) for p in (None, work.TIMES3) * 2]
        found = [job.result(SECONDS) for job in jobs]
    assert [code for _, code in found] == expected * 2
    assert os.getpid() not in {process for process, _ in found}


def test_fork_inside_of_a_block(expected: Sequence[str]) -> None:
    """A child goes on under the pipelines that were active where it was forked."""
    with work.TIMES3, ProcessPoolExecutor(1, mp_context=FORK) as pool:
        found = pool.submit(work.compile_loaded, None).result(SECONDS)
    assert found[1] == expected[1]
    assert work.code(None) == expected[0]


def test_fork_under_an_installed_pipeline(expected: Sequence[str]) -> None:
    """It is installed in the child as well, whichever thread installed it."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(work.TIMES3.install).result()
    try:
        with ProcessPoolExecutor(1, mp_context=FORK) as pool:
            found = [pool.submit(work.compile_loaded, None).result(SECONDS)[1]]
            pool.submit(work.TIMES3.uninstall).result(SECONDS)
            found.append(pool.submit(work.compile_loaded, None).result(SECONDS)[1])
    finally:
        work.TIMES3.uninstall()
    assert found == expected[::-1]


def test_fork_while_threads_compile(expected: Sequence[str]) -> None:
    """Locks that other threads hold at that moment are free in the child."""

    def compile_on(_: int) -> None:
        for block in (32, 64, 128, 256):
            with work.TIMES3:
                work.code(None, block)

    with ThreadPoolExecutor(4) as threads:
        busy = [threads.submit(compile_on, number) for number in range(4)]
        for _ in range(5):
            assert _exit_code_of_child(expected[1]) == 0
        for job in busy:
            job.result()


def test_fork_while_a_thread_loads(
    expected: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The child may load, though the thread that was loading does not exist there."""
    opening = threading.Event()
    real = interface.open_library

    def slowly(*args: Any, **kwargs: Any) -> Any:
        opening.set()
        time.sleep(1)
        return real(*args, **kwargs)

    monkeypatch.setattr(interface, "open_library", slowly)
    library = LibraryMaker(tmp_path)()
    loader = threading.Thread(target=triton_plugins.load_path, args=(library,))
    loader.start()
    assert opening.wait(SECONDS)
    assert _exit_code_of_child(expected[1]) == 0
    loader.join()
    assert library in [plugin.path for plugin in triton_plugins.loaded()]


def test_fork_while_a_thread_is_in_a_block(expected: Sequence[str]) -> None:
    """The thread's pipeline is not the child's, whose hook slot is empty."""
    inside, done = threading.Event(), threading.Event()

    def stay() -> None:
        with work.TIMES3:
            inside.set()
            done.wait(SECONDS)

    thread = threading.Thread(target=stay)
    thread.start()
    assert inside.wait(SECONDS)
    try:
        assert _exit_code_of_child(expected[1]) == 0
    finally:
        done.set()
        thread.join()


def test_fork_at_the_moment_of_activation(expected: Sequence[str]) -> None:
    """As above, in the middle of a change of the slot: the child is not left with a lock."""
    stop = threading.Event()

    def flicker() -> None:
        while not stop.is_set():
            with work.TIMES3:
                pass

    threads = [threading.Thread(target=flicker) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            assert _exit_code_of_child(None) == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def _exit_code_of_child(code: str | None) -> int | None:
    child = FORK.Process(target=_expect, args=(code,))
    child.start()
    child.join(SECONDS)
    if child.exitcode is None:
        child.kill()
    return child.exitcode


def _expect(code: str | None) -> None:
    # Loading and activating take every lock that triton_plugins has.
    work.load()
    with work.TIMES3:
        pass
    assert code is None or work.code(work.TIMES3) == code
    assert knobs.runtime.add_stages_inspection_hook is None


def test_spawned_workers(expected: Sequence[str]) -> None:
    """Workers that start from nothing get the pipeline by pickle and load the plugin themselves."""
    with ProcessPoolExecutor(2, mp_context=SPAWN) as pool:
        jobs = [pool.submit(work.load_and_compile, work.TIMES3) for _ in range(2)]
        found = [job.result(SECONDS) for job in jobs]
    assert [code for _, code in found] == [expected[1]] * 2


def test_a_spawned_worker_without_the_plugin(expected: Sequence[str]) -> None:
    """What the parent has computed for a pipeline doesn't travel: the child's plugins count."""
    with ProcessPoolExecutor(1, mp_context=SPAWN) as pool:
        job = pool.submit(work.compile_loaded, work.TIMES3)
        with pytest.raises(PluginNotLoadedError, match="'scale_stores'.*load_path"):
            job.result(SECONDS)


def test_a_pipeline_survives_pickle(expected: Sequence[str]) -> None:
    copy = pickle.loads(pickle.dumps(work.TIMES3))
    assert copy == work.TIMES3
    assert not copy.computed, "a key belongs to the libraries of one process"
    assert work.code(copy) == expected[1]


@pytest.mark.parametrize(
    "error",
    [
        triton_plugins.OpError("x_op", "why", "file.py:3"),
        triton_plugins.PassError("why", "module {}"),
        PluginNotLoadedError("why"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_survive_pickle(error: Exception) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error) and str(copy) == str(error)
    assert vars(copy) == vars(error)


def test_spawned_workers_share_the_cache(
    expected: Sequence[str], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker finds what the parent compiled, and adds nothing."""
    monkeypatch.delenv("TRITON_ALWAYS_COMPILE")
    before = sorted(cache.rglob("*"))
    with ProcessPoolExecutor(1, mp_context=SPAWN) as pool:
        found = pool.submit(work.load_and_compile, work.TIMES3).result(SECONDS)
    assert found[1] == expected[1]
    assert sorted(cache.rglob("*")) == before
