"""The C++ kit as a plugin's users meet it: arguments, errors, options, symbols."""

from __future__ import annotations

import inspect
import math
import re
from pathlib import Path
from typing import Any

import pytest
import triton
import triton.language as tl
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile

import triton_plugins
from triton_plugins import dsl, opt

LIBRARY = Path(__file__).with_name("libkit.so")
MODULE = "module { tt.func @f() { tt.return } tt.func @g() { tt.return } }"
GOOD = {
    "integer": -(2**40),
    "real": 1.5e-3,
    "boolean": True,
    "string": 'a "quoted"\n\\ text: é',
    "dtype": tl.bfloat16,
    "list": [1, -2, 3],
    "absent": None,
    "optional_value": None,
}


@pytest.fixture(scope="module", autouse=True)
def _load() -> None:
    triton_plugins.load_path(LIBRARY)


# What the op of the kernel is called with. A kernel's globals must be constants, so it is here.
call: dict[str, Any] = {}


@tl.core.builtin
def kit_op(x, _semantic=None):
    arguments = {
        name: (x if value == "x" else [x, x] if value == "xx" else value)
        for name, value in call["arguments"].items()
    }
    call["result"] = dsl.create_op(_semantic, call["op"], **arguments)


@triton.jit
def kernel(pointer):
    x = tl.load(pointer)
    kit_op(x)  # the line that errors name
    tl.store(pointer, x)


def run_op(op: str, **arguments: Any) -> Any:
    call.update(op=op, arguments=arguments, result=None)
    triton_plugins.compile(kernel, signature={"pointer": "*i32"}, constexprs={}, target="cuda:90")
    return call["result"]


def saw(**changes: Any) -> str:
    call.update(op="kit_arguments", arguments={**GOOD, "value": "x", "values": "xx", **changes})
    text = opt_text()
    return re.search(r'kit.saw = "((?:[^"\\]|\\.)*)"', text)[1]


def opt_text() -> str:
    compiled = {}

    def keep(module: Any) -> None:
        compiled["text"] = str(module)

    pipeline = triton_plugins.Pipeline("keep").prepend("ttir", keep)
    with pipeline:
        triton_plugins.compile(
            kernel, signature={"pointer": "*i32"}, constexprs={}, target="cuda:90"
        )
    return compiled["text"]


def test_every_kind_of_argument_arrives(fresh_cache: None) -> None:
    text = saw()
    assert f"integer={-(2**40)} real=1.5" in text
    assert "boolean=1" in text
    assert r"string='a \22quoted\22\0A\\ text: \C3\A9'" in text
    assert "dtype=bf16 list=[1, -2, 3] values=2 value=i32" in text
    assert "absent=none optional_value=none" in text


@pytest.mark.parametrize("value", [1, "x", "xx"])
def test_an_argument_that_the_op_does_not_know(fresh_cache: None, value: Any) -> None:
    with pytest.raises(triton.CompilationError) as caught:
        saw(typo=value)
    assert "it takes no argument 'typo'" in str(caught.value)


def test_arguments_arrive_without_line_information(
    fresh_cache: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRITON_DISABLE_LINE_INFO", "1")
    assert "list=[1, -2, 3]" in saw()


def test_optional_arguments_may_be_given(fresh_cache: None) -> None:
    assert "absent=given optional_value=given" in saw(absent=3, optional_value="x")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"integer": None}, "argument 'integer' is missing; it must be an integer"),
        ({"integer": "3"}, "argument 'integer' must be an integer, but is \"3\""),
        ({"integer": True}, "argument 'integer' must be an integer, but is true"),
        ({"integer": "x"}, "must be an integer known at compile time, but is a run-time value"),
        ({"boolean": 1}, "argument 'boolean' must be a bool, but is 1 : i64"),
        ({"string": 1}, "argument 'string' must be a string, but is 1 : i64"),
        ({"real": "fast"}, "argument 'real' must be a float, but is \"fast\""),
        ({"dtype": "f16"}, "argument 'dtype' must be a dtype, but is \"f16\""),
        ({"list": [1, 2.5]}, "argument 'list' must be a list of integers, but is [1, 2.5"),
        ({"list": 3}, "argument 'list' must be a list of integers, but is 3 : i64"),
        ({"value": None}, "argument 'value' is missing; it must be a value"),
        ({"value": 5}, "argument 'value' must be a value, but is 5 : i64"),
        ({"value": "xx"}, "argument 'value' must be one value, but is a list of 2"),
    ],
)
def test_wrong_arguments_are_named(fresh_cache: None, change: dict[str, Any], message: str) -> None:
    with pytest.raises(triton.CompilationError) as caught:
        run_op("kit_arguments", **{**GOOD, "value": "x", "values": "xx", **change})
    error = caught.value.__cause__
    assert isinstance(error, triton_plugins.OpError)
    assert "kit_arguments: " in str(error)
    assert message in str(error)


def test_errors_name_file_and_line(fresh_cache: None) -> None:
    lines, start = inspect.getsourcelines(kernel.fn)
    line = start + next(i for i, text in enumerate(lines) if "the line that errors name" in text)
    with pytest.raises(triton.CompilationError) as caught:
        run_op("kit_failing")
    assert f"{Path(__file__).name}:{line}" in str(caught.value.__cause__)
    assert "kit_failing: it was asked to fail" in str(caught.value.__cause__)


def test_an_op_that_does_not_verify_is_an_error(fresh_cache: None) -> None:
    with pytest.raises(triton.CompilationError, match="kit_invalid: .*arith.addi"):
        run_op("kit_invalid", value="x")


def test_an_op_without_result_gives_none(fresh_cache: None) -> None:
    assert run_op("kit_no_result") is None


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_infinities_and_nans_arrive(fresh_cache: None, value: float) -> None:
    assert f"real={value}" in saw(real=value).lower()


def test_pass_options() -> None:
    assert "kit.count = 2" in opt.run_passes(MODULE, [("kit_count", ())])
    assert "kit.count = 2" in opt.run_passes(MODULE, [("kit_count", ("op=tt.func",))])
    assert "kit.count = 0" in opt.run_passes(MODULE, [("kit_count", ("op=tt.load",))])


def test_an_unknown_pass_option_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="kit_count: option refused: .*nonsense"):
        opt.run_passes(MODULE, [("kit_count", ("nonsense=1",))])


def test_a_failing_pass_says_why() -> None:
    with pytest.raises(triton_plugins.PluginError, match="this function was refused"):
        opt.run_passes(MODULE, [("kit_refuse", ())])


def test_one_symbol_is_exported_and_no_mlir_is_linked() -> None:
    with LIBRARY.open("rb") as file:
        elf = ELFFile(file)
        symbols = [
            symbol.name
            for symbol in elf.get_section_by_name(".dynsym").iter_symbols()
            if symbol["st_shndx"] != "SHN_UNDEF"
        ]
        dynamic = next(s for s in elf.iter_sections() if isinstance(s, DynamicSection))
        needed = {tag.needed for tag in dynamic.iter_tags() if tag.entry.d_tag == "DT_NEEDED"}
    assert symbols == ["tritonGetPluginInfo"]
    assert "libtriton.so" in needed
    assert not any("LLVM" in name or "MLIR" in name for name in needed)


def test_the_note_tells_what_the_library_registers() -> None:
    note = triton_plugins.read_note(LIBRARY)
    assert (note.name, note.version, note.triton_version) == ("kit", "1.2.3", triton.__version__)
    assert list(note.passes) == ["kit_count", "kit_refuse"]
    assert list(note.ops) == ["kit_arguments", "kit_invalid", "kit_failing", "kit_no_result"]


@pytest.fixture
def fresh_cache(tmp_path: Path) -> Any:
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(tmp_path)
        yield
