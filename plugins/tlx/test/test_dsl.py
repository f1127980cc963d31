"""What kernels with TLX ops compile to, and what wrong ones are told."""

import inspect
import re
from pathlib import Path

import pytest
import triton
import triton.language as tl

import triton_plugins
import triton_plugins.tlx as tlx
from plugins.tlx.test import kernels

HOPPER, AMPERE, MI300, MI350 = "cuda:90", "cuda:80", "hip:gfx942", "hip:gfx950"


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path):
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(tmp_path)
        yield


def compile(kernel, target=HOPPER, *, signature=None, **constexprs):
    return triton_plugins.compile(
        kernel, signature=signature or {}, constexprs=constexprs, target=target
    )


FLOATS = {"src": "*fp32:16", "dst": "*fp32:16"}
HALVES = {"a": "*fp16:16", "b": "*fp16:16", "c": "*fp32:16"}


@pytest.mark.parametrize("target", [HOPPER, AMPERE])
def test_copies_are_asynchronous_on_nvidia(target):
    ptx = compile(kernels.copy, target, signature=FLOATS, BLOCK=512, NUM=2).asm["ptx"]
    assert len(re.findall(r"cp\.async\.\w+\.shared\.global \[.*0x10", ptx)) == 2
    assert ptx.count("cp.async.commit_group") == 2
    assert re.search(r"cp\.async\.wait_group\s+0", ptx)


@pytest.mark.parametrize("target", [MI300, MI350])
def test_copies_give_the_same_program_on_amd(target):
    asm = compile(kernels.copy, target, signature=FLOATS, BLOCK=1024, NUM=2).asm["amdgcn"]
    direct = re.search(r"(buffer|global)_load_\w*lds|(buffer|global)_load_\w+.*\blds\b", asm)
    assert bool(direct) == (target == MI350)
    assert re.search(r"ds_read", asm)


@pytest.mark.parametrize("target", [HOPPER, MI300, MI350])
def test_loops_and_branches_carry_views_and_tokens(target):
    signature = FLOATS | {"n": "i32"}
    assert compile(kernels.carried, target, signature=signature, BLOCK=1024).asm["ttgir"]


def test_early_returns():
    signature = FLOATS | {"n": "i32"}
    ttgir = compile(kernels.early_return, signature=signature, BLOCK=512).asm["ttgir"]
    # The copy that nobody waits for does not outlive its buffer.
    assert ttgir.index("async_copy") < ttgir.index("ttg.async_wait {num = 0 : i32}")


def test_a_product_is_a_warp_group_mma():
    ptx = compile(kernels.dot, signature=HALVES, M=64, N=64, KA=64, KB=64).asm["ptx"]
    assert ptx.count("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16") == 4
    assert re.search(r"wgmma\.wait_group\.sync\.aligned\s+0", ptx)
    # What the copies wrote is seen by the asynchronous proxy.
    assert (
        ptx.index("cp.async.wait_group") < ptx.index("fence.proxy.async") < ptx.index("wgmma.mma")
    )


@pytest.mark.parametrize("kernel", [kernels.dot_of_registers, kernels.dot_of_columns])
@pytest.mark.parametrize(
    ("dtype", "out", "instruction"),
    [
        ("fp16", "fp16", "m64n64k16.f16.f16.f16"),
        ("bf16", "fp32", "m64n64k16.f32.bf16.bf16"),
        ("fp32", "fp32", "m64n64k8.f32.tf32.tf32"),
        ("fp8e4nv", "fp32", "m64n64k32.f32.e4m3.e4m3"),
        ("fp8e5", "fp32", "m64n64k32.f32.e5m2.e5m2"),
        ("i8", "i32", "m64n64k32.s32.s8.s8"),
    ],
)
def test_every_dtype_of_wgmma(kernel, dtype, out, instruction):
    signature = {"a": f"*{dtype}:16", "b": f"*{dtype}:16", "c": f"*{out}:16"}
    ptx = compile(kernel, signature=signature, M=64, N=64, K=64).asm["ptx"]
    assert f"wgmma.mma_async.sync.aligned.{instruction}" in ptx


def test_shapes_that_do_not_fit_name_the_line():
    with pytest.raises(triton.CompilationError) as caught:
        compile(kernels.dot, signature=HALVES, M=64, N=64, KA=64, KB=32)
    error = caught.value.__cause__
    assert isinstance(error, triton_plugins.OpError)
    assert "has shapes that don't fit: a [64, 64] @ b [32, 64]" in str(error)
    lines, start = inspect.getsourcelines(kernels.dot.fn)
    line = start + next(i for i, text in enumerate(lines) if "tlx.async_dot(" in text)
    assert f"kernels.py:{line}" in str(error)


@pytest.mark.parametrize(
    ("committed", "pending", "fits"), [(1, 0, True), (3, 2, True), (2, 2, False), (1, 3, False)]
)
def test_waits_for_more_groups_than_were_committed(committed, pending, fits):
    def run():
        compile(
            kernels.wait_for, signature={"src": "*fp32:16"}, COMMITTED=committed, PENDING=pending
        )

    if fits:
        run()
        return
    with pytest.raises(triton_plugins.PassError) as caught:
        run()
    assert f"leaves up to {pending} groups" in str(caught.value)
    assert f"at most {committed} are committed" in str(caught.value)
    assert "kernels.py:" in str(caught.value)


def test_a_product_that_still_runs_must_not_be_used():
    with pytest.raises(triton_plugins.PassError, match="may still run.*async_dot_wait"):
        compile(kernels.early_use, signature=HALVES, M=64, N=64, K=64)


@pytest.mark.parametrize("target", [AMPERE, MI300])
def test_products_need_hopper(target):
    with pytest.raises(triton_plugins.PassError, match="async_dot needs wgmma"):
        compile(kernels.dot, target, signature=HALVES, M=64, N=64, KA=64, KB=64)


@pytest.mark.parametrize(
    ("kernel", "signature", "constexprs", "message"),
    [
        (kernels.alloc, {}, {"SIZE": 96, "NUM": 2, "dtype": tl.float16}, "power of two"),
        (kernels.alloc, {}, {"SIZE": 128, "NUM": 0, "dtype": tl.float16}, "'num' must be 1 or"),
        (kernels.alloc, {}, {"SIZE": 128, "NUM": 1, "dtype": tl.int1}, "whole bytes"),
        (kernels.view, {}, {"INDEX": 2}, "takes buffer 2 of 2"),
        (kernels.view, {}, {"INDEX": -1}, "takes buffer -1 of 2"),
        (kernels.no_buffer, {"src": "*fp32"}, {}, "needs a buffer of tlx.local_alloc"),
        (kernels.other_dtype, {"src": "*fp32"}, {}, "moves elements of 'f32' but the buffer holds"),
        (
            kernels.wait_for,
            {"src": "*fp32:16"},
            {"COMMITTED": 1, "PENDING": -1},
            "cannot leave -1 groups pending",
        ),
    ],
)
def test_wrong_calls_are_told_why(kernel, signature, constexprs, message):
    with pytest.raises(triton.CompilationError) as caught:
        compile(kernel, signature=signature, **constexprs)
    assert message in str(caught.value)


@pytest.mark.parametrize("kernel", [kernels.through_buffer, kernels.through_helpers])
@pytest.mark.parametrize("target", [HOPPER, MI300])
def test_ops_bring_the_passes(kernel, target):
    bare = compile(kernel, target, signature=FLOATS, BLOCK=128)
    used = compile(triton_plugins.use(tlx.PIPELINE)(kernel), target, signature=FLOATS, BLOCK=128)
    assert bare.asm["ttgir"] == used.asm["ttgir"]
    assert "ttg.local_alloc" in bare.asm["ttgir"]
    assert bare.hash != used.hash


def test_operations_are_for_kernels():
    with pytest.raises(triton_plugins.OpError, match="local_alloc is an operation of kernels"):
        tlx.local_alloc((128,), tl.float32, 1)
