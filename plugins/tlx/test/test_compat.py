"""Kernels that know TLX by another name, and operations that no supported GPU has."""

import importlib
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
import triton
import triton.language as tl

import triton_plugins
import triton_plugins.tlx as own
from triton_plugins.tlx import compat

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


_CLUSTERED = """
import triton

@triton.autotune([
    triton.Config({"BLOCK": 128}, ctas_per_cga=(4, 1, 1)),
    triton.Config({"BLOCK": 256}, ctas_per_cga=(1, 1, 1)),
], key=[])
@triton.jit
def tuned(dst, BLOCK: triton.language.constexpr):
    pass

@triton.jit(do_not_specialize=["dst"])
def plain(dst):
    pass
"""


@pytest.fixture
def clustered(tmp_path, monkeypatch):
    """A module of kernels that use ctas_per_cga, and the launches that they make."""
    (tmp_path / "clustered.py").write_text(_CLUSTERED)
    monkeypatch.syspath_prepend(tmp_path)
    launches = []
    monkeypatch.setattr(triton.JITFunction, "run", lambda *_, **launch: launches.append(launch))
    classes = triton.Config, triton.jit
    with compat.importing():
        module = importlib.import_module("clustered")
    assert (triton.Config, triton.jit) == classes
    monkeypatch.delitem(sys.modules, "clustered")
    return module, launches


def test_grids_that_count_blocks(clustered):
    module, launches = clustered
    module.plain[(12, 2)](0, ctas_per_cga=(4, 1, 1))
    module.plain[lambda arguments: (arguments["n"],)](0, ctas_per_cga=(2, 1, 1))
    module.plain[(3,)](0, ctas_per_cga=None)
    module.plain[(3,)](0, num_ctas=2)
    assert (launches[0]["grid"], launches[0]["num_ctas"]) == ((3, 2), 4)
    assert (launches[1]["grid"]({"n": 6}), launches[1]["num_ctas"]) == ((3,), 2)
    assert launches[2] == {"grid": (3,), "warmup": False}
    assert (launches[3]["grid"], launches[3]["num_ctas"]) == ((3,), 2)


def test_configurations_with_clusters(clustered):
    module, launches = clustered
    config = module.tuned.configs[0]
    assert pickle.loads(pickle.dumps(config)) == config
    module.tuned.fn.run(0, grid=(8,), warmup=False, **config.all_kwargs())
    # As Triton's autotuner writes configurations into a file, and reads them in another process.
    again = triton.Config(**json.loads(json.dumps(vars(config))))
    assert again == config and "ctas_per_cga: 4" in str(again)
    module.tuned.fn.run(0, grid=(8,), warmup=False, **again.all_kwargs())
    for launch in launches:
        assert (launch["grid"], launch["num_ctas"]) == ((2,), 4)


def test_configurations_without_clusters(clustered):
    module, _ = clustered
    assert vars(module.tuned.configs[1]) == vars(triton.Config({"BLOCK": 256}))
    assert module.tuned.configs[1] != module.tuned.configs[0]


@pytest.mark.parametrize(
    ("launch", "message"),
    [
        ({"ctas_per_cga": (1, 2, 1)}, r"must be \(n, 1, 1\)"),
        ({"ctas_per_cga": (5, 1, 1)}, r"12 blocks are no whole number of clusters of 5"),
        ({"ctas_per_cga": (2, 1, 1), "num_ctas": 2}, r"give one of them"),
    ],
)
def test_wrong_clusters(clustered, launch, message):
    module, launches = clustered
    with pytest.raises(ValueError, match=message):
        module.plain[(12,)](0, **launch)
    assert not launches
