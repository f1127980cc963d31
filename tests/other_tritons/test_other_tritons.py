"""Other releases of Triton, each in a process of its own, and other people's plugins."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
import triton
from environment import folder, python, wheel_plugin

HERE = Path(__file__).parent
OLD = ("3.7.1", "3.8.0")
NOW = triton.__version__
RELEASES = (*OLD, NOW)

# Loads what the first argument names, before or after Triton is imported, and says how that went.
_LOAD = """
import sys
path, first = sys.argv[1:]
if first == "triton":
    import triton
import triton_plugins
try:
    print(triton_plugins.load_path(path).note.passes)
except triton_plugins.PluginError as error:
    print(type(error).__name__, error)
import triton
print("alive")
"""


def _own_library() -> Path:
    return Path(os.environ["LIBTLX"]).absolute()


def _load(release, path, tmp_path, *, first="triton_plugins", **environment):
    ran = python(release, "-c", _LOAD, path, first, cache=tmp_path, **environment)
    assert ran.returncode == 0, ran.stderr
    *said, alive = ran.stdout.splitlines()
    assert alive == "alive"
    return "\n".join(said)


def _json(ran):
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])


@pytest.mark.parametrize("release", RELEASES)
def test_plugins_of_the_wheel(release, tmp_path):
    result = _json(python(release, HERE / "wheel_plugins.py", cache=tmp_path))
    assert result["triton"] == release
    assert result["loaded"] == ["TritonPlugin", "DialectPlugin"]
    for texts in result["targets"].values():
        stock, edited = texts["stock"]["ttir"], texts["edited"]["ttir"]
        assert "@twice_twice(" in stock
        # What the pass of the test plugin does.
        assert "@foo(" in edited
        for text in (stock, edited):
            # Both ops, the second on the result of the first.
            first = re.search(r"(%\S+) = arith\.addf (%\S+), \2 ", text).group(1)
            assert re.search(rf"arith\.addf {first}, {first} ", text)
        assert texts["edited"]["machine_code"] > 1000


@pytest.mark.parametrize("release", OLD)
def test_too_late(release, tmp_path):
    path = wheel_plugin(release)
    text = _load(release, path, tmp_path, first="triton")
    assert text.startswith("PluginTooLateError")
    assert "before the first `import triton`" in text


@pytest.mark.parametrize("first", ["triton", "triton_plugins"])
@pytest.mark.parametrize("release", RELEASES)
def test_variable(release, first, tmp_path):
    path = wheel_plugin(release)
    text = _load(release, path, tmp_path, first=first, TRITON_PLUGIN_PATHS=str(path))
    assert text == "('plugin',)"


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("built_for", RELEASES)
def test_plugin_of_another_release(release, built_for, tmp_path):
    text = _load(release, wheel_plugin(built_for), tmp_path)
    if release == built_for:
        assert text == "('plugin',)"
    else:
        assert text.startswith("PluginMismatchError")
        for part in (built_for, f"Triton {release} runs here", f"Triton {release}"):
            assert part in text


@pytest.mark.parametrize("release", OLD)
@pytest.mark.parametrize("first", ["triton", "triton_plugins"])
def test_own_library(release, first, tmp_path):
    text = _load(release, _own_library(), tmp_path, first=first)
    assert text.startswith("PluginMismatchError")
    assert f"needs Triton {NOW}" in text
    assert "carry no C++ headers" in text
    assert f"Install triton=={NOW}" in text


@pytest.mark.parametrize("release", OLD)
def test_own_library_in_the_variable(release, tmp_path):
    good, bad = wheel_plugin(release), _own_library()
    code = """
import triton_plugins
import triton
from triton_plugins import interface
print(interface.pass_adder("plugin") is not None)
try:
    triton_plugins.load("tlx")
except triton_plugins.PluginMismatchError as error:
    print(error)
"""
    ran = python(release, "-c", code, cache=tmp_path, TRITON_PLUGIN_PATHS=f"{bad}:{good}")
    assert ran.returncode == 0, ran.stderr
    assert "RuntimeWarning" in ran.stderr
    assert f"needs Triton {NOW}" in ran.stderr
    taken, error = ran.stdout.splitlines()
    # The other library of the variable is not lost.
    assert taken == "True"
    assert f"needs Triton {NOW}" in error


@pytest.mark.parametrize("value", [":", "{good}:", ":{good}", "{good}::{good}", "/nowhere/x.so"])
def test_bad_variable(value, tmp_path):
    # Triton 3.8 itself ends the process on each of these.
    value = value.format(good=wheel_plugin("3.8.0"))
    code = "import triton_plugins, triton; print('alive')"
    ran = python("3.8.0", "-c", code, cache=tmp_path, TRITON_PLUGIN_PATHS=value)
    assert ran.stdout == "alive\n", ran.stderr
    assert "RuntimeWarning" in ran.stderr


def test_empty_variable(tmp_path):
    code = "import triton_plugins, triton; print('alive')"
    ran = python("3.8.0", "-c", code, cache=tmp_path, TRITON_PLUGIN_PATHS="")
    assert (ran.stdout, ran.stderr) == ("alive\n", "")


def test_exact_version(tmp_path):
    path = folder("utlx") / "utlx_plugin" / "libutlx.so"
    text = _load("3.8.0", path, tmp_path, TRITON_PLUGIN_VERSION_CHECK="true")
    assert text.startswith("PluginMismatchError")
    assert "TRITON_PLUGIN_VERSION_CHECK asks for the very same version" in text


def test_utlx_beside_the_core(tmp_path):
    result = _json(python("3.8.0", HERE / "utlx_kernel.py", folder("utlx"), cache=tmp_path))
    assert result["loaded"] == ["uTLXPlugin", "TritonPlugin"]
    # Its own kernel is what its ops and passes make of it.
    assert "wgmma.mma_async" in result["gemm"]
    assert "cp.async" in result["gemm"]
    assert result["cubin"] > 10000
    # A pipeline of ours works on another kernel while its hook has the slot.
    assert "@foo(" in result["beside"]
    assert result["hook_kept"]


def test_utlx_on_another_release(tmp_path):
    path = folder("utlx") / "utlx_plugin" / "libutlx.so"
    for release in ("3.7.1", NOW):
        text = _load(release, path, tmp_path)
        assert text.startswith("PluginMismatchError")
        for part in ("the versions it names are 3.8.0", f"Triton {release} runs here"):
            assert part in text


def test_no_triton(tmp_path):
    code = """
import sys
sys.path = [entry for entry in sys.path if entry != sys.argv[1]]
import triton_plugins
for act in (lambda: triton_plugins.Pipeline, lambda: triton_plugins.load_path(sys.argv[2])):
    try:
        act()
    except ImportError as error:
        print(error)
"""
    ran = python(NOW, "-c", code, folder(NOW), _own_library(), cache=tmp_path)
    assert ran.returncode == 0, ran.stderr
    said = ran.stdout.splitlines()
    assert len(said) == 2
    assert all("pip install triton==3.9.0" in line for line in said)
