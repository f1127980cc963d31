"""Loading into Tritons that take plugins otherwise than the one that runs."""

from __future__ import annotations

import os
import sys
from types import ModuleType, SimpleNamespace

import pytest
import triton
from triton._C import libtriton

import triton_plugins
from triton_plugins import PluginTooLateError, check, interface, running


def _install(monkeypatch, fake):
    # Asked of the real one, once; libraries made afterwards name it.
    check.llvm_commit()
    monkeypatch.setitem(sys.modules, "triton._C.libtriton", fake)
    monkeypatch.setattr(triton._C, "libtriton", fake)


def _module(**attributes):
    module = ModuleType("libtriton")
    module.__dict__.update(attributes)
    return module


@pytest.fixture
def coming(monkeypatch):
    """A Triton with one `extend_with` that gives each plugin's passes a module of their own."""
    passes = SimpleNamespace(ttir=libtriton.passes.ttir)

    class Builder:
        pass

    def extend_with(path):
        name = os.path.basename(path).removeprefix("lib").removesuffix(".so")
        home = SimpleNamespace(**{f"add_{name}_pass": lambda manager, args: (name, args)})
        setattr(passes, name, home)
        setattr(Builder, f"create_{name}_op", lambda self, operands: (name, operands))

    fake = _module(
        __file__=libtriton.__file__,
        extend_with=extend_with,
        passes=passes,
        ir=SimpleNamespace(builder=Builder),
    )
    _install(monkeypatch, fake)
    return fake


def test_one_call_and_a_module_for_each_plugin(make_library, coming):
    first, second = (triton_plugins.load_path(make_library()).name for _ in range(2))
    builder = coming.ir.builder()
    for name in (first, second):
        assert interface.pass_adder(f"{name}_pass")(None, ["x"]) == (name, ["x"])
        assert interface.op_creator(builder, f"{name}_op")([1]) == (name, [1])
    assert interface.pass_adder("nosuch") is None
    assert interface.op_creator(builder, "nosuch") is None


@pytest.fixture
def on_import_only(monkeypatch):
    """A Triton that has read `TRITON_PLUGIN_PATHS` and takes nothing any more."""
    builder = SimpleNamespace(old_op="old op", create_custom_op="custom op", create_load="stock")
    fake = _module(
        __file__=libtriton.__file__,
        ir=SimpleNamespace(builder=builder),
        passes=SimpleNamespace(plugin=SimpleNamespace(old_pass="old pass", add_other="other")),
    )
    _install(monkeypatch, fake)
    return fake


def test_bare_names(on_import_only):
    assert interface.pass_adder("old_pass") == "old pass"
    assert interface.pass_adder("other") == "other"
    assert interface.op_creator(on_import_only.ir.builder, "old_op") == "old op"
    assert interface.op_creator(on_import_only.ir.builder, "custom_op") == "custom op"


def test_too_late(make_library, on_import_only):
    path = make_library(note=False)
    with pytest.raises(PluginTooLateError) as error:
        triton_plugins.load_path(path)
    for part in (str(path), "before the first `import triton`", f"TRITON_PLUGIN_PATHS={path}"):
        assert part in str(error.value)


def test_own_plugins_say_that_they_need_newer_triton(make_library, on_import_only):
    with pytest.raises(triton_plugins.PluginMismatchError, match=r"carry no C\+\+ headers"):
        triton_plugins.load_path(make_library())


def test_announcing(monkeypatch, tmp_path):
    a, b = tmp_path / "a.so", tmp_path / "b.so"
    monkeypatch.setenv("TRITON_PLUGIN_PATHS", "")
    for path in (a, b, a):
        interface.announce(path)
    assert os.environ["TRITON_PLUGIN_PATHS"] == f"{a}:{b}"
    interface.withhold(a)
    assert os.environ["TRITON_PLUGIN_PATHS"] == str(b)
    interface.withhold(b)
    assert "TRITON_PLUGIN_PATHS" not in os.environ


def test_what_is_known_without_an_import():
    assert running.version() == triton.__version__
    assert running.folder() == type(running.folder())(triton.__file__).parent
    assert not running.takes_plugins_on_import_only()
