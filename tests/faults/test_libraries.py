"""Libraries that are gone, that claim another's names, or that were never loaded."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import triton
import triton.language as tl
import work
from library_maker import LibraryMaker, built

import triton_plugins
from triton_plugins import Pipeline, PluginConflictError, PluginError, PluginNotLoadedError, dsl


@pytest.fixture(scope="module")
def make_library(tmp_path_factory: pytest.TempPathFactory) -> LibraryMaker:
    """Compiles plugin libraries; see `LibraryMaker`."""
    return LibraryMaker(tmp_path_factory.mktemp("libraries"))


# Loads a copy of the plugin, removes it with its folder, and uses what was loaded.
DELETED = """
import os, shutil, sys
import triton_plugins, work
library = os.environ["LIBRARY"]
plugin = triton_plugins.load_path(library)
shutil.rmtree(os.path.dirname(library))
print(work.code(work.TIMES3))
assert triton_plugins.load("scale") == (plugin,)
assert plugin in triton_plugins.loaded()
print(work.code(work.TIMES3))
"""


def test_a_library_deleted_between_load_and_use(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    library = shutil.copy(built("tests/stress/libscale.so"), folder)
    printed = work.python(DELETED, LIBRARY=str(library))
    work.load()
    assert printed.splitlines() == [work.code(work.TIMES3)] * 2


def test_a_library_deleted_before_load(tmp_path: Path) -> None:
    path = tmp_path / "libscale.so"
    with pytest.raises(triton_plugins.PluginFileError, match="No such file or directory"):
        triton_plugins.load_path(path)


def test_two_libraries_with_one_pass_name(make_library: LibraryMaker) -> None:
    first = make_library(passes=["contested"])
    second = make_library(passes=["other", "contested"])
    plugin = triton_plugins.load_path(first)
    for _ in range(2):
        with pytest.raises(PluginConflictError) as caught:
            triton_plugins.load_path(second)
        for named in (str(first), str(second), "contested"):
            assert named in str(caught.value)
    assert plugin in triton_plugins.loaded()
    maps = Path("/proc/self/maps").read_text()
    assert str(first) in maps
    assert str(second) not in maps, "the second was opened, though it was refused"
    with pytest.raises(PluginNotLoadedError):
        work.code(Pipeline("other").append("ttgir", "other"))


@pytest.mark.parametrize("form", [":{0}", "{0}:", "{0}::{1}", ":"])
def test_empty_entries_in_the_variable(form: str, make_library: LibraryMaker) -> None:
    """In Triton 3.8 each of these ends the process."""
    value = form.format(make_library(), make_library())
    printed = work.python(
        "import warnings; warnings.simplefilter('ignore')\n"
        "import triton_plugins\n"
        "try: triton_plugins.load()\n"
        "except triton_plugins.PluginFileError as error: print(error)\n"
        "import work; work.load(); print(len(work.code(work.TIMES3)))",
        TRITON_PLUGIN_PATHS=value,
    ).splitlines()
    assert "TRITON_PLUGIN_PATHS has an empty entry" in printed[0] and repr(value) in printed[0]
    assert printed[1:] == ["64"]


@tl.core.builtin
def absent_op(x, _semantic=None):
    return dsl.create_op(_semantic, "absent_double", x=x)


@triton.jit
def uses_an_absent_op(x):
    value = tl.load(x)
    tl.store(x, absent_op(value))


def test_an_op_of_a_plugin_that_is_not_loaded() -> None:
    with pytest.raises(triton.CompilationError) as caught:
        triton_plugins.compile(uses_an_absent_op, signature={"x": "*fp32"}, target="gfx942")
    assert "tl.store(x, absent_op(value))" in str(caught.value), "Triton shows the line"
    error: BaseException | None = caught.value
    while error is not None and not isinstance(error, PluginError):
        error = error.__cause__
    assert isinstance(error, PluginNotLoadedError)
    for named in ("absent_double", "triton_plugins.load('absent')", "load_path"):
        assert named in str(error)


def test_a_pass_of_a_plugin_that_is_not_loaded() -> None:
    with pytest.raises(PluginNotLoadedError, match=r"'absent_pass'.*load\('absent'\)"):
        work.code(Pipeline("absent").append("ttgir", "absent_pass"))
