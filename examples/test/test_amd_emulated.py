"""The AMD GEMMs' machine code, run on the CPU: what it computes, and how it uses LDS."""

import dataclasses
import itertools
import re
import struct
from types import ModuleType

import numpy as np
import pytest
import triton

import triton_plugins
from examples import amd_gemm_kernel, cdna4_gemm_kernel
from examples.test.amdgcn import banks
from examples.test.amdgcn.block import Block, Memory


@pytest.fixture(autouse=True)
def own_cache(tmp_path):
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(tmp_path / "cache")
        yield


@dataclasses.dataclass(frozen=True)
class Gemm:
    """A product of float16 matrices.

    Attributes:
        arch: The GPU.
        module: The example that it is from.
        constants: The kernel's.
        a, b: Which stride of A and of B is 1.
        integer: The type of sizes and of other strides.
    """

    arch: str
    module: ModuleType
    constants: dict[str, int]
    a: str = "ak"
    b: str = "bn"
    integer: str = "i32:16"

    @property
    def is_direct(self) -> bool:
        return self.module is cdna4_gemm_kernel

    def compile(self):
        """Compiles the kernel; parts of a K that is split are float32."""
        constants = self.constants
        if not self.is_direct and self.integer == "i32:16":
            constants = constants | {"A_COLUMNS": self.a == "am", "B_ROWS": self.b == "bn"}
        dtypes = {"a": "fp16", "b": "fp16", "c": "fp16" if self.parts == 1 else "fp32"}
        ones = {f"stride_{name}": 1 for name in (self.a, self.b, "cn")}
        names = ["M", "N", "K"] + ["stride_cs"] * self.is_direct
        names += [f"stride_{name}" for name in ("am", "ak", "bk", "bn", "cm", "cn")]
        return triton_plugins.compile(
            self.module.cdna4_gemm if self.is_direct else self.module.amd_gemm,
            signature={f"{name}_ptr": f"*{dtype}:16" for name, dtype in dtypes.items()}
            | {name: self.integer for name in names if name not in ones},
            constexprs=ones | constants,
            target=self.arch,
            options=self.module.OPTIONS,
            # C is small enough for buffer stores, which the emulator knows.
            attrs={f"{name}_ptr": "S" for name in dtypes},
        )

    @property
    def parts(self) -> int:
        """How many programs share the K of a tile."""
        return self.constants.get("SPLIT_K", 1)

    def run(self, kernel, shape, *, assembly=None, late=True, seed=0):
        """Multiplies random matrices on the CPU.

        Returns:
            The worst error, in units of what may be, and the last block that ran.
        """
        m, n, k = shape
        random = np.random.default_rng(seed)
        left = random.standard_normal((m, k)).astype(np.float16)
        right = random.standard_normal((k, n)).astype(np.float16)
        dtype = np.float16 if self.parts == 1 else np.float32
        result = np.full((self.parts, m, n), np.nan, dtype)
        memory = Memory()
        pointers = [
            memory.put(left if self.a == "ak" else left.T),
            memory.put(right if self.b == "bn" else right.T),
            memory.put(result),
        ]
        strides = [k if self.a == "ak" else m, n if self.b == "bn" else k]
        strides += [m * n, n] if self.is_direct else [n]
        arguments = struct.pack(f"<3Q{3 + len(strides)}i", *pointers, m, n, k, *strides)
        tiles = -(-m // self.constants["BM"]) * -(-n // self.constants["BN"])
        for program in itertools.product(range(tiles), range(self.parts)):
            block = Block(
                assembly or kernel.asm["amdgcn"],
                memory,
                arguments.ljust(256, b"\0"),
                program,
                waves=8,
                lds_bytes=kernel.metadata.shared,
                late=late,
                seed=seed + program[0],
            )
        expected = left.astype(np.float64) @ right.astype(np.float64)
        # What float32 accumulates and one rounding to float16 may be off by.
        allowed = 2.0**-10 * np.abs(expected) + 1e-5 * np.abs(left) @ np.abs(right).astype(float)
        error = np.abs(memory.get(pointers[2], result).sum(0) - expected) / allowed
        return np.nan_to_num(error, nan=np.inf).max(), block


MAIN = {
    "gfx942": Gemm("gfx942", amd_gemm_kernel, amd_gemm_kernel.CONSTANTS),
    "gfx950": Gemm("gfx950", cdna4_gemm_kernel, cdna4_gemm_kernel.CONSTANTS),
}
# Sizes that are not aligned, and the smaller tiles of gfx950, of which two programs share K.
OTHERS = {
    "gfx942, not aligned": Gemm(
        "gfx942", amd_gemm_kernel, amd_gemm_kernel.UNALIGNED_CONSTANTS, integer="i32"
    ),
    "gfx950, not aligned": Gemm(
        "gfx950", amd_gemm_kernel, amd_gemm_kernel.UNALIGNED_CONSTANTS, integer="i32"
    ),
    "gfx950, small": Gemm(
        "gfx950", cdna4_gemm_kernel, cdna4_gemm_kernel.SMALL_CONSTANTS | {"SPLIT_K": 2}
    ),
    "gfx950, short": Gemm(
        "gfx950", cdna4_gemm_kernel, cdna4_gemm_kernel.SHORT_CONSTANTS | {"SPLIT_K": 2}
    ),
}


@pytest.mark.parametrize("late", [True, False], ids=["late", "early"])
@pytest.mark.parametrize("shape", [(256, 256, 16), (256, 256, 160), (272, 304, 112)], ids=str)
@pytest.mark.parametrize("arch", MAIN)
def test_the_gemm_is_right(arch, shape, late):
    kernel = MAIN[arch].compile()
    for seed in range(2):
        assert MAIN[arch].run(kernel, shape, late=late, seed=seed)[0] <= 1


@pytest.mark.parametrize("late", [True, False], ids=["late", "early"])
@pytest.mark.parametrize("name", OTHERS)
def test_other_sizes_and_tiles(name, late):
    gemm = OTHERS[name]
    shape = (144, 160, 528) if gemm.is_direct else (131, 67, 93)
    assert gemm.run(gemm.compile(), shape, late=late)[0] <= 1


@pytest.mark.parametrize(("a", "b"), [("ak", "bk"), ("am", "bn"), ("am", "bk")])
@pytest.mark.parametrize("arch", MAIN)
def test_matrices_that_are_stored_by_columns(arch, a, b):
    gemm = dataclasses.replace(MAIN[arch], a=a, b=b)
    assert gemm.run(gemm.compile(), (256, 256, 96))[0] <= 1


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
    kernel = MAIN[arch].compile()
    assembly = in_loop(kernel.asm["amdgcn"], pattern, replacement)
    assert MAIN[arch].run(kernel, (256, 256, 160), assembly=assembly)[0] > 1


@pytest.mark.parametrize("arch", MAIN)
def test_the_emulator_finds_a_barrier_that_is_missing(arch):
    kernel = MAIN[arch].compile()
    assembly = in_loop(kernel.asm["amdgcn"], r"\ts_barrier", "\ts_nop 0")
    errors = [
        MAIN[arch].run(kernel, (256, 256, 160), assembly=assembly, late=late)[0]
        for late in (True, False)
    ]
    assert max(errors) > 1


@pytest.mark.parametrize(("a", "b"), itertools.product(("ak", "am"), ("bn", "bk")))
@pytest.mark.parametrize("arch", MAIN)
def test_lds_is_used_without_bank_conflicts(arch, a, b):
    gemm = dataclasses.replace(MAIN[arch], a=a, b=b)
    _, block = gemm.run(gemm.compile(), (256, 256, 64))
    found = banks.worst_conflicts(arch, block.accesses)
    assert found and not any(found.values()), found
