"""How this Triton takes plugins: the only module to touch when a Triton changes its loading
interface.

3.9 has three calls and names passes `add_<pass>` and ops `create_<op>`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import triton
from triton._C import libtriton
from triton._C.libtriton import ir, passes

from .check import API_VERSION, ENTRY_POINT, UNSAFE_VARIABLE
from .errors import PluginMismatchError
from .note import Note


def open_library(path: Path) -> None:
    """Opens a library that was checked before and makes its dialects, passes and ops known to
    Triton."""
    if not hasattr(ir, "extend_dialects_with"):
        raise PluginMismatchError(
            f"Triton {triton.__version__} has no call that loads a plugin into a running process; "
            "triton_plugins needs 3.9.0. Install triton==3.9.0."
        )
    ir.extend_dialects_with(str(path))
    passes.plugin.extend_with(str(path))
    ir.builder.extend_with(str(path))


def pass_adder(name: str) -> Callable[..., None] | None:
    """The function that adds a plugin pass to a pass manager: called with the manager and a list of
    strings."""
    return getattr(passes.plugin, f"add_{name}", None)


def op_creator(builder: Any, name: str) -> Callable[[Sequence[Any]], Any] | None:
    """The method of the builder that creates a plugin op: called with the operands, it returns the
    result."""
    return getattr(builder, f"create_{name}", None)


def stock_roots() -> dict[str, ModuleType]:
    """The modules of libtriton that hold pass adders, by the first component of a pass's full name
    ("" for the common ones)."""
    roots = {"": passes}
    for backend in ("nvidia", "amd"):
        if hasattr(libtriton, backend):
            roots[backend] = getattr(libtriton, backend).passes
    return roots


def parent_module(root: str) -> ModuleType:
    """The module of libtriton that holds the pass adders of a backend."""
    return getattr(libtriton, root)


class _Named(ctypes.Structure):
    """PassInfo and DialectInfo begin with a name and a version and hold pointers after them."""

    _fields_ = [("name", ctypes.c_char_p)]


class _PluginInfo(ctypes.Structure):
    """`PluginInfo` of triton/Tools/PluginUtils.h, API version 2."""

    _fields_ = [
        ("api_version", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("version", ctypes.c_char_p),
        ("passes", ctypes.c_void_p),
        ("num_passes", ctypes.c_size_t),
        ("dialects", ctypes.c_void_p),
        ("num_dialects", ctypes.c_size_t),
        ("ops", ctypes.c_void_p),
        ("num_ops", ctypes.c_size_t),
        ("triton_version", ctypes.c_char_p),
    ]


# Number of pointers in PassInfo, DialectInfo and OpInfo.
_POINTERS = {"passes": 4, "dialects": 3, "ops": 2}


def read_table(path: Path) -> Note:
    """Opens a library without a note and returns what its `tritonGetPluginInfo` table says, before
    Triton gets to see it."""
    try:
        entry = getattr(ctypes.CDLL(str(path)), ENTRY_POINT)
    except OSError as error:
        raise PluginMismatchError(
            f"{path} cannot be opened: {error}. Build it against Triton {triton.__version__}."
        ) from error
    entry.restype = ctypes.POINTER(_PluginInfo)
    info = entry().contents
    if info.api_version != API_VERSION:
        raise PluginMismatchError(
            f"{path} uses plugin API {info.api_version}, Triton {triton.__version__} uses "
            f"{API_VERSION}. Build it against this Triton. {UNSAFE_VARIABLE} cannot help: the "
            "table has another form."
        )

    def names(what: str) -> tuple[str, ...]:
        start, count = getattr(info, what), getattr(info, f"num_{what}")
        stride = _POINTERS[what] * ctypes.sizeof(ctypes.c_void_p)
        return tuple(
            (_Named.from_address(start + i * stride).name or b"").decode() for i in range(count)
        )

    return Note(
        name=(info.name or path.stem.encode()).decode(),
        version=(info.version or b"").decode(),
        api_version=info.api_version,
        triton_version=(info.triton_version or b"").decode(),
        dialects=names("dialects"),
        passes=names("passes"),
        ops=names("ops"),
    )
