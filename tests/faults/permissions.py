"""Makes root obey file permissions, as every other user does."""

from __future__ import annotations

import ctypes

_VERSION = 0x20080522  # _LINUX_CAPABILITY_VERSION_3
# CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: what lets root read and write everything.
_IGNORING_PERMISSIONS = 1 << 1 | 1 << 2


class _Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class _Sets(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("effective", "permitted", "inheritable")]


def obey() -> None:
    """Gives up this process's right to ignore file permissions, for good."""
    libc = ctypes.CDLL(None, use_errno=True)
    header, sets = _Header(_VERSION, 0), (_Sets * 2)()
    if libc.capget(ctypes.byref(header), sets):
        raise OSError(ctypes.get_errno(), "capget failed")
    for name in ("effective", "permitted", "inheritable"):
        setattr(sets[0], name, getattr(sets[0], name) & ~_IGNORING_PERMISSIONS)
    if libc.capset(ctypes.byref(header), sets):
        raise OSError(ctypes.get_errno(), "capset failed")
