"""Reads what a plugin says of itself (core/include/triton_plugin/Note.h)."""

from __future__ import annotations

import json
import pathlib

from elftools.elf.elffile import ELFFile

_SECTION = ".note.triton_plugin"


class NoteError(Exception):
    """The library has no note that can be read."""


def llvm_commit(path: pathlib.Path) -> str:
    """The commit of LLVM that a plugin was built for."""
    with path.open("rb") as stream:
        section = ELFFile(stream).get_section_by_name(_SECTION)
        note = next(section.iter_notes(), None) if section else None
    if note is None:
        raise NoteError(f"{path} has no ELF note {_SECTION}: it is no plugin of the kit")
    return json.loads(note["n_descdata"].rstrip(b"\0 "))["llvm_commit"]
