"""Processes that have loaded no plugin, and a cache folder for each test."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import orders
import pytest

_SPAWN = multiprocessing.get_context("spawn")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Triton's cache folder, of the test's own."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("TRITON_CACHE_DIR", str(folder))
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "1")
    # What it names would be loaded before everything else.
    monkeypatch.delenv("TRITON_PLUGIN_PATHS", raising=False)
    return folder


@pytest.fixture
def new_processes(cache: Path) -> Iterator[Callable[..., list[Any]]]:
    """Calls a function with each argument in a process of its own, which has loaded no plugin: a
    child of one that has only imported Triton, which saves most of its start."""
    with ProcessPoolExecutor(2, mp_context=_SPAWN) as parents:

        def call(function: Callable[..., Any], *arguments: Any) -> list[Any]:
            jobs = [parents.submit(orders.in_a_child, function, argument) for argument in arguments]
            return [job.result(orders.SECONDS) for job in jobs]

        yield call
