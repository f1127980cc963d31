"""Loads triton-utlx through the core beside a test plugin of the wheel, compiles one of its
kernels and one of ours, and prints what came out as JSON.

The argument is the folder that holds triton-utlx.
"""

# Triton 3.7 and 3.8 take plugins only before they are imported.
# ruff: noqa: E402

from __future__ import annotations

import importlib.util
import json
import site
import sys
from pathlib import Path
from unittest.mock import MagicMock

UTLX = Path(sys.argv[1])
# Runs the package's .pth file, as in an environment that it is installed in.
site.addsitedir(str(UTLX))
# Its tutorials measure with PyTorch; compiling them needs none.
sys.modules["torch"] = MagicMock()

import triton_plugins
from triton_plugins import running

(UTLX_PLUGIN,) = triton_plugins.load("utlx")
TEST_PLUGIN = triton_plugins.load_path(running.folder() / "plugins" / "libTritonPluginsTestLib.so")

import triton
import triton.language as tl
from triton import knobs
from triton.backends.compiler import GPUTarget


class Driver(MagicMock):
    """Stands in for the driver of a GPU: this machine may have none."""

    def get_current_target(self) -> GPUTarget:
        """What kernels are compiled for."""
        return GPUTarget("cuda", 90, 32)


@triton.jit
def add_one(x, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(x + offsets, tl.load(x + offsets) + 1)


def main() -> None:
    """Compiles the kernels for sm_90."""
    triton.runtime.driver.set_active(Driver())
    spec = importlib.util.spec_from_file_location(
        "tutorial", UTLX / "tlx" / "tutorials" / "hopper_gemm_pipelined.py"
    )
    tutorial = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tutorial)
    theirs = knobs.runtime.add_stages_inspection_hook
    strides = {f"stride_{name}": "i32" for name in ("am", "bk", "cm")}
    ones = {f"stride_{name}": 1 for name in ("ak", "bn", "cn")}
    gemm = triton_plugins.compile(
        tutorial.matmul_kernel_pipelined_hopper,
        signature={
            **dict.fromkeys(("a_ptr", "b_ptr", "c_ptr"), "*fp16:16"),
            **dict.fromkeys(("M", "N", "K", *strides), "i32:16"),
        },
        constexprs={
            **ones,
            "BLOCK_SIZE_M": 128,
            "BLOCK_SIZE_N": 128,
            "BLOCK_SIZE_K": 64,
            "GROUP_SIZE_M": 8,
            "NUM_STAGES": 3,
        },
        target="cuda:90",
        options={"num_warps": 8},
    )
    pipeline = triton_plugins.Pipeline("beside it").append("ttir", TEST_PLUGIN.note.passes[0])
    beside = triton_plugins.compile(
        triton_plugins.use(pipeline)(add_one),
        signature={"x": "*fp32"},
        constexprs={"BLOCK": 128},
        target="cuda:90",
    )
    print(
        json.dumps(
            {
                "loaded": [plugin.name for plugin in triton_plugins.loaded()],
                "passes": len(UTLX_PLUGIN.note.passes),
                "gemm": gemm.asm["ptx"],
                "cubin": len(gemm.asm["cubin"]),
                "beside": beside.asm["ttir"],
                "hook_kept": knobs.runtime.add_stages_inspection_hook is theirs is not None,
            }
        )
    )


main()
