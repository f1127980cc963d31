"""The GPUs of this machine, asked of the drivers: PyTorch need not be there."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_KFD = Path("/sys/class/kfd/kfd/topology/nodes")
_AMD_DRIVER = Path("/sys/module/amdgpu/version")


@dataclass(frozen=True)
class Gpu:
    """One GPU.

    Attributes:
        name: Its name, as far as the driver tells.
        arch: "sm_90" or "gfx942".
        driver: Version of the driver.
    """

    name: str
    arch: str
    driver: str


def gpus() -> list[Gpu]:
    """The GPUs of both vendors."""
    return [*_nvidia(), *_amd()]


def _nvidia() -> Iterator[Gpu]:
    program = shutil.which("nvidia-smi")
    if program is None:
        return
    query = ["--query-gpu=name,compute_cap,driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run([program, *query], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        # A driver that hangs or a program that does not start is no GPU that could be used.
        return
    if done.returncode:
        return
    for line in done.stdout.splitlines():
        name, capability, driver = (field.strip() for field in line.rsplit(",", 2))
        yield Gpu(name, f"sm_{capability.replace('.', '')}", driver)


def _amd() -> Iterator[Gpu]:
    driver = _AMD_DRIVER.read_text().strip() if _AMD_DRIVER.exists() else "of the kernel"
    for properties in sorted(_KFD.glob("*/properties")):
        try:
            found = re.search(r"^gfx_target_version (\d+)$", properties.read_text(), re.MULTILINE)
        except OSError:
            # Nodes that this user may not see.
            continue
        # Processors are nodes as well, with version 0.
        if found and int(found[1]):
            yield Gpu("AMD GPU", gfx_name(int(found[1])), driver)


def gfx_name(version: int) -> str:
    """The processor that a version of the driver means: 90402 is gfx942."""
    return f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}"
