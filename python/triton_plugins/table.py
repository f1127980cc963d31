"""Reads the table that `tritonGetPluginInfo` of a library without a note returns."""

from __future__ import annotations

import ctypes
from pathlib import Path

from . import running
from .check import API_VERSION, ENTRY_POINT, UNSAFE_VARIABLE, check_table
from .errors import PluginMismatchError
from .note import Note


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
            f"{path} cannot be opened: {error}. Build it against Triton {running.version()}."
        ) from error
    entry.restype = ctypes.POINTER(_PluginInfo)
    info = entry().contents
    if info.api_version != API_VERSION:
        raise PluginMismatchError(
            f"{path} uses plugin API {info.api_version}, Triton {running.version()} uses "
            f"{API_VERSION}. Build it against this Triton. {UNSAFE_VARIABLE} cannot help: the "
            "table has another form."
        )
    built_for = None if info.triton_version is None else info.triton_version.decode()
    check_table(path, built_for)

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
        triton_version=built_for or "",
        dialects=names("dialects"),
        passes=names("passes"),
        ops=names("ops"),
    )
