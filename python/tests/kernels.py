"""Kernels that the tests compile."""

import triton
import triton.language as tl

import triton_plugins


@triton.jit
def add_one(x, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + offsets, tl.load(x + offsets, mask=offsets < n) + 1, mask=offsets < n)


@triton.jit
def add_all(x, y):
    for index in tl.static_range(len(x)):
        tl.store(y + index, tl.load(y + index) + tl.load(x[index]))


def compile_add_one(pipeline=None, target="cuda:90", kernel=add_one, **kwargs):
    """Compiles the kernel, under a pipeline if one is given."""
    if pipeline is not None:
        kernel = triton_plugins.use(pipeline)(kernel)
    signature = {"x": "*fp32:16", "n": "i32"}
    return triton_plugins.compile(
        kernel, signature=signature, constexprs={"BLOCK": 1024}, target=target, **kwargs
    )
