"""What is refused before dlopen, and what the refusal says."""

import pytest
import triton

import triton_plugins
from triton_plugins import PluginMismatchError, check
from triton_plugins.note import read_library

_COMMIT = "0123456789" * 4


def refusal(path):
    with pytest.raises(PluginMismatchError) as error:
        triton_plugins.load_path(path)
    # One paragraph that names the file.
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_the_running_llvm_is_known():
    assert len(check.llvm_commit()) == 40


def test_another_triton(make_library):
    text = refusal(make_library(triton_version="3.8.0"))
    assert "was built for Triton 3.8.0" in text
    assert f"Triton {triton.__version__} runs here" in text
    assert "Install triton==3.8.0" in text


def test_another_llvm(make_library):
    text = refusal(make_library(llvm_commit=_COMMIT))
    assert _COMMIT in text
    assert check.llvm_commit() in text


def test_another_api(make_library):
    assert "uses plugin API 1" in refusal(make_library(api_version=1))


def test_a_local_version_is_the_same_release(make_library):
    path = make_library(triton_version=f"{triton.__version__}+git1234")
    check.check(read_library(path))


def test_no_entry_point(make_library):
    assert "does not export tritonGetPluginInfo" in refusal(make_library(entry="somethingElse"))


def test_triton_not_needed(make_library):
    assert "does not name libtriton.so" in refusal(make_library(needs_triton=False))


def test_plugins_of_the_wheel_fit(wheel_plugins):
    for name in ("libTritonPluginsTestLib.so", "libMLIRDialectPlugin.so"):
        library = read_library(wheel_plugins / name)
        assert library.note is None
        check.check(library)


def test_foreign_library_of_another_triton(make_library):
    text = refusal(make_library(note=False, triton_version="3.8.0"))
    assert "the versions it names are 0.1.0, 3.8.0" in text
    assert "TRITON_PLUGINS_UNSAFE=1" in text


def test_foreign_library_without_a_version(make_library):
    assert "names no version" in refusal(make_library(note=False, triton_version="", version=""))


def test_foreign_library_with_a_symbol_that_triton_lacks(make_library):
    extra = 'extern void gone() asm("_ZN4mlir4goneEv"); void *p = (void *)gone;'
    text = refusal(make_library(note=False, extra=extra))
    assert "needs 1 symbols" in text
    assert "_ZN4mlir4goneEv" in text


def test_unsafe_opens_and_says_so(make_library, monkeypatch):
    path = make_library(llvm_commit=_COMMIT)
    monkeypatch.setenv("TRITON_PLUGINS_UNSAFE", "1")
    with pytest.warns(RuntimeWarning, match=f"TRITON_PLUGINS_UNSAFE is set.*{_COMMIT}"):
        plugin = triton_plugins.load_path(path)
    assert plugin in triton_plugins.loaded()


def test_foreign_library_whose_table_names_another_triton(make_library, monkeypatch):
    # The right version is in it as well, as in a plugin that serves several.
    extra = f'extern const char other[] = "{triton.__version__}";'
    path = make_library(note=False, triton_version="3.8.0", extra=extra)
    assert "was built for Triton 3.8.0" in refusal(path)
    monkeypatch.setenv("TRITON_PLUGINS_UNSAFE", "1")
    # Triton's own check, which only this process survives, comes last.
    with (
        pytest.warns(RuntimeWarning, match="was built for Triton 3.8.0"),
        pytest.raises(PluginMismatchError, match="Triton refused to load"),
    ):
        triton_plugins.load_path(path)
