"""Tests of //tools:python."""

from __future__ import annotations

import os
import pathlib
import subprocess

_PYTHON = os.path.abspath("tools/python")


def run(folder: pathlib.Path, *arguments: str, text: str = "") -> str:
    """Runs the program as `bazel run` would from the folder, and returns what it printed."""
    environment = {**os.environ, "BUILD_WORKING_DIRECTORY": str(folder)}
    environment.pop("PYTHONPATH", None)
    return subprocess.run(
        [_PYTHON, *arguments],
        env=environment,
        input=text,
        capture_output=True,
        check=True,
        text=True,
    ).stdout


def test_plugins_can_be_imported_and_found(tmp_path: pathlib.Path) -> None:
    assert (
        run(tmp_path, "-c", "import triton_plugins as t; print(t.load('tlx')[0].note.name)")
        == "tlx\n"
    )


def test_script_sees_its_folder_arguments_and_working_directory(tmp_path: pathlib.Path) -> None:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "neighbour.py").write_text("x = 1")
    script = tmp_path / "scripts" / "script.py"
    script.write_text("import neighbour, os, sys; print(os.getcwd(), *sys.argv[1:])")
    assert run(tmp_path, "scripts/script.py", "-a", "b") == f"{tmp_path} -a b\n"


def test_module(tmp_path: pathlib.Path) -> None:
    (tmp_path / "here.py").write_text("print(__name__)")
    assert run(tmp_path, "-m", "here") == "__main__\n"


def test_standard_input(tmp_path: pathlib.Path) -> None:
    assert run(tmp_path, text="import triton; print(triton.__version__)").startswith("3.")
