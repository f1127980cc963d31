"""Bugs that users of TLX have reported elsewhere, each with a test that would have caught it.

Numbers are those of issues and pull requests of github.com/facebookexperimental/triton.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import triton

import triton_plugins
from plugins.tlx.test import amd_kernels, barrier_kernels, kernels, report_kernels

HOPPER, AMPERE, MI300, MI350 = "cuda:90", "cuda:80", "hip:gfx942", "hip:gfx950"


@pytest.fixture(autouse=True)
def _cache(tmp_path):
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(tmp_path)
        yield


def compile(kernel, target, signature, **constexprs):
    return triton_plugins.compile(kernel, signature=signature, constexprs=constexprs, target=target)


@pytest.mark.parametrize("target", [HOPPER, AMPERE])
def test_462_barriers_have_slots_of_their_own(target):
    """Two barriers got one slot, since the first was not used while the second was."""
    code = compile(report_kernels.one_of_two, target, {"out": "*i32:16"}, BLOCK=1024)
    ptx = code.asm["ptx"]
    inits = re.findall(r"mbarrier\.init\.shared::cta\.b64 \[(\S+?)\], (\d)", ptx)
    assert [count for _, count in inits] == ["1", "2"]
    places = [int(re.search(rf"add\.s32 \t{r}, %r\d+, (\d+);", ptx)[1]) for r, _ in inits]
    # Both buffers have the first bytes, one being used after the other; no barrier has.
    assert min(places) >= 4096
    assert abs(places[0] - places[1]) >= 8
    assert max(places) + 8 == code.metadata.shared


def test_716_a_barrier_is_valid_until_the_kernel_ends():
    """A barrier was invalidated in a function that was called with it."""
    code = compile(report_kernels.one_of_two, HOPPER, {"out": "*i32:16"}, BLOCK=1024)
    assert "mbarrier.inval" not in code.asm["ptx"]


@pytest.mark.parametrize("target", [HOPPER, AMPERE, MI300, MI350])
def test_2902_masked_elements_are_zero_without_other(target):
    """A masked async_load without `other` left what was in the buffer before."""
    signature = {"src": "*fp32:16", "dst": "*fp32:16", "n": "i32"}
    code = compile(report_kernels.masked, target, signature, BLOCK=1024)
    if target in (HOPPER, AMPERE):
        # The last operand is how many bytes come from the source; the rest is zero (PTX ISA).
        copy = r"cp\.async\.c[ag]\.shared\.global \[[^]]*\], \[[^]]*\], 0x\w+, %r\d+;"
        assert re.search(copy, code.asm["ptx"])
    else:
        # An offset that the descriptor does not cover is chosen, which loads zero.
        assert re.search(r"(?s)v_cndmask_b32.*buffer_load_dword", code.asm["amdgcn"])
    if target == MI350:
        # Direct loads without a descriptor leave masked elements alone: zeros are stored first.
        signature = {"src": "*fp16:16", "dst": "*fp16:16", "stride": "i64:16", "rows": "i32"}
        code = compile(amd_kernels.copy_of_far_rows, target, signature, ROWS=64, COLS=64)
        assert re.search(r"global_load_lds_dwordx4", code.asm["amdgcn"])
        assert re.search(r"ds_write_b128", code.asm["amdgcn"])


@pytest.mark.parametrize("number", [1, 2])
def test_1278_a_buffer_is_not_released_while_wgmma_reads_it(number):
    """The consumer arrived at the barrier of a free buffer before its product had ended."""
    block = "tensordesc<fp16[64, 64]>"
    signature = {"a_desc": block, "b_desc": block, "out": "*fp32:16", "steps": "i32"}
    right = {"SIZE": 64, "NUM": number, "RELEASES": 1, "FIRST": 1, "TURN": 1, "BYTES": 16384}
    compile(barrier_kernels.ring, HOPPER, signature, **right, PENDING=0, DELAY=0)
    with pytest.raises(triton_plugins.PassError, match="an async_dot may still read"):
        compile(barrier_kernels.ring, HOPPER, signature, **right, PENDING=1, DELAY=0)


@pytest.mark.parametrize("target", [HOPPER, AMPERE, MI300, MI350])
def test_216_vectors_have_no_layout_of_matrices(target):
    """A buffer of one dimension got the layout of a matrix operand by default."""
    signature = {"src": "*fp32:16", "dst": "*fp32:16"}
    ttgir = compile(kernels.through_buffer, target, signature, BLOCK=1024).asm["ttgir"]
    assert "swizzled_shared" in ttgir and "nvmma_shared" not in ttgir


@pytest.mark.parametrize("size", [32, 256])
def test_216_vectors_that_tma_fills_are_not_swizzled(size):
    """A buffer of one dimension got the layout of a matrix operand by default."""
    signature = {"desc": f"tensordesc<fp32[{size}]>", "dst": "*fp32:16"}
    ttgir = compile(report_kernels.vector, HOPPER, signature, SIZE=size).asm["ttgir"]
    assert "swizzlingByteWidth = 0" in ttgir


_KEYS = """
import kernels, triton_plugins
for kernel in (kernels.through_buffer, kernels.through_helpers, kernels.plain):
    compiled = triton_plugins.compile(
        kernel, signature={"src": "*fp32", "dst": "*fp32"}, constexprs={"BLOCK": 128},
        target="cuda:90")
    print(compiled.hash)
"""


def test_216_another_build_compiles_the_kernels_that_use_it_and_no_others(tmp_path):
    """A rebuilt plugin ran kernels that the cache had from the build before."""
    (plugin,) = (p for p in triton_plugins.loaded() if p.name == "tlx")
    # A byte behind the sections, which no program loads, tells the builds apart.
    contents = plugin.path.read_bytes()
    # One path, since Triton takes the variable's text into every key.
    library = tmp_path / "libtlx.so"

    def hashes(contents):
        library.write_bytes(contents)
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(Path(kernels.__file__).parent), *sys.path]),
            "TRITON_PLUGIN_PATHS": str(library),
            "TRITON_CACHE_DIR": str(tmp_path / "cache"),
        }
        command = [sys.executable, "-c", _KEYS]
        ran = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
        assert ran.returncode == 0
        return ran.stdout.split()

    before = hashes(contents)
    assert hashes(contents) == before
    after = hashes(contents + b"\1")
    assert [one != two for one, two in zip(before, after, strict=True)] == [True, True, False]
