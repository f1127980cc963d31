"""Kernels that know TLX by another name, and operations that no supported GPU has."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import triton
import triton.language as tl

import triton_plugins
import triton_plugins.tlx as own

_KERNELS = """
import triton
import triton.language as tl
import triton.language.extra.tlx as tlx
from triton.language.extra.tlx.warp_spec import get_bufidx_phase

@triton.jit
def kernel(src, dst, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    buffers = tlx.local_alloc((BLOCK,), tlx.dtype_of(src), tl.constexpr(2))
    with tlx.async_tasks():
        with tlx.async_task("default"):
            index, phase = get_bufidx_phase(n, 2)
            tlx.local_store(buffers[index], tl.load(src + offsets))
        with tlx.async_task(num_warps=tlx.num_warps()):
            tl.store(dst + offsets, tl.load(src + offsets))
"""

_PLAIN = """
import triton
import triton.compiler.code_generator
import triton.language as tl
import triton_plugins
from plain_kernel import plain

def compiled():
    made = triton_plugins.compile(
        plain, signature={"src": "*fp32", "dst": "*fp32"}, constexprs={"BLOCK": 128},
        target="cuda:90")
    return made.hash, made.asm["ptx"]

classes = (triton.JITFunction, triton.Config, triton.compiler.code_generator.CodeGenerator,
           tl.tensor, triton.language.semantic.TritonSemantic)
before, attributes = compiled(), [dict(vars(c)) for c in classes]
import triton_plugins.tlx.compat
assert compiled() == before
assert [dict(vars(c)) for c in classes] == attributes
from other_kernel import kernel
signature = {"src": "*fp32:16", "dst": "*fp32:16", "n": "i32"}
made = triton_plugins.compile(
    kernel, signature=signature, constexprs={"BLOCK": 128}, target="cuda:90")
assert "ttg.warp_specialize" in made.asm["ttgir"]
assert compiled() == before
"""

_PLAIN_KERNEL = """
import triton
import triton.language as tl

@triton.jit
def plain(src, dst, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(dst + offsets, tl.load(src + offsets))
"""


def run(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(folder), *sys.path]),
        "TRITON_CACHE_DIR": str(folder / "cache"),
    }
    return subprocess.run(
        [sys.executable, "-c", text], env=environment, capture_output=True, text=True
    )


def test_kernels_run_under_the_other_name_and_nothing_else_changes(tmp_path):
    (tmp_path / "other_kernel.py").write_text(_KERNELS)
    (tmp_path / "plain_kernel.py").write_text(_PLAIN_KERNEL)
    ran = run(tmp_path, _PLAIN)
    assert ran.returncode == 0, ran.stderr


def test_two_implementations_of_one_name(tmp_path):
    ran = run(
        tmp_path,
        "import sys, types, triton.language.extra\n"
        "sys.modules['triton.language.extra.tlx'] = types.ModuleType('tlx')\n"
        "import triton_plugins.tlx.compat",
    )
    assert "triton.language.extra.tlx is there already" in ran.stderr


@triton.jit
def _copies_to_tensor_memory(src):
    own.tmem_copy(src, src)


@triton.jit
def _launches_by_cluster():
    own.clc_create_context(1)


@triton.jit
def _chooses(dst, BLACKWELL: tl.constexpr):
    if BLACKWELL:
        own.tcgen05_commit(dst)
    tl.store(dst, 1)


@pytest.mark.parametrize(
    ("kernel", "feature"),
    [(_copies_to_tensor_memory, "tensor memory"), (_launches_by_cluster, "cluster launch control")],
)
def test_what_only_blackwell_has_says_so(kernel, feature):
    signature = dict.fromkeys(kernel.arg_names, "*fp32")
    with pytest.raises(triton.CompilationError) as caught:
        triton_plugins.compile(kernel, signature=signature, constexprs={}, target="cuda:90")
    assert f"needs {feature}" in str(caught.value)
    assert "Blackwell (sm_100a)" in str(caught.value)


def test_what_a_kernel_does_not_choose_does_not_matter():
    assert triton_plugins.compile(
        _chooses, signature={"dst": "*i32"}, constexprs={"BLACKWELL": False}, target="cuda:90"
    )


def test_types_of_blackwell_say_so():
    with pytest.raises(triton_plugins.OpError, match="needs tensor memory and tcgen05, which"):
        own.tensor_memory_layout_encoding(128, 64)
