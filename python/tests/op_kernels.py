"""Operations of plugins with default pipelines, and kernels that use them."""

import types

import triton
import triton.language as tl

import triton_plugins
from triton_plugins import Pipeline, Step, dsl

PLUGIN = "DialectPlugin"
# What default and other pipelines ran.
RAN = []


def noting(name, stage="ttgir"):
    return Pipeline(name).append(stage, Step(lambda module: RAN.append(name), key=name))


PIPELINE = noting("default")


@dsl.op(PLUGIN, PIPELINE)
def add_all(x, y, z, _semantic=None):
    """Adds."""
    return tl.tensor(dsl.create_op(_semantic, "custom_op", x=x, y=y, z=z), x.type)


@dsl.op(
    PLUGIN, Pipeline("second").append("ttgir", Step(lambda module: RAN.append("second"), key="2"))
)
def second(x, _semantic=None):
    return x


@dsl.op(PLUGIN, PIPELINE)
def twice(function, x, _semantic=None, _generator=None):
    """Calls a jitted function on what it makes of x."""
    return _generator.call_JitFunction(
        function, [_generator.call_JitFunction(function, [x], {})], {}
    )


@dsl.op("latecomer")
def of_a_latecomer(x, _semantic=None):
    return x


# What a plugin's package looks like to a kernel.
language = types.ModuleType("language")
language.add_all = add_all


@triton.jit
def by_name(x):
    v = tl.load(x + tl.arange(0, 128))
    tl.store(x + tl.arange(0, 128), add_all(v, v, v))


@triton.jit
def by_attribute(x):
    v = tl.load(x + tl.arange(0, 128))
    tl.store(x + tl.arange(0, 128), language.add_all(v, v, v))


@triton.jit
def helper(v):
    return language.add_all(v, v, v)


@triton.jit
def helper_of_helper(v):
    return helper(v)


@triton.jit
def nested(x):
    v = tl.load(x + tl.arange(0, 128))
    tl.store(x + tl.arange(0, 128), helper_of_helper(v))


@triton.jit
def sized(x, n, BLOCK: tl.constexpr):
    v = tl.load(x + tl.arange(0, BLOCK))
    tl.store(x + tl.arange(0, BLOCK), add_all(v, add_all(v, v, v), v))


@triton.jit
def two(x):
    v = tl.load(x)
    tl.store(x, second(add_all(v, v, v)))


@triton.jit
def late(x):
    tl.store(x, of_a_latecomer(tl.load(x)))


@triton.jit
def without(x):
    tl.store(x, tl.load(x) + 1)


def compile_kernel(kernel, target="cuda:90"):
    return triton_plugins.compile(kernel, signature={"x": "*fp32"}, target=target)


@triton.jit
def tripled(v):
    return v * 3.0


@triton.jit
def calling_back(x):
    v = tl.load(x + tl.arange(0, 128))
    tl.store(x + tl.arange(0, 128), twice(tripled, v))
