"""Tests of cache."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import cache
import pytest
from console import BootstrapError


def test_folder() -> None:
    environment = {"HOME": "/h", "XDG_CACHE_HOME": "/x", "TRITON_PLUGINS_CACHE": "/t"}
    assert cache.folder(environment) == pathlib.Path("/t")
    del environment["TRITON_PLUGINS_CACHE"]
    assert cache.folder(environment) == pathlib.Path("/x/triton-plugins")
    environment["XDG_CACHE_HOME"] = ""
    assert cache.folder(environment) == pathlib.Path("/h/.cache/triton-plugins")
    with pytest.raises(BootstrapError, match="set TRITON_PLUGINS_CACHE"):
        cache.folder({})


def test_second_process_waits_and_says_so(tmp_path: pathlib.Path) -> None:
    program = (
        "import cache, pathlib, sys\nwith cache.lock(pathlib.Path(sys.argv[1]), 'x'): print('in')"
    )
    with cache.lock(tmp_path, "x"):
        second = subprocess.Popen(
            [sys.executable, "-c", program, tmp_path],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.path.dirname(cache.__file__)},
        )
        assert "waiting until it is done" in second.stderr.readline()
        assert second.poll() is None
    assert second.communicate(timeout=30)[0] == "in\n"


def test_lock_marks_the_folder(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "new" / "cache"
    with cache.lock(folder, "x"):
        assert cache.is_marked(folder)


def test_folder_with_other_files_is_refused(tmp_path: pathlib.Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with (
        pytest.raises(BootstrapError, match=r"thesis\.tex.*TRITON_PLUGINS_CACHE"),
        cache.lock(tmp_path, "x"),
    ):
        pass
    assert not cache.is_marked(tmp_path)


def test_folder_that_cannot_be_made(tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(BootstrapError, match="cannot be written.*TRITON_PLUGINS_CACHE"),
        cache.lock(tmp_path / "file" / "cache", "x"),
    ):
        pass


def test_remove_read_only_folders(tmp_path: pathlib.Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o500)
    inner = tmp_path / "cache" / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "file").touch()
    (inner / "link").symlink_to(outside)
    inner.chmod(0o500)
    inner.parent.chmod(0o500)
    cache.remove(tmp_path / "cache")
    assert not (tmp_path / "cache").exists()
    assert outside.stat().st_mode & 0o777 == 0o500
    cache.remove(tmp_path / "cache")
