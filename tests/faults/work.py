"""What the processes of these tests do: a kernel, a pipeline of a plugin that shows in the code, a
compilation. Workers import it anew, so nothing here happens on import."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import triton
import triton.language as tl
from library_maker import built

import triton_plugins
from triton_plugins import Pipeline

TIMES3 = Pipeline("times 3").prepend("ttir", "scale_stores", args=("factor=3",))


@triton.jit
def add(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) + 1.0, mask=at < n)


def load() -> None:
    """Loads the plugin of the pipeline."""
    triton_plugins.load_path(built("tests/stress/libscale.so"))


def code(pipeline: Pipeline | None = TIMES3, block: int = 64) -> str:
    """Compiles the kernel for gfx942, which no program beside the compiler takes part in, and
    returns a digest of the machine code."""
    kernel = triton_plugins.use(pipeline)(add) if pipeline else add
    compiled = triton_plugins.compile(
        kernel,
        signature={"x": "*fp32:16", "y": "*fp32:16", "n": "i32"},
        constexprs={"BLOCK": block},
        target="gfx942",
    )
    return hashlib.sha256(compiled.asm["hsaco"]).hexdigest()


def load_and_compile(pipeline: Pipeline) -> tuple[int, str]:
    """For a worker process: its id and the code that it finds."""
    load()
    return os.getpid(), code(pipeline)


def compile_loaded(pipeline: Pipeline) -> tuple[int, str]:
    """For a worker process that the plugin was loaded for, or not."""
    return os.getpid(), code(pipeline)


def python(script: str, **variables: str) -> str:
    """Runs a script in a new Python with these modules and returns what it prints.

    Raises:
        AssertionError: It failed; with all its output.
    """
    paths = [str(Path(__file__).parent), *sys.path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **variables}
    ran = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == 0, f"exit code {ran.returncode}\n{ran.stdout}\n{ran.stderr}"
    return ran.stdout.strip()
