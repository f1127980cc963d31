"""Ops of plugins in kernels."""

import math

import pytest
import triton
import triton.language as tl
from triton import CompilationError
from triton._C.libtriton import ir

import triton_plugins
from triton_plugins import OpError, PluginNotLoadedError, dsl

SEEN = []


@pytest.fixture(scope="module", autouse=True)
def plugin(wheel_plugins):
    return triton_plugins.load_path(wheel_plugins / "libMLIRDialectPlugin.so")


@pytest.fixture
def builder():
    context = ir.context()
    ir.load_dialects(context)
    # A builder does not keep its context alive.
    yield ir.builder(context)


@pytest.mark.parametrize(
    "value, text",
    [
        (True, "true"),
        (False, "false"),
        (0, "0 : i64"),
        (-3, "-3 : i64"),
        (2**63 - 1, "9223372036854775807 : i64"),
        (-(2**63), "-9223372036854775808 : i64"),
        (0.5, "0.5 : f64"),
        (1e-3, "0.001 : f64"),
        (1e-5, "1.0e-05 : f64"),
        (-0.0, "-0.0 : f64"),
        (1e300, "1.0e+300 : f64"),
        (math.inf, "0x7FF0000000000000 : f64"),
        (-math.inf, "0xFFF0000000000000 : f64"),
        (math.nan, "0x7FF8000000000000 : f64"),
        ("plain", '"plain"'),
        ('a"b\\c\n\0é', '"a\\22b\\5Cc\\0A\\00\\C3\\A9"'),
        ("", '""'),
        ([], "[]"),
        ([1, 2], "[1 : i64, 2 : i64]"),
        ([[1], [True, "x"]], '[[1 : i64], [true, "x"]]'),
        ((1,), "[1 : i64]"),
        ({"a": 1, "b c": 2}, '{a = 1 : i64, "b c" = 2 : i64}'),
        (tl.float16, "f16"),
        (tl.bfloat16, "bf16"),
        (tl.int1, "i1"),
        (tl.uint8, "i8"),
        (tl.float8e4nv, "f8E4M3FN"),
        (tl.pointer_type(tl.float16), "!tt.ptr<f16>"),
        (tl.block_type(tl.float32, [2, 4]), "tensor<2x4xf32>"),
        (tl.constexpr(7), "7 : i64"),
        ([tl.constexpr(tl.constexpr(1))], "[1 : i64]"),
    ],
)
def test_attributes(builder, value, text):
    assert dsl.encode_attribute(builder, value) == text


def test_attributes_are_what_mlir_reads(builder, tmp_path):
    values = {
        "a": [1e-5, math.inf, -0.0],
        "s": 'q"\\\né',
        "n": -3,
        "t": tl.float16,
        "e": [],
        "d": {"b c": True},
    }
    path = tmp_path / "x.mlir"
    text = dsl.encode_attribute(builder, values)
    path.write_text(f"module attributes {{tt.x = {text}}} {{}}")
    context = ir.context()
    ir.load_dialects(context)
    module = ir.parse_mlir_module(str(path), context)
    assert "0x7FF0000000000000" in str(module)


@pytest.mark.parametrize(
    "value, message",
    [(object(), "a object cannot be"), (2**63, "64 bits"), ({3: 1}, "cannot name")],
)
def test_values_that_cannot_travel(builder, value, message):
    with pytest.raises((TypeError, ValueError), match=message):
        dsl.encode_attribute(builder, value)


@tl.core.builtin
def add_all(x, y, z, mode=None, _semantic=None):
    return tl.tensor(dsl.create_op(_semantic, "custom_op", x=x, y=y, z=z, mode=mode), x.type)


@tl.core.builtin
def encode(x, y, name: tl.constexpr, _semantic=None):
    arguments = {
        "a": x,
        "list": [x, y],
        "pair": tl.tuple([x, y]),
        "none": None,
        "name": name,
        "empty": [],
    }
    SEEN.append(dsl._encode(_semantic.builder, "op", arguments, _semantic.builder.get_loc()))
    return x


@tl.core.builtin
def mixed(x, _semantic=None):
    return dsl.create_op(_semantic, "custom_op", x=[x, 1])


@tl.core.builtin
def unknown(x, _semantic=None):
    return dsl.create_op(_semantic, "zzz_op", x=x)


@tl.core.builtin
def wrong_version(x, _semantic=None):
    return dsl.create_op(_semantic, "DialectPlugin_other", x=x)


@triton.jit
def kernel(x, WHAT: tl.constexpr):
    v = tl.load(x + tl.arange(0, 128))
    if WHAT == "op":
        v = add_all(v, v, v)
    if WHAT == "encode":
        v = encode(v, v, "n")
    if WHAT == "attribute":
        v = add_all(v, v, v, mode=3)
    if WHAT == "mixed":
        v = mixed(v)
    if WHAT == "unknown":
        v = unknown(v)
    if WHAT == "wrong":
        v = wrong_version(v)
    tl.store(x + tl.arange(0, 128), v)


def compile_kernel(what):
    return triton_plugins.compile(
        kernel, signature={"x": "*fp32"}, constexprs={"WHAT": what}, target="cuda:90"
    )


def line_of(what):
    lines = kernel.raw_src
    return (
        kernel.starting_line_number
        + next(i for i, line in enumerate(lines) if f'"{what}"' in line)
        + 1
    )


def cause(what):
    with pytest.raises(CompilationError) as error:
        compile_kernel(what)
    # What the kernel's author sees first is Triton's own error, with the source line.
    assert str(error.value.__cause__) in str(error.value)
    return error.value.__cause__


def test_op_of_a_plugin_without_the_kit():
    assert "arith.addf" in compile_kernel("op").asm["ttir"]


def test_operands_and_names():
    SEEN.clear()
    compile_kernel("encode")
    ((operands, text),) = SEEN
    assert len(operands) == 5
    assert (
        text == '{args = {name = "n", empty = []}, values = ["a", "list", "list", "pair", "pair"]}'
    )


def test_op_of_no_plugin():
    error = cause("unknown")
    assert isinstance(error, PluginNotLoadedError)
    assert f"{__file__}:{line_of('unknown')}: the kernel uses the op 'zzz_op'" in str(error)
    assert "triton_plugins.load('zzz')" in str(error)


def test_op_that_the_loaded_plugin_lacks():
    assert "The loaded plugin DialectPlugin 0.1.0" in str(cause("wrong"))


def test_attributes_for_a_plugin_without_the_kit():
    error = cause("attribute")
    assert isinstance(error, OpError)
    assert error.op == "custom_op"
    assert error.location == f"{__file__}:{line_of('attribute')}"
    assert "take values only" in error.message


def test_lists_are_of_one_kind():
    error = cause("mixed")
    assert "argument 'x': a list holds either values or compile-time constants" in str(error)


def test_without_line_information(monkeypatch):
    monkeypatch.setenv("TRITON_DISABLE_LINE_INFO", "1")
    error = cause("attribute")
    assert error.location is None
    assert str(error).startswith("custom_op: ")


def test_op_error_pickles():
    import pickle

    error = OpError("op", "op: no", "f.py:3")
    again = pickle.loads(pickle.dumps(error))
    assert (again.op, again.message, again.location, str(again)) == (
        "op",
        "op: no",
        "f.py:3",
        "f.py:3: op: no",
    )
