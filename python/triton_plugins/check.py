"""Decides before dlopen whether a library may be opened in this process.

Opening a library that was built for another Triton is a crash, not an error, so everything is read
from the ELF file first and compared with the Triton that runs. `TRITON_PLUGINS_UNSAFE=1` skips the
comparison.
"""

from __future__ import annotations

import ctypes
import functools
import os
import re
import warnings

import triton
from triton._C import libtriton

from .errors import PluginMismatchError
from .note import Library, Note

API_VERSION = 2
ENTRY_POINT = "tritonGetPluginInfo"
UNSAFE_VARIABLE = "TRITON_PLUGINS_UNSAFE"

# Symbols of MLIR, LLVM and Triton by their mangled namespaces: only libtriton.so can provide these.
_COMPILER_SYMBOL = re.compile(r"^_Z\w*?(?:4mlir|4llvm|6triton)")
_VERSION = re.compile(rb"(?<![\w.+-])(\d+\.\d+\.\d+(?:\+[\w.]+)?)\0")


def check(library: Library) -> None:
    """Raises `PluginMismatchError` when opening the library would not work in this process.

    Args:
        library: What `read_library` found.
    """
    try:
        _check_linkage(library)
        if library.note is not None:
            _check_note(library, library.note)
        else:
            _check_foreign(library)
    except PluginMismatchError as error:
        if os.environ.get(UNSAFE_VARIABLE, "") not in ("1", "true", "on"):
            raise
        warnings.warn(
            f"{UNSAFE_VARIABLE} is set, so this library is opened although it may crash the "
            f"process: {error}",
            RuntimeWarning,
            stacklevel=3,
        )


def llvm_commit() -> str:
    """Returns the LLVM commit that the running libtriton.so was built from, or "" if it does not
    say."""
    return _llvm_commit()


@functools.cache
def _llvm_commit() -> str:
    # The library writes its own version into a module: exact, and no byte of a 500 MB file is
    # searched.
    ir, llvm = libtriton.ir, libtriton.llvm
    if not hasattr(llvm, "add_version_info"):
        return ""
    context = ir.context()
    ir.load_dialects(context)
    module = ir.builder(context).create_module()
    llvm_context = llvm.context()
    llvm_module = llvm.to_module(module, llvm_context)
    llvm.add_version_info(llvm_module)
    found = re.search(r"LLVM version [^\"]*\b([0-9a-f]{40})\b", str(llvm_module))
    return found.group(1) if found else ""


@functools.cache
def _libtriton_handle() -> ctypes.CDLL:
    # RTLD_NOLOAD: the library is in the process already, this only asks for its handle.
    return ctypes.CDLL(libtriton.__file__, mode=os.RTLD_NOLOAD | os.RTLD_NOW)


def _libtriton_exports(symbol: str) -> bool:
    return hasattr(_libtriton_handle(), symbol)


def _running() -> str:
    return f"Triton {triton.__version__} runs here ({os.path.dirname(triton.__file__)})"


def _check_linkage(library: Library) -> None:
    if ENTRY_POINT not in library.exports:
        raise PluginMismatchError(
            f"{library.path} is a shared library but not a Triton plugin: it does not export "
            f"{ENTRY_POINT}. Check that this is the file you meant."
        )
    if "libtriton.so" not in library.needed:
        raise PluginMismatchError(
            f"{library.path} does not name libtriton.so among the libraries it needs (it names "
            f"{', '.join(library.needed) or 'none'}), so its symbols would stay unresolved. Link "
            "it with -l:libtriton.so."
        )
    if not _libtriton_exports("_ZN4mlir9OperationD1Ev") and not _libtriton_exports(
        "_ZN4mlir9Operation7destroyEv"
    ):
        raise PluginMismatchError(
            f"{_running()}, and its libtriton.so exports no MLIR symbols, so no plugin can be "
            "loaded into it. Install the triton wheel from PyPI, or build Triton with "
            "TRITON_EXT_ENABLED=1."
        )


def _check_note(library: Library, note: Note) -> None:
    if note.api_version != API_VERSION:
        raise PluginMismatchError(
            f"{library.path} ({note.label}) uses plugin API {note.api_version}; {_running()} and "
            f"needs plugin API {API_VERSION}. Build the plugin against this Triton, or install the "
            f"one it was built for: triton=={note.triton_version}."
        )
    if _release(note.triton_version) != _release(triton.__version__):
        raise PluginMismatchError(
            f"{library.path} ({note.label}) was built for Triton {note.triton_version}; "
            f"{_running()}. Install triton=={note.triton_version}, or build the plugin against "
            f"{triton.__version__}."
        )
    running_llvm = llvm_commit()
    if running_llvm and note.llvm_commit != running_llvm:
        raise PluginMismatchError(
            f"{library.path} ({note.label}) was built for Triton {note.triton_version} with LLVM "
            f"{note.llvm_commit}; {_running()} with LLVM {running_llvm}, whose classes may be laid "
            "out otherwise. Build the plugin against this Triton."
        )


def _check_foreign(library: Library) -> None:
    missing = sorted(
        s for s in library.undefined if _COMPILER_SYMBOL.match(s) and not _libtriton_exports(s)
    )
    if missing:
        raise PluginMismatchError(
            f"{library.path} was built for another Triton: it needs {len(missing)} symbols that "
            f"the libtriton.so of this process does not export, {missing[0]} among them. "
            f"{_running()}. Install the plugin's build for {triton.__version__}."
        )
    versions = {match.decode() for match in _VERSION.findall(library.strings)}
    if not any(_release(version) == _release(triton.__version__) for version in versions):
        found = (
            f"the versions it names are {', '.join(sorted(versions))}"
            if versions
            else "it names no version at all"
        )
        raise PluginMismatchError(
            f"{library.path} carries no note of the triton_plugin kit, and nothing in it says that "
            f"it was built for Triton {triton.__version__} ({found}). {_running()}. Install the "
            f"plugin's build for this version; {UNSAFE_VARIABLE}=1 opens it all the same."
        )


def _release(version: str) -> str:
    """The part of a version that fixes the ABI: a local suffix (+git...) names the same release."""
    return version.partition("+")[0]
