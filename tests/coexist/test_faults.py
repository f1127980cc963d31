"""A plugin that cannot be loaded leaves the others working; threads and rebuilt libraries."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import orders
import pytest
from orders import PLUGINS, STOCK

from triton_plugins import PluginError, search

TARGET = "cuda:90"
KERNELS = (STOCK, *PLUGINS)


def _truncate(library: bytes) -> bytes:
    return library[: len(library) // 2]


def _of_another_triton(library: bytes) -> bytes:
    assert library.count(b'"triton_version":"3.9.0"') == 1
    return library.replace(b'"triton_version":"3.9.0"', b'"triton_version":"3.8.0"')


# What is done to a library, and what the error says; None removes it.
FAULTS: Mapping[str, tuple[Callable[[bytes], bytes] | None, str]] = {
    "missing": (None, "No such file"),
    "truncated": (_truncate, "truncated"),
    "of another Triton": (_of_another_triton, "3.8.0"),
}


def _load_all(paths: str) -> tuple[Mapping[str, str], Mapping[tuple[str, str], str]]:
    """Loads what the variable names and then all plugins; returns the errors, and the machine code
    of the kernels of all others."""
    os.environ["TRITON_PLUGIN_PATHS"] = paths
    errors = {}
    for plugin in PLUGINS:
        try:
            orders.load(plugin)
        except PluginError as error:
            errors[plugin] = str(error)
    working = [kernel for kernel in KERNELS if kernel not in errors]
    return errors, orders.codes(working, [TARGET])


@pytest.mark.filterwarnings("ignore:.*TRITON_PLUGIN_PATHS names this library")
def test_a_plugin_that_fails_to_load_leaves_the_others_working(
    new_processes: Callable[..., Any], tmp_path: Path
) -> None:
    cases = {}
    for fault, (change, _) in FAULTS.items():
        for plugin in PLUGINS:
            path = tmp_path / fault / search.library_name(plugin)
            path.parent.mkdir(exist_ok=True)
            if change is not None:
                path.write_bytes(change(search.find(plugin).read_bytes()))
            cases[fault, plugin] = str(path)
    found = new_processes(_load_all, "", *cases.values())
    errors, expected = found.pop(0)
    assert not errors and len(expected) == len(KERNELS)
    for (fault, plugin), (errors, codes) in zip(cases, found, strict=True):
        # The library beside the package takes the place of one that is gone.
        failed = {plugin} if fault != "missing" else set()
        assert errors.keys() == failed, (fault, plugin, errors)
        assert all(FAULTS[fault][1] in error for error in errors.values()), errors
        assert codes == {key: code for key, code in expected.items() if key[0] not in failed}


def _by_threads(_: None) -> tuple[Mapping[str, str], list[tuple[str, str]]]:
    """The machine code of all kernels by one thread, and by four at once."""
    for plugin in PLUGINS:
        orders.load(plugin)
    os.environ["TRITON_ALWAYS_COMPILE"] = "1"

    def compile(kernel: str) -> tuple[str, str]:
        return kernel, orders.digest(orders.compile_for(kernel, TARGET))

    alone = dict(map(compile, KERNELS))
    with ThreadPoolExecutor(4) as pool:
        return alone, list(pool.map(compile, KERNELS * 4))


def test_threads_compile_kernels_of_different_plugins(new_processes: Callable[..., Any]) -> None:
    ((alone, found),) = new_processes(_by_threads, None)
    assert found == list(alone.items()) * 4


def test_a_rebuilt_library_compiles_its_kernels_anew_and_no_others(
    new_processes: Callable[..., Any], tmp_path: Path, cache: Path
) -> None:
    libraries = {plugin: tmp_path / search.library_name(plugin) for plugin in PLUGINS}
    for plugin, library in libraries.items():
        library.write_bytes(search.find(plugin).read_bytes())
    # Its text is part of every key, too.
    variable = ":".join(map(str, libraries.values()))
    ((errors, codes),) = new_processes(_load_all, variable)
    assert not errors
    count = len(list(cache.rglob("*.cubin")))
    assert count == len(KERNELS)
    for library in libraries.values():
        # Another build of the same code.
        with library.open("ab") as file:
            file.write(b"\0")
        assert new_processes(_load_all, variable) == [({}, codes)]
        count += 1
        assert len(list(cache.rglob("*.cubin"))) == count
