"""Tests that the programs inside lit_test, pytest_test and gpu_test pass and fail rightly."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

_HERE = pathlib.Path("tools/testing").absolute()
_PASS = "def test_1(): pass\ndef test_2(): pass\n"
_FAIL = "def test_1(): assert False\n"


def run(program: str, folder: pathlib.Path, *arguments: str, **environment: str) -> tuple[int, str]:
    """Runs one of the programs in a folder of its own, and returns its exit code and output."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("TEST", "XML_OUTPUT", "PYTEST"))
    }
    kept["PYTHONPATH"] = os.pathsep.join(sys.path)
    result = subprocess.run(
        [sys.executable, str(_HERE / program), *arguments],
        cwd=folder,
        env=kept | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return result.returncode, result.stdout


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    """A folder with the configuration that pytest_main.py names."""
    (tmp_path / "pyproject.toml").touch()
    return tmp_path


@pytest.mark.parametrize(("text", "expected"), [(_PASS, 0), (_FAIL, 1), ("", 5)])
def test_pytest(folder: pathlib.Path, text: str, expected: int) -> None:
    (folder / "test_it.py").write_text(text)
    assert run("pytest_main.py", folder, "test_it.py")[0] == expected


def test_pytest_filter(folder: pathlib.Path) -> None:
    (folder / "test_it.py").write_text(_PASS)
    code, output = run("pytest_main.py", folder, "test_it.py", TESTBRIDGE_TEST_ONLY="test_2")
    assert (code, "1 passed, 1 deselected" in output) == (0, True)


def test_pytest_shards_share_the_tests(folder: pathlib.Path) -> None:
    (folder / "test_it.py").write_text(_PASS)
    status = folder / "status"
    for index in range(3):
        code, output = run(
            "pytest_main.py",
            folder,
            "-v",
            "test_it.py",
            TEST_TOTAL_SHARDS="3",
            TEST_SHARD_INDEX=str(index),
            TEST_SHARD_STATUS_FILE=str(status),
        )
        passed = [number for number in (1, 2) if f"test_{number} PASSED" in output]
        assert (code, passed) == (0, [index + 1] if index < 2 else [])
    assert status.exists()


@pytest.mark.skipif(os.path.exists("/dev/kfd"), reason="this machine has an AMD GPU")
def test_gpu_tests_are_skipped_before_they_import_anything(folder: pathlib.Path) -> None:
    (folder / "test_it.py").write_text("import absent_module\n" + _FAIL)
    code, output = run("pytest_main.py", folder, "--gpu=amd", "test_it.py")
    assert (code, "needs a GPU (amd): this machine has no /dev/kfd" in output) == (0, True)


@pytest.mark.parametrize(
    ("line", "expected"),
    [("cat %s | %FileCheck %s", 0), ("%plugin_opt %s", 0), ("false", 1), ("absent", 1)],
)
def test_lit(folder: pathlib.Path, line: str, expected: int) -> None:
    (folder / "it.mlir").write_text(f"// RUN: {line}\n")
    code, output = run(
        "lit_main.py",
        folder,
        "--filecheck=bin/echo",
        "--plugin_opt=bin/true",
        "--plugin=absent.so",
        "it.mlir",
        RUNFILES_DIR="/usr",
    )
    summary = "Failed: 1" if expected else "Passed: 1"
    assert (code, summary in output) == (expected, True), output


def test_lit_file_without_run_lines_fails(folder: pathlib.Path) -> None:
    (folder / "it.mlir").write_text("module {}\n")
    arguments = ("--filecheck=bin/echo", "--plugin_opt=bin/true", "it.mlir")
    code, output = run("lit_main.py", folder, *arguments, RUNFILES_DIR="/usr")
    assert (code, "no 'RUN:' line" in output) == (1, True), output
