"""Reads the note of a plugin library without opening the library.

The C++ kit leaves a JSON record in the ELF section `.note.triton_plugin`. Nothing here calls
dlopen, so a library of any origin can be looked at. Whatever the bytes are, the only exception that
leaves this module is `PluginFileError`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile

from .errors import PluginFileError

SECTION = ".note.triton_plugin"
OWNER = "TritonPlugin"
NOTE_VERSION = 1

# e_machine of the machines that Triton wheels exist for, as pyelftools spells it.
_MACHINES = {
    "x86_64": "EM_X86_64",
    "amd64": "EM_X86_64",
    "aarch64": "EM_AARCH64",
    "arm64": "EM_AARCH64",
}


@dataclass(frozen=True)
class Note:
    """What a plugin library says about itself.

    Attributes:
        name: Name of the plugin, the prefix of its passes and ops.
        version: Version of the plugin.
        api_version: `TRITON_PLUGIN_API_VERSION` that the library was compiled with.
        triton_version: Version of the Triton headers that it was compiled with.
        llvm_commit: LLVM commit of that Triton, 40 hexadecimal digits.
        archs: GPU architectures that the plugin generates code for.
        dialects: MLIR dialects that it registers.
        passes: Names of its passes, as a pipeline names them.
        ops: Names of its ops, as `create_op` names them.
    """

    name: str
    version: str = ""
    api_version: int = 0
    triton_version: str = ""
    llvm_commit: str = ""
    archs: tuple[str, ...] = ()
    dialects: tuple[str, ...] = ()
    passes: tuple[str, ...] = ()
    ops: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Name and version, for messages."""
        return f"{self.name} {self.version}".strip()


@dataclass(frozen=True)
class Library:
    """The parts of a plugin's ELF file that decide whether it may be opened.

    Attributes:
        path: The file.
        note: The kit's note, or None when the library carries none (it was not built with the kit).
        needed: Names of the libraries that it asks the loader for.
        undefined: Symbols that it expects from them (weak ones excluded).
        exports: Symbols that it defines for others.
        strings: The bytes of its read-only data sections, where a foreign plugin keeps its version
            strings.
        contents: The whole file, read once, so that what was checked and what is hashed cannot
            differ.
    """

    path: Path
    note: Note | None
    needed: tuple[str, ...]
    undefined: frozenset[str]
    exports: frozenset[str]
    strings: bytes = field(repr=False, default=b"")
    contents: bytes = field(repr=False, default=b"")


def read_note(path: str | os.PathLike[str]) -> Note:
    """Returns the note of a plugin library.

    Args:
        path: The library.

    Raises:
        PluginFileError: The file cannot be read, is not a shared library for this machine, or
            carries no valid note.
    """
    library = read_library(path)
    if library.note is None:
        raise PluginFileError(
            f"{library.path} carries no {SECTION} section, so it says nothing about the Triton it "
            "was built for. A plugin built with the triton_plugin C++ kit carries one. Build it "
            "with the kit, or check that this is the library you meant."
        )
    return library.note


def read_library(path: str | os.PathLike[str]) -> Library:
    """Returns what a shared library's ELF headers say, with its note if it has one.

    Args:
        path: The library.

    Raises:
        PluginFileError: The file cannot be read or is not a whole shared library for this machine.
    """
    path = Path(path)
    contents = _contents(path)
    with _damage_reported(path, len(contents)):
        elf = ELFFile(BytesIO(contents))
        _check_header(path, elf)
        return _read(path, contents, elf)


def _contents(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except IsADirectoryError as error:
        raise PluginFileError(
            f"{path} is a directory; a plugin is a shared library (lib<name>.so). Give the path of "
            "the file itself."
        ) from error
    except (OSError, ValueError) as error:
        # ValueError: a path with a NUL character in it.
        reason = getattr(error, "strerror", None) or str(error)
        raise PluginFileError(
            f"{str(path)!r} cannot be read: {reason}. A plugin is a shared library (lib<name>.so) "
            "that this user may read; check the path and the permissions."
        ) from error


@contextmanager
def _damage_reported(path: Path, size: int) -> Iterator[None]:
    """Turns whatever a parser does with damaged bytes into one error."""
    try:
        yield
    except PluginFileError:
        raise
    except Exception as error:
        # pyelftools raises its own errors, construct's, and those of int, struct and str on damaged
        # files.
        detail = str(error).splitlines()[0] if str(error) else type(error).__name__
        if size == 0:
            found = "is empty"
        elif "Magic number" in detail:
            found = "is not an ELF file"
        else:
            found = f"is a damaged or truncated ELF file of {size} bytes ({detail})"
        raise PluginFileError(
            f"{path} {found}; a plugin is a whole ELF shared library. Build or copy it again."
        ) from error


def _check_header(path: Path, elf: ELFFile) -> None:
    machine = os.uname().machine
    wanted = _MACHINES.get(machine)
    found = elf["e_machine"]
    if elf.elfclass != 64 or not elf.little_endian or (wanted and found != wanted):
        raise PluginFileError(
            f"{path} is built for another machine: a {elf.elfclass}-bit "
            f"{'little' if elf.little_endian else 'big'}-endian ELF file for {found}, while this "
            f"process runs on {machine} and needs a 64-bit library for {wanted or machine}. Build "
            "the plugin for this machine."
        )
    if elf["e_type"] != "ET_DYN":
        raise PluginFileError(
            f"{path} is an ELF file of type {elf['e_type']}; a plugin is a shared library "
            "(ET_DYN). Link it with -shared."
        )


def _read(path: Path, contents: bytes, elf: ELFFile) -> Library:
    size = len(contents)
    for segment in elf.iter_segments("PT_LOAD"):
        if segment["p_offset"] + segment["p_filesz"] > size:
            raise PluginFileError(
                f"{path} is truncated: a segment ends at byte "
                f"{segment['p_offset'] + segment['p_filesz']}, the file at byte {size}. Build or "
                "copy it again."
            )
    dynamic = next(elf.iter_segments("PT_DYNAMIC"), None)
    if dynamic is None:
        raise PluginFileError(
            f"{path} has no dynamic section, so it cannot be loaded as a plugin. Link it with "
            "-shared."
        )
    needed = tuple(tag.needed for tag in dynamic.iter_tags("DT_NEEDED"))
    symbols = list(dynamic.iter_symbols())
    defined = {
        s.name
        for s in symbols
        if s["st_shndx"] != "SHN_UNDEF" and s["st_info"]["bind"] in ("STB_GLOBAL", "STB_WEAK")
    }
    undefined = {
        s.name
        for s in symbols
        if s["st_shndx"] == "SHN_UNDEF" and s["st_info"]["bind"] == "STB_GLOBAL" and s.name
    }
    note, strings = None, []
    for section in elf.iter_sections():
        if section.name == SECTION:
            note = _parse_note(path, section)
        elif section.name.startswith(".rodata"):
            strings.append(section.data())
    return Library(
        path, note, needed, frozenset(undefined), frozenset(defined), b"\0".join(strings), contents
    )


def _parse_note(path: Path, section: Any) -> Note:
    for entry in section.iter_notes():
        if entry["n_name"] == OWNER:
            break
    else:
        raise PluginFileError(
            f"{path} has a {SECTION} section that holds no record of owner {OWNER!r}. Build the "
            "plugin again."
        )
    descriptor = entry["n_descdata"]
    try:
        record = json.loads(bytes(descriptor).rstrip(b"\0 ").decode("utf-8"))
    except ValueError as error:
        raise PluginFileError(
            f"The note in {path} is not valid JSON ({error}). Build the plugin again."
        ) from error
    if not isinstance(record, Mapping):
        raise PluginFileError(
            f"The note in {path} is a JSON {type(record).__name__}, not an object. Build the "
            "plugin again."
        )
    if record.get("note") != NOTE_VERSION:
        raise PluginFileError(
            f"The note in {path} has format {record.get('note')!r}; this triton_plugins reads "
            f"format {NOTE_VERSION}. Build the plugin with the kit of this release, or install the "
            "triton_plugins that belongs to it."
        )
    return Note(
        name=_identifier(path, "name", record.get("name")),
        version=_text(path, record, "version"),
        api_version=_integer(path, record, "api_version"),
        triton_version=_text(path, record, "triton_version"),
        llvm_commit=_text(path, record, "llvm_commit"),
        archs=_names(path, record, "archs"),
        dialects=_names(path, record, "dialects"),
        passes=tuple(_identifier(path, "passes", name) for name in _names(path, record, "passes")),
        ops=tuple(_identifier(path, "ops", name) for name in _names(path, record, "ops")),
    )


def _identifier(path: Path, key: str, value: object) -> str:
    # It becomes part of file names and of attributes of Triton's modules.
    if not isinstance(value, str) or not value.isascii() or not value.isidentifier():
        raise _bad_entry(path, key, value, "an identifier of C")
    return value


def _text(path: Path, record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    if not isinstance(value, str) or not value:
        raise _bad_entry(path, key, value, "a non-empty string")
    return value


def _integer(path: Path, record: Mapping[str, Any], key: str) -> int:
    value = record.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        raise _bad_entry(path, key, value, "an integer")
    return value


def _names(path: Path, record: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = record.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise _bad_entry(path, key, value, "a list of names")
    return tuple(value)


def _bad_entry(path: Path, key: str, value: object, wanted: str) -> PluginFileError:
    return PluginFileError(
        f"The note in {path} has {value!r} as its {key!r}; {wanted} is needed. Build the plugin "
        "again."
    )
