"""Cache keys of kernels that use operations of plugins, and of those that use none."""

import os
import subprocess
import sys

import pytest
import triton
from kernels import add_one
from op_kernels import (
    add_all,
    by_attribute,
    by_name,
    compile_kernel,
    helper,
    helper_of_helper,
    late,
    nested,
    noting,
    sized,
)
from triton.runtime.jit import JITFunction

import triton_plugins
from triton_plugins import PluginNotLoadedError


@pytest.fixture(scope="module", autouse=True)
def plugin(wheel_plugins):
    return triton_plugins.load_path(wheel_plugins / "libMLIRDialectPlugin.so")


def fresh_key(kernel):
    for function in (kernel, helper, helper_of_helper):
        function.hash = None
    return kernel.cache_key


@pytest.mark.parametrize("kernel", [by_name, by_attribute, nested], ids=lambda k: k.__name__)
def test_the_build_is_part_of_the_key_of_kernels_that_use_it(kernel, plugin, monkeypatch):
    before, other = fresh_key(kernel), fresh_key(add_one)
    monkeypatch.setattr(add_all, "hash", None)
    assert fresh_key(kernel) == before
    original = plugin.digest
    object.__setattr__(plugin, "digest", "another build")
    try:
        monkeypatch.setattr(add_all, "hash", None)
        assert fresh_key(kernel) != before
        assert fresh_key(add_one) == other
    finally:
        object.__setattr__(plugin, "digest", original)
        fresh_key(kernel)


def test_the_pipeline_is_part_of_the_key(monkeypatch):
    before = fresh_key(by_name)
    monkeypatch.setattr(add_all, "hash", None)
    monkeypatch.setattr(add_all, "pipeline", noting("another"))
    assert fresh_key(by_name) != before
    monkeypatch.undo()
    assert fresh_key(by_name) == before


def test_op_of_a_plugin_that_is_not_loaded(make_library):
    message = r"uses latecomer.of_a_latecomer.*load\('latecomer'\)"
    for _ in range(2):
        with pytest.raises(triton.CompilationError, match=message) as error:
            compile_kernel(late)
        assert isinstance(error.value.__cause__, PluginNotLoadedError)
    # Half a key must not stay.
    assert not late.cache_key.startswith("recursion")
    triton_plugins.load_path(make_library("latecomer"))
    compile_kernel(late)


def test_warm_launches_ask_for_no_key(driver, pointer, monkeypatch):
    kernel = JITFunction(sized.fn)
    kernel[(1,)](pointer, 1, BLOCK=128)
    monkeypatch.setattr(type(add_all), "cache_key", property(lambda self: 1 / 0))
    kernel[(1,)](pointer, 1, BLOCK=128)
    assert len(driver.launches) == 2


_COMPILE = """
import triton
from triton.compiler import ASTSource
from triton.backends.compiler import GPUTarget
{prepare}
from plain import kernel
triton.compile(ASTSource(kernel, {{"x": "*fp32"}}), target=GPUTarget("cuda", 90, 32))
"""

_PREPARATIONS = [
    # A process without us.
    "",
    # One with plugins, DSL functions, pipelines and kernels that use them.
    """
import triton_plugins, op_kernels
triton_plugins.load_path(r"{library}")
op_kernels.compile_kernel(op_kernels.by_name)
with op_kernels.PIPELINE:
    pass
""",
]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_kernels_that_use_no_plugin_share_cache_entries(order, wheel_plugins, tmp_path):
    """What a process without plugins has compiled is found by one with plugins, and the other way
    round."""
    (tmp_path / "plain.py").write_text(
        "import triton, triton.language as tl\n\n"
        "@triton.jit\ndef kernel(x):\n    tl.store(x, tl.load(x) + 1)\n"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]),
        "TRITON_CACHE_DIR": str(tmp_path / "cache"),
    }
    found = []
    for turn in order:
        prepare = _PREPARATIONS[turn].format(library=wheel_plugins / "libMLIRDialectPlugin.so")
        code = _COMPILE.format(prepare=prepare)
        subprocess.run([sys.executable, "-c", code], env=environment, check=True)
        files = (tmp_path / "cache").glob("*/kernel.*")
        found.append({path: (path.stat().st_mtime_ns, path.read_bytes()) for path in files})
    assert found[0] and found[0] == found[1]
