"""The AMD GEMMs' machine code, run on the CPU: what it computes, and how it uses LDS."""

import itertools
import re
import struct
from types import SimpleNamespace

import numpy as np
import pytest
import triton

import triton_plugins
from examples import amd_gemm_kernel, cdna4_gemm_kernel
from examples.test.amdgcn import banks
from examples.test.amdgcn.block import Block, Memory

MODULES = {"gfx942": amd_gemm_kernel, "gfx950": cdna4_gemm_kernel}


@pytest.fixture(autouse=True)
def own_cache(tmp_path):
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(tmp_path / "cache")
        yield


def compile_gemm(arch: str, a: str = "ak", b: str = "bn"):
    """The kernel for float16 matrices with these strides of 1, and C stored by rows."""
    names = {"am", "ak", "bk", "bn", "cm", "cn"} | ({"cs"} if arch == "gfx950" else set())
    ones = {f"stride_{name}": 1 for name in (a, b, "cn")}
    strides = {f"stride_{name}": "i32:16" for name in names}
    module = MODULES[arch]
    constants = module.CONSTANTS
    if arch == "gfx942":
        constants = constants | {"A_COLUMNS": a == "am", "B_ROWS": b == "bn"}
    kernel = module.cdna4_gemm if arch == "gfx950" else module.amd_gemm
    return triton_plugins.compile(
        kernel,
        signature=dict.fromkeys(("a_ptr", "b_ptr", "c_ptr"), "*fp16:16")
        | dict.fromkeys(("M", "N", "K"), "i32:16")
        | {name: strides[name] for name in strides if name not in ones},
        constexprs=ones | constants,
        target=arch,
        options=module.OPTIONS,
        # C is small enough for buffer stores, which the emulator knows.
        attrs=dict.fromkeys(("a_ptr", "b_ptr", "c_ptr"), "S"),
    )


def run(arch, kernel, assembly, shape, *, a="ak", b="bn", late=True, seed=0):
    """Multiplies random matrices; returns the worst error, in units of what may be, and a block."""
    m, n, k = shape
    random = np.random.default_rng(seed)
    left = random.standard_normal((m, k)).astype(np.float16)
    right = random.standard_normal((k, n)).astype(np.float16)
    result = np.full((m, n), np.nan, np.float16)
    memory = Memory()
    pointers = [
        memory.put(left if a == "ak" else left.T),
        memory.put(right if b == "bn" else right.T),
        memory.put(result),
    ]
    strides = [k if a == "ak" else m, n if b == "bn" else k]
    strides += [0, n] if arch == "gfx950" else [n]
    arguments = struct.pack(f"<3Q{3 + len(strides)}i", *pointers, m, n, k, *strides)
    constants = MODULES[arch].CONSTANTS
    blocks = [
        Block(
            assembly,
            memory,
            arguments.ljust(256, b"\0"),
            (program, 0),
            waves=8,
            lds_bytes=kernel.metadata.shared,
            late=late,
            seed=seed + program,
        )
        for program in range(-(-m // constants["BM"]) * -(-n // constants["BN"]))
    ]
    right_result = left.astype(np.float64) @ right.astype(np.float64)
    # What float32 accumulates and one rounding to float16 may be off by.
    allowed = 2.0**-10 * np.abs(right_result) + 1e-5 * np.abs(left) @ np.abs(right).astype(float)
    error = np.abs(memory.get(pointers[2], result) - right_result) / allowed
    return SimpleNamespace(worst=np.nan_to_num(error, nan=np.inf).max(), block=blocks[0])


@pytest.mark.parametrize("late", [True, False], ids=["late", "early"])
@pytest.mark.parametrize("shape", [(256, 256, 16), (256, 256, 160), (272, 304, 112)], ids=str)
@pytest.mark.parametrize("arch", MODULES)
def test_the_gemm_is_right(arch, shape, late):
    kernel = compile_gemm(arch)
    for seed in range(2):
        done = run(arch, kernel, kernel.asm["amdgcn"], shape, late=late, seed=seed)
        assert done.worst <= 1


@pytest.mark.parametrize(("a", "b"), [("ak", "bk"), ("am", "bn"), ("am", "bk")])
@pytest.mark.parametrize("arch", MODULES)
def test_matrices_that_are_stored_by_columns(arch, a, b):
    kernel = compile_gemm(arch, a, b)
    assert run(arch, kernel, kernel.asm["amdgcn"], (256, 256, 96), a=a, b=b).worst <= 1


def in_loop(assembly: str, pattern: str, replacement: str) -> str:
    """The assembly with the first match in its loop replaced."""
    before, header, after = assembly.partition("Inner Loop Header")
    changed, count = re.subn(pattern, replacement, after, count=1)
    assert count == 1
    return before + header + changed


@pytest.mark.parametrize(
    ("arch", "pattern", "replacement"),
    [
        ("gfx942", r"s_waitcnt vmcnt\(0\)", "s_nop 0"),
        ("gfx942", r"s_waitcnt lgkmcnt\(0\)", "s_nop 0"),
        ("gfx950", r"vmcnt\(8\)", "vmcnt(12)"),
        ("gfx950", r"(vmcnt\(8\)) lgkmcnt\(0\)", r"\1"),
    ],
)
def test_the_emulator_finds_a_wait_that_is_missing(arch, pattern, replacement):
    kernel = compile_gemm(arch)
    assembly = in_loop(kernel.asm["amdgcn"], pattern, replacement)
    assert run(arch, kernel, assembly, (256, 256, 160)).worst > 1


@pytest.mark.parametrize("arch", MODULES)
def test_the_emulator_finds_a_barrier_that_is_missing(arch):
    kernel = compile_gemm(arch)
    assembly = in_loop(kernel.asm["amdgcn"], r"\ts_barrier", "\ts_nop 0")
    wrong = []
    for late in (True, False):
        done = run(arch, kernel, assembly, (256, 256, 160), late=late)
        wrong.append(done.worst > 1)
    assert any(wrong)


@pytest.mark.parametrize(("a", "b"), itertools.product(("ak", "am"), ("bn", "bk")))
@pytest.mark.parametrize("arch", MODULES)
def test_lds_is_used_without_bank_conflicts(arch, a, b):
    kernel = compile_gemm(arch, a, b)
    block = run(arch, kernel, kernel.asm["amdgcn"], (256, 256, 64), a=a, b=b).block
    found = banks.worst_conflicts(arch, block.accesses)
    assert found and not any(found.values()), found
