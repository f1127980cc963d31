"""What one process does: loads some plugins in some order and compiles a kernel of each, and one
that uses none.

Nothing here imports a plugin on import.
"""

from __future__ import annotations

import hashlib
import importlib
import multiprocessing
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from types import ModuleType
from typing import Any

import triton
import triton.language as tl

import triton_plugins
from triton_plugins import Pipeline

PLUGINS = ("layout", "sparsity24", "tlx", "warp_spec")
STOCK = "no plugin"
TARGETS = ("cuda:90", "gfx942")
# A process that hangs fails the test instead of the whole run.
SECONDS = 600

GEMM = {"a_ptr": "*fp16:16", "b_ptr": "*fp16:16", "c_ptr": "*fp16:16"}
SIZES = dict.fromkeys("MNK", "i32:16")


@triton.jit
def product(a_ptr, b_ptr, c_ptr, M, N, K, B: tl.constexpr):
    """A kernel that uses no plugin, with all that the others bring passes for: a loop to pipeline,
    products, conversions."""
    rows, cols = tl.program_id(0) * B + tl.arange(0, B), tl.program_id(1) * B + tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for k in tl.range(0, K, B):
        depth = k + tl.arange(0, B)
        a = tl.load(a_ptr + rows[:, None] * K + depth[None, :])
        b = tl.load(b_ptr + depth[:, None] * N + cols[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc.to(tl.float16))


def load(plugin: str) -> ModuleType:
    """Loads a plugin and returns the kernels of its tests, which import nothing else."""
    importlib.import_module(f"triton_plugins.{plugin}")
    return importlib.import_module(f"plugins.{plugin}.test.kernels")


def compile_for(plugin: str, target: str) -> Any:
    """Compiles the plugin's kernel, or the plain one for `STOCK`."""
    options = {"num_warps": 4, "num_stages": 3}
    if plugin == STOCK:
        return _compile(product, GEMM | SIZES, {"B": 32}, target, options)
    kernels = load(plugin)
    if plugin == "layout":
        pointers = dict.fromkeys("ab", "*fp16:16") | dict.fromkeys("cd", "*fp32:16")
        sizes = dict.fromkeys("MNK", 64)
        return _compile(kernels.product_like, pointers, sizes, target, options)
    if plugin == "sparsity24":
        sparse = {"values_ptr": "*fp16:16", "meta_ptr": "*i16:16"}
        pointers = sparse | {"b_ptr": "*fp16:16", "c_ptr": "*fp32:16"}
        return _compile(kernels.one_dot, pointers, dict.fromkeys("MNK", 64), target, options)
    if plugin == "tlx":
        pointers = {"src": "*fp32:16", "dst": "*fp32:16", "n": "i32"}
        return _compile(kernels.carried, pointers, {"BLOCK": 256}, target, options)
    blocks = {"BM": 64, "BN": 32, "BK": 32}
    return _compile(kernels.marked_gemm, GEMM | SIZES, blocks, target, options)


def machine_code(order: Sequence[str]) -> Mapping[tuple[str, str], str]:
    """Loads plugins in an order and returns digests of the machine code of their kernels, and of
    the plain one's, by kernel and target."""
    assert not triton_plugins.loaded(), "this process has loaded plugins already"
    for plugin in order:
        load(plugin)
    assert [plugin.name for plugin in triton_plugins.loaded()] == list(order)
    return codes((STOCK, *order))


def codes(
    kernels: Sequence[str], targets: Sequence[str] = TARGETS
) -> Mapping[tuple[str, str], str]:
    """Digests of the machine code of some kernels for some targets."""
    return {
        (kernel, target): digest(compile_for(kernel, target))
        for kernel in kernels
        for target in targets
    }


def in_a_child(function: Callable[..., Any], argument: Any) -> Any:
    """Calls a function in a fork of this process."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
        return pool.submit(function, argument).result(SECONDS)


def digest(compiled: Any) -> str:
    """A short text for the machine code of a kernel."""
    binary = compiled.asm["cubin"] if "cubin" in compiled.asm else compiled.asm["hsaco"]
    return hashlib.sha256(binary).hexdigest()[:16]


def pipelines() -> Sequence[Pipeline]:
    """The pipelines of all plugins, which this loads."""
    return [importlib.import_module(f"triton_plugins.{plugin}").PIPELINE for plugin in PLUGINS]


def _compile(
    kernel: Any,
    signature: Mapping[str, str],
    constexprs: Mapping[str, Any],
    target: str,
    options: Mapping[str, Any],
) -> Any:
    return triton_plugins.compile(
        kernel,
        signature=dict(signature),
        constexprs=dict(constexprs),
        target=target,
        options=dict(options),
    )
