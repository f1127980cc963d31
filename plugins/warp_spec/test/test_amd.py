"""On AMD Instinct a kernel stays stock Triton's, whose groups of waves are in ping-pong."""

import re

import pytest

import triton_plugins
import triton_plugins.warp_spec as warp_spec
from bench import warp_spec_kernels
from triton_plugins import machine_code

SIGNATURE = dict.fromkeys(("a_ptr", "b_ptr", "c_ptr"), "*fp16") | dict.fromkeys("MNK", "i32")


def compiled(kernel, arch, tile, num_stages):
    blocks = dict(zip(("BM", "BN", "BK"), tile, strict=True))
    return triton_plugins.compile(
        kernel,
        signature=SIGNATURE,
        constexprs=blocks | {"GROUP_M": 8},
        attrs=dict.fromkeys(SIGNATURE, "D"),
        target=f"hip:{arch}",
        options={"num_warps": 8, "num_stages": num_stages},
    )


@pytest.mark.parametrize(
    ("arch", "tile", "num_stages", "priorities", "barriers"),
    [
        ("gfx942", (256, 256, 64), 2, 8, 11),
        ("gfx942", (256, 256, 32), 2, 4, 7),
        ("gfx950", (256, 256, 64), 3, 0, 7),
    ],
)
def test_groups_of_waves_take_turns(arch, tile, num_stages, priorities, barriers):
    kernel = compiled(warp_spec.specialize(warp_spec_kernels.pointer_gemm), arch, tile, num_stages)
    assert "amdg.cond_barrier" in kernel.asm["ttgir"]
    assert len(re.findall("s_setprio", kernel.asm["amdgcn"])) == priorities
    assert len(re.findall("s_barrier", kernel.asm["amdgcn"])) == barriers
    if arch == "gfx942":
        assert machine_code.inspect(kernel).resources.spills == 0


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_the_decorator_changes_nothing(arch):
    plain = compiled(warp_spec_kernels.pointer_gemm, arch, (256, 256, 64), 2)
    ours = compiled(warp_spec.specialize(warp_spec_kernels.pointer_gemm), arch, (256, 256, 64), 2)
    assert ours.asm["amdgcn"] == plain.asm["amdgcn"]
