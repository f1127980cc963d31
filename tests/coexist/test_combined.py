"""What kernels with operations of several plugins compile to, and what cannot go together."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence
from typing import Any

import combined
import pytest
import triton
import triton.language as tl

import triton_plugins
import triton_plugins.layout as layout
import triton_plugins.sparsity24 as sp
import triton_plugins.tlx as tlx
import triton_plugins.warp_spec as warp_spec
from triton_plugins import Pipeline, machine_code

PIPELINES = (layout.PIPELINE, sp.PIPELINE, tlx.PIPELINE, warp_spec.PIPELINE)
L = layout.blocked([1, 8], [4, 8], [4, 1])
SIZES = dict.fromkeys("MNK", "i32:16")


def signature(kernel: Any, **others: str) -> dict[str, str]:
    """Types of a kernel's pointers: to float16, but for metadata, results and what is named."""
    types = {"meta_ptr": "*i16:16", "out_ptr": "*fp32:16"} | others
    names = [name for name in kernel.arg_names if name.endswith("_ptr")]
    return {name: types.get(name, "*fp16:16") for name in names}


CASES = {
    "two_products": (
        combined.two_products,
        signature(combined.two_products, bias_ptr="*fp32:16") | SIZES,
        {"BM": 128, "BN": 64, "BK": 64, "DEPTH": 64, "L": L},
    ),
    "sum_of_matrices": (
        combined.sum_of_matrices,
        signature(combined.sum_of_matrices) | SIZES,
        {"BM": 128, "BN": 64, "BK": 64, "L": L},
    ),
    "in_tasks": (
        combined.in_tasks,
        signature(combined.in_tasks),
        {"M": 64, "N": 64, "K": 64, "WARPS": 4, "L": L},
    ),
}


def compile_case(name: str, pipelines: Sequence[Pipeline] = (), **constexprs: Any) -> Any:
    kernel, types, constants = CASES[name]
    for pipeline in reversed(pipelines):
        kernel = triton_plugins.use(pipeline)(kernel)
    return triton_plugins.compile(
        kernel,
        signature=types,
        constexprs=constants | constexprs,
        target="cuda:90",
        options={"num_warps": 4, "num_stages": 3},
    )


@pytest.mark.parametrize("name", ["two_products", "sum_of_matrices"])
def test_each_plugin_has_its_part(name: str) -> None:
    compiled = compile_case(name)
    ptx = compiled.asm["ptx"]
    assert "setmaxnreg.dec" in ptx and "cp.async.bulk.tensor" in ptx
    assert "wgmma.mma_async.sync" in ptx and "wgmma.mma_async.sp.sync" in ptx
    assert ("cp.async.cg.shared.global" in ptx) == (name == "two_products")
    (loop,) = warp_spec.report(compiled).loops
    assert loop["specialized"]
    # Stores of whole vectors have another layout than the one that the kernel names.
    assert layout.report(compiled).conversions[-1].source == str(L)
    assert machine_code.inspect(compiled).resources.spills == 0


@pytest.mark.parametrize("warps", [1, 2, 4])
def test_tasks_have_layouts_and_sparse_products_of_their_own(warps: int) -> None:
    pinned = layout.blocked([1, 8], [4, 8], [warps, 1])
    compiled = compile_case("in_tasks", WARPS=warps, L=pinned)
    assert "wgmma.mma_async.sp.sync" in compiled.asm["ptx"]
    assert f"num_warps({warps})" in compiled.asm["ttgir"]


def test_tasks_in_any_order_of_pipelines() -> None:
    """What a plugin's passes find does not depend on which plugin's op the kernel uses first."""
    found = {
        compile_case("in_tasks", order).asm["ptx"] for order in itertools.permutations(PIPELINES)
    }
    assert found == {compile_case("in_tasks").asm["ptx"]}


@pytest.mark.parametrize("name", ["two_products", "sum_of_matrices"])
def test_any_order_of_pipelines(name: str) -> None:
    expected = compile_case(name).asm["ptx"]
    for order in (PIPELINES, PIPELINES[::-1]):
        assert compile_case(name, order).asm["ptx"] == expected


@triton.jit
def loop_in_a_task(a_ptr, b_ptr, out_ptr, K, B: tl.constexpr):
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.store(out_ptr, 0.0)
        with tlx.async_task(num_warps=4):
            a_desc = tl.make_tensor_descriptor(a_ptr, [B, K], [K, 1], [B, B])
            b_desc = tl.make_tensor_descriptor(b_ptr, [K, B], [B, 1], [B, B])
            acc = tl.zeros((B, B), tl.float32)
            for k in warp_spec.range(0, K // B):
                acc = tl.dot(a_desc.load([0, k * B]), b_desc.load([k * B, 0]), acc)
            places = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
            tl.store(out_ptr + places, acc)


@triton.jit
def loop_over_buffers(a_ptr, b_ptr, out_ptr, K, B: tl.constexpr):
    places = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    a_view = tlx.local_view(tlx.local_alloc((B, B), tlx.dtype_of(a_ptr), 1), 0)
    b_view = tlx.local_view(tlx.local_alloc((B, B), tlx.dtype_of(b_ptr), 1), 0)
    acc = tl.zeros((B, B), tl.float32)
    for k in warp_spec.range(0, K // B):
        tlx.async_load(a_ptr + k * B * B + places, a_view)
        tlx.async_load(b_ptr + k * B * B + places, b_view)
        tlx.async_load_commit_group()
        tlx.async_load_wait_group(0)
        acc = tlx.async_dot_wait(0, tlx.async_dot(a_view, b_view, acc))
    tl.store(out_ptr + places, acc)


@triton.jit
def sparse_loop(values_ptr, meta_ptr, b_ptr, out_ptr, K, B: tl.constexpr):
    acc = tl.zeros((B, B), tl.float32)
    rows, cols = tl.arange(0, B)[:, None], tl.arange(0, B)[None, :]
    for k in warp_spec.range(0, K // B):
        values = tl.load(values_ptr + rows * (K // 2) + k * (B // 2) + tl.arange(0, B // 2))
        meta = tl.load(meta_ptr + rows * (K // 16) + k * (B // 16) + tl.arange(0, B // 16))
        acc = sp.dot(values, meta, tl.load(b_ptr + (k * B + rows) * B + cols), acc)
    tl.store(out_ptr + rows * B + cols, acc)


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [
        (loop_in_a_task, "the loop is in a specialized region already"),
        (loop_over_buffers, "no product in it reads a loaded tile from shared memory"),
        (sparse_loop, "no matrix product in it runs on wgmma"),
    ],
)
def test_loops_that_stay_as_they_are(kernel: Any, reason: str) -> None:
    """They are compiled all the same, and the warning says why."""
    with pytest.warns(warp_spec.NotSpecialized, match=reason):
        compiled = triton_plugins.compile(
            kernel,
            signature=signature(kernel) | {"K": "i32:16"},
            constexprs={"B": 64},
            target="cuda:90",
        )
    assert "wgmma.mma_async" in compiled.asm["ptx"]


@pytest.mark.parametrize("name", ["two_products", "sum_of_matrices", "in_tasks"])
def test_layout_optimize_beside_the_other_plugins(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled = compile_case(name, [layout.OPTIMIZE])
    assert "wgmma.mma_async.sp.sync" in compiled.asm["ptx"]
