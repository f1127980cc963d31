"""Processes that run with one release of Triton and the core, and with nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest
import triton

import triton_plugins

# Folders that hold a package each; the build passes them.
_VARIABLES = {"3.7.1": "TRITON_3_7", "3.8.0": "TRITON_3_8", "utlx": "UTLX"}
_CORE = Path(triton_plugins.__file__).parents[1]


def folder(name: str) -> Path:
    """Returns the folder of a release of Triton ("3.8.0"), or of "utlx".

    Skips the test, and says why, where this Python has no wheel of it.
    """
    if name == triton.__version__:
        return Path(triton.__file__).parents[1]
    path = Path(os.environ[_VARIABLES[name]]).absolute()
    missing = path / "MISSING"
    if missing.exists():
        pytest.skip(missing.read_text())
    return path


def wheel_plugin(release: str, name: str = "libTritonPluginsTestLib.so") -> Path:
    """Returns a test plugin that the wheel of a release carries."""
    return folder(release) / "triton" / "plugins" / name


def python(
    release: str, *arguments: str | Path, cache: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs Python with one release of Triton.

    Args:
        release: The release, for example "3.8.0".
        arguments: What follows `python3`.
        cache: Folder for Triton's cache.
        environment: More variables.
    """
    needed = [_CORE, *(distribution(name).locate_file("") for name in ("pyelftools", "rich"))]
    paths = dict.fromkeys(str(path) for path in (folder(release), *needed))
    # The wheel under test is first, so that another one beside a package is never taken.
    variables = {
        "HOME": str(cache),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(paths),
        "TRITON_CACHE_DIR": str(cache),
        "TRITON_DEFAULT_FP_FUSION": "1",
        **environment,
    }
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        env=variables,
        capture_output=True,
        text=True,
        timeout=300,
    )
