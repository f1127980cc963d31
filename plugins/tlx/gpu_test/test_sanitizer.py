"""compute-sanitizer on the Hopper examples at small sizes, and on stock Triton beside them."""

import os
import re
import shutil
import subprocess
import sys

import pytest

torch = pytest.importorskip(
    "torch", reason="needs PyTorch and a Hopper GPU; PyTorch cannot be imported"
)

from plugins.tlx.gpu_test import sanitizer_programs  # noqa: E402
from tools.testing import hopper  # noqa: E402

SANITIZER = shutil.which("compute-sanitizer")
pytestmark = [
    *hopper.MARKS,
    pytest.mark.skipif(SANITIZER is None, reason="needs compute-sanitizer of the CUDA toolkit"),
]

# What the driver keeps for itself at the start of a program's shared memory.
RESERVED_BYTES = 1024
# In a cluster, the bits above say which block's shared memory it is (as in the addresses of mapa).
BLOCK_BYTES = 1 << 24
EXAMPLES = [name for name in sanitizer_programs.PROGRAMS if not name.startswith("stock")]


def sanitize(tool: str, program: str, *options: str) -> str:
    """Runs a program under a tool; fails if the program does, or if the tool finds an error."""
    assert SANITIZER is not None
    # Triton's launcher asks for a mode of shared memory that not all drivers know, and goes on
    # without it: an error of the API in every kernel of more than 48 KB, stock Triton's too.
    command = [SANITIZER, "--tool", tool, "--report-api-errors", "no", "--error-exitcode", "7"]
    command += [*options, sys.executable, sanitizer_programs.__file__, program]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
    assert "the result is right" in run.stdout, run.stdout[-4000:] + run.stderr[-2000:]
    if tool != "racecheck":
        assert run.returncode == 0, run.stdout[-4000:]
    return run.stdout


def hazards(report: str) -> set[int]:
    """Where in a kernel's shared memory racecheck saw hazards, in bytes."""
    found = re.findall(r"hazard detected at __shared__ (0x[0-9a-f]+)", report)
    assert (" 0 hazards displayed" in report) == (not found), report[-4000:]
    return {int(address, 16) % BLOCK_BYTES - RESERVED_BYTES for address in found}


def expected(report: str) -> set[int]:
    """The bytes that start other warps, and numbers of tiles, as the program printed them."""
    printed = re.findall(r"^(?:handed over|numbers):(.*)$", report, re.M)
    assert len(printed) == 2
    return {int(byte) for line in printed for byte in line.split()}


@pytest.mark.parametrize("example", EXAMPLES)
def test_memory(example):
    sanitize("memcheck", example)


@pytest.mark.parametrize("example", EXAMPLES)
def test_synchronization(example):
    sanitize("synccheck", example)


@pytest.mark.parametrize("example", EXAMPLES)
def test_races(example):
    report = sanitize("racecheck", example, "--racecheck-report", "hazard", "--print-limit", "0")
    assert hazards(report) <= expected(report)


def test_stock_tasks_have_the_same_hazards():
    # The default warps write a byte for each other warp and the values that tasks use, all warps
    # meet at hardware barrier 1, and the others read: code of stock's `ttg.warp_specialize`.
    # racecheck does not see that the two places in the program where warps come to that barrier
    # are one meeting.
    report = sanitize(
        "racecheck", "stock tasks", "--racecheck-report", "hazard", "--print-limit", "0"
    )
    assert hazards(report)
    assert hazards(report) <= expected(report)
