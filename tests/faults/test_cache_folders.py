"""Cache folders that cannot be read or written: what is in them is used, and where Triton itself
would raise, the same error comes through and leaves nothing behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import work

# Prints the error of a compilation in a folder that forbids it, without and with a pipeline; then
# whether one in another folder works as if nothing had happened.
REFUSED = """
import os
import permissions, work
from triton import knobs
work.load()
permissions.obey()
for pipeline in (None, work.TIMES3):
    try:
        work.code(pipeline)
        print("compiled")
    except OSError as error:
        print(type(error).__name__, str(error.filename).startswith(os.environ["TRITON_CACHE_DIR"]))
    assert knobs.runtime.add_stages_inspection_hook is None
os.environ["TRITON_CACHE_DIR"] = os.environ["GOOD_CACHE"]
print(work.code(None))
print(work.code(work.TIMES3))
"""

# Compiles by the cache alone: a stage that runs would be an error.
FROM_CACHE = """
import permissions, work
from triton.backends.amd.compiler import HIPBackend
work.load()
permissions.obey()
def forbidden(*args):
    raise AssertionError("this was in the cache")
HIPBackend.make_ttir = HIPBackend.make_ttgir = forbidden
print(work.code(None))
print(work.code(work.TIMES3))
"""


@pytest.fixture
def expected() -> list[str]:
    """The code without and with the pipeline, which is also in the test's cache folder now."""
    work.load()
    return [work.code(None), work.code(work.TIMES3)]


@pytest.mark.parametrize("mode", [0o000, 0o555], ids=["unreadable", "read-only"])
def test_an_empty_folder(mode: int, expected: list[str], cache: Path, tmp_path: Path) -> None:
    folder = tmp_path / "forbidden"
    folder.mkdir()
    folder.chmod(mode)
    printed = work.python(REFUSED, TRITON_CACHE_DIR=str(folder), GOOD_CACHE=str(tmp_path / "good"))
    folder.chmod(0o755)
    # Triton's own answer; ours must be no other.
    assert printed.splitlines() == ["PermissionError True"] * 2 + expected
    assert not list(folder.iterdir())


def test_a_filled_folder_that_is_read_only(expected: list[str], cache: Path) -> None:
    for folder, _, files in os.walk(cache):
        for file in files:
            Path(folder, file).chmod(0o444)
        Path(folder).chmod(0o555)
    before = sorted(cache.rglob("*"))
    try:
        printed = work.python(FROM_CACHE)
        assert printed.splitlines() == expected
        assert sorted(cache.rglob("*")) == before
    finally:
        for folder, _, _ in os.walk(cache):
            Path(folder).chmod(0o755)


def test_loading_needs_no_cache_folder(tmp_path: Path) -> None:
    folder = tmp_path / "forbidden"
    folder.mkdir(mode=0o000)
    printed = work.python(
        "import permissions, work; permissions.obey(); work.load(); print('loaded')",
        TRITON_CACHE_DIR=str(folder),
    )
    assert printed == "loaded"


def test_an_unreadable_library(tmp_path: Path) -> None:
    library = tmp_path / "libscale.so"
    library.write_bytes(b"\x7fELF")
    library.chmod(0o000)
    printed = work.python(
        "import permissions, triton_plugins; permissions.obey()\n"
        f"try: triton_plugins.load_path({str(library)!r})\n"
        "except triton_plugins.PluginFileError as error: print(error)"
    )
    assert f"{str(library)!r} cannot be read: Permission denied." in printed
