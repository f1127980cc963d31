"""Decides before dlopen whether a library may be opened in this process.

Opening a library that was built for another Triton is a crash, not an error, so everything is read
from the ELF file first and compared with the Triton that runs. `TRITON_PLUGINS_UNSAFE=1` skips the
comparison.
"""

from __future__ import annotations

import functools
import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from . import running
from .errors import PluginMismatchError
from .note import Library, Note

API_VERSION = 2
ENTRY_POINT = "tritonGetPluginInfo"
UNSAFE_VARIABLE = "TRITON_PLUGINS_UNSAFE"
# Triton's own: how closely it compares versions itself, after it has opened a library.
EXACT_VARIABLE = "TRITON_PLUGIN_VERSION_CHECK"

# Symbols of MLIR, LLVM and Triton by their mangled namespaces: only libtriton.so can provide these.
_COMPILER_SYMBOL = re.compile(r"^_Z\w*?(?:4mlir|4llvm|6triton)")
_VERSION = re.compile(rb"(?<![\w.+-])(\d+\.\d+\.\d+(?:\+[\w.]+)?)\0")


def check(library: Library) -> None:
    """Raises `PluginMismatchError` when opening the library would not work in this process.

    Args:
        library: What `read_library` found.
    """
    with _refusing():
        _check_linkage(library)
        if library.note is not None:
            _check_note(library, library.note)
        else:
            _check_foreign(library)


def check_table(path: Path, triton_version: str | None) -> None:
    """Raises `PluginMismatchError` when the table of an opened library names another Triton.

    Args:
        path: The library.
        triton_version: What its table says; None when the field is null.
    """
    with _refusing():
        if triton_version is None:
            raise PluginMismatchError(
                f"{path} does not say in its plugin table which Triton it was built for, and "
                "Triton ends the process on such a table. Set the field tritonVersion and build it "
                "again."
            )
        if running.release(triton_version) != running.release(running.version()):
            raise PluginMismatchError(
                f"{path} was built for Triton {triton_version}; {running.described()}. Install "
                f"the plugin's build for {running.version()}, or "
                f"triton=={running.release(triton_version)}."
            )
        strict = os.environ.get(EXACT_VARIABLE, "").lower() in ("1", "true", "on", "yes", "y")
        if strict and triton_version != running.version():
            raise PluginMismatchError(
                f"{path} was built for Triton {triton_version}; {running.described()}, and "
                f"{EXACT_VARIABLE} asks for the very same version, without which Triton ends the "
                f"process. Unset {EXACT_VARIABLE} to take every build of the release."
            )


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except PluginMismatchError as error:
        if os.environ.get(UNSAFE_VARIABLE, "") not in ("1", "true", "on"):
            raise
        warnings.warn(
            f"{UNSAFE_VARIABLE} is set, so this library is opened although it may crash the "
            f"process: {error}",
            RuntimeWarning,
            stacklevel=4,
        )


@functools.cache
def llvm_commit() -> str:
    """Returns the LLVM commit that the running libtriton.so was built from, or "" if it does not
    say."""
    if running.takes_plugins_on_import_only():
        # 3.7 and 3.8 do not say, and importing them to ask would be too early.
        return ""
    # The library writes its own version into a module: exact, and no byte of a 500 MB file is
    # searched.
    from triton._C import libtriton

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
    if not running.exports("_ZN4mlir9OperationD1Ev") and not running.exports(
        "_ZN4mlir9Operation7destroyEv"
    ):
        raise PluginMismatchError(
            f"{running.described()}, and its libtriton.so exports no MLIR symbols, so no plugin "
            "can be loaded into it. Install the triton wheel from PyPI, or build Triton with "
            "TRITON_EXT_ENABLED=1."
        )


def _check_note(library: Library, note: Note) -> None:
    if running.takes_plugins_on_import_only():
        raise PluginMismatchError(
            f"{library.path} ({note.label}) needs Triton {note.triton_version}; "
            f"{running.described()}. The wheels before 3.9.0 carry no C++ headers, so plugins of "
            "this kit are never built for them, and in their libtriton.so the classes of MLIR and "
            "Triton have other layouts: opening the library would crash the process. Install "
            f"triton=={note.triton_version}."
        )
    if note.api_version != API_VERSION:
        raise PluginMismatchError(
            f"{library.path} ({note.label}) uses plugin API {note.api_version}; "
            f"{running.described()} and needs plugin API {API_VERSION}. Build "
            "the plugin against this Triton, or install the one it was built for: "
            f"triton=={note.triton_version}."
        )
    if running.release(note.triton_version) != running.release(running.version()):
        raise PluginMismatchError(
            f"{library.path} ({note.label}) was built for Triton {note.triton_version}; "
            f"{running.described()}. Install triton=={note.triton_version}, or build the plugin "
            f"against {running.version()}."
        )
    running_llvm = llvm_commit()
    if running_llvm and note.llvm_commit != running_llvm:
        raise PluginMismatchError(
            f"{library.path} ({note.label}) was built for Triton {note.triton_version} with LLVM "
            f"{note.llvm_commit}; {running.described()} with LLVM {running_llvm}, whose "
            "classes may be laid out otherwise. Build the plugin against this Triton."
        )


def _check_foreign(library: Library) -> None:
    versions = {match.decode() for match in _VERSION.findall(library.strings)}
    found = (
        f"the versions it names are {', '.join(sorted(versions))}"
        if versions
        else "it names no version at all"
    )
    missing = sorted(
        s for s in library.undefined if _COMPILER_SYMBOL.match(s) and not running.exports(s)
    )
    if missing:
        raise PluginMismatchError(
            f"{library.path} was built for another Triton ({found}): it needs {len(missing)} "
            f"symbols that the libtriton.so of this process does not export, {missing[0]} among "
            f"them. {running.described()}. Install the plugin's build for {running.version()}."
        )
    wanted = running.release(running.version())
    if not any(running.release(version) == wanted for version in versions):
        raise PluginMismatchError(
            f"{library.path} carries no note of the triton_plugin kit, and nothing in it says that "
            f"it was built for Triton {running.version()} ({found}). {running.described()}. "
            f"Install the plugin's build for this version; {UNSAFE_VARIABLE}=1 opens it all the "
            "same."
        )
