"""compute-sanitizer on the Hopper examples at small sizes."""

import shutil
import subprocess
import sys

import pytest

torch = pytest.importorskip(
    "torch", reason="needs PyTorch and a Hopper GPU; PyTorch cannot be imported"
)

SANITIZER = shutil.which("compute-sanitizer")
HOPPER = (
    torch.cuda.is_available()
    and not torch.version.hip
    and torch.cuda.get_device_capability() == (9, 0)
)
pytestmark = [
    pytest.mark.nvidia,
    pytest.mark.skipif(not HOPPER, reason="needs a Hopper GPU"),
    pytest.mark.skipif(SANITIZER is None, reason="needs compute-sanitizer of the CUDA toolkit"),
]

PERSISTENT = """
import torch
from examples import hopper_gemm_plans, hopper_persistent_gemm
a, b = torch.ones(200, 264, device="cuda").half(), torch.ones(264, 328, device="cuda").half()
c = torch.empty(200, 328, device="cuda").half()
config = hopper_gemm_plans.candidates(2)[{index}]
hopper_persistent_gemm.Launch(a, b, c, config)
assert (c == 264).all()
"""
PIPELINED = """
import torch
from examples.hopper_gemm_kernel import matmul
a, b = torch.ones(200, 265, device="cuda").half(), torch.ones(265, 327, device="cuda").half()
assert (matmul(a, b) == 265).all()
"""
PROGRAMS = {
    "cooperative": PERSISTENT.format(index=0),
    "pingpong": PERSISTENT.format(index=2),
    "pipelined": PIPELINED,
}


@pytest.mark.parametrize("tool", ["memcheck", "racecheck", "synccheck"])
@pytest.mark.parametrize("example", list(PROGRAMS))
def test_clean(example, tool):
    assert SANITIZER is not None
    run = subprocess.run(
        [SANITIZER, "--tool", tool, "--error-exitcode", "7"]
        + [sys.executable, "-c", PROGRAMS[example]],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
