"""What the audit reads from ELF files besides DWARF: virtual tables, imports and exports, strings.

pyelftools finds the sections; numpy reads their tables, of hundreds of thousands of entries each.
"""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Iterator

import numpy as np
from elftools.elf.elffile import ELFFile

_SYMBOL = np.dtype(
    [
        ("name", "<u4"),
        ("info", "u1"),
        ("other", "u1"),
        ("section", "<u2"),
        ("value", "<u8"),
        ("size", "<u8"),
    ]
)
_RELOCATION = np.dtype([("offset", "<u8"), ("info", "<u8"), ("addend", "<i8")])
_R_X86_64_64 = 1
_R_X86_64_RELATIVE = 8
_STT_FUNC = 2
_STB_WEAK = 2
_WORD = 8
_PURE = "__cxa_pure_virtual"
_VTABLE = "_ZTV"


@dataclasses.dataclass(frozen=True)
class Vtable:
    """The table of one class.

    A slot has all names of its function, since the linker folds identical code; none if it is pure.
    """

    size: int
    slots: tuple[frozenset[str], ...]


class Elf:
    """An x86-64 shared library."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        with path.open("rb") as stream:
            file = ELFFile(stream)
            sections = {section.name: section.header for section in file.iter_sections()}
            self._dwarf_units = _units(file) if ".debug_aranges" in sections else []
        self._sections = sections
        self._data = np.memmap(path, mode="r")

    @property
    def units(self) -> list[list[int]]:
        """For each compile unit with debug information, addresses of its code."""
        return self._dwarf_units

    def bytes(self, section: str) -> bytes:
        """A section's content; empty if there is no such section."""
        header = self._sections.get(section)
        if header is None:
            return b""
        return self._data[header["sh_offset"] : header["sh_offset"] + header["sh_size"]].tobytes()

    def debug_strings(self) -> Iterator[str]:
        """The strings of the debug information, names of classes among them, but none mangled."""
        for string in self.bytes(".debug_str").split(b"\0"):
            if not string.startswith(b"_Z"):
                yield string.decode()

    def exports(self) -> set[str]:
        """Names that other libraries can bind to."""
        symbols, names = self._dynamic_symbols()
        return {names[index] for index in np.flatnonzero(symbols["section"])}

    def imports(self) -> set[str]:
        """Names that must come from a library without symbol versions: libtriton.so, not libc."""
        symbols, names = self._dynamic_symbols()
        versions = np.frombuffer(self.bytes(".gnu.version"), "<u2") & 0x7FFF
        wanted = (symbols["section"] == 0) & (symbols["info"] >> 4 != _STB_WEAK)
        if len(versions):
            wanted &= versions <= 1
        return {names[index] for index in np.flatnonzero(wanted)} - {""}

    def vtables(self) -> dict[str, Vtable]:
        """The virtual tables that the library defines, by their mangled names."""
        functions: dict[int, set[str]] = {}
        tables: dict[str, tuple[int, int]] = {}
        for table, strings in ((".dynsym", ".dynstr"), (".symtab", ".strtab")):
            symbols, names = self._symbols(table, strings)
            columns = (symbols[key].tolist() for key in ("info", "section", "value", "size"))
            for name, info, section, value, size in zip(names, *columns, strict=True):
                if not section:
                    continue
                if name.startswith(_VTABLE):
                    tables[name] = value, size
                elif info & 15 == _STT_FUNC:
                    functions.setdefault(value, set()).add(name)
        targets = self._targets(functions)
        return {name: self._vtable(*place, targets) for name, place in tables.items()}

    def _vtable(self, address: int, size: int, targets: dict[int, frozenset[str]]) -> Vtable:
        """Reads the primary table: a header of two words, functions, the next base's header."""
        slots = []
        for offset in range(2 * _WORD, size, _WORD):
            target = targets.get(address + offset)
            if target is None and self._word(address + offset):
                break
            slots.append(target or frozenset())
        return Vtable(size, tuple(slots))

    def _word(self, address: int) -> int:
        """What lies at an address before the loader writes there."""
        for header in self._sections.values():
            start = address - header["sh_addr"]
            loaded = header["sh_addr"] and header["sh_type"] == "SHT_PROGBITS"
            if loaded and 0 <= start < header["sh_size"]:
                position = header["sh_offset"] + start
                return int.from_bytes(self._data[position : position + _WORD].tobytes(), "little")
        return 0

    def _targets(self, functions: dict[int, set[str]]) -> dict[int, frozenset[str]]:
        """What the loader writes where: the functions' names by the address of the word."""
        _, names = self._dynamic_symbols()
        targets: dict[int, frozenset[str]] = {}
        for offset, info, addend in np.frombuffer(self.bytes(".rela.dyn"), _RELOCATION).tolist():
            kind = info & 0xFFFFFFFF
            if kind == _R_X86_64_RELATIVE:
                targets[offset] = frozenset(functions.get(addend, ()))
            elif kind == _R_X86_64_64:
                targets[offset] = frozenset({names[info >> 32]} - {_PURE})
        return targets

    def _dynamic_symbols(self) -> tuple[np.ndarray, list[str]]:
        return self._symbols(".dynsym", ".dynstr")

    def _symbols(self, table: str, strings: str) -> tuple[np.ndarray, list[str]]:
        symbols = np.frombuffer(self.bytes(table), _SYMBOL)
        text = self.bytes(strings)
        starts = symbols["name"].tolist()
        return symbols, [text[start : text.index(b"\0", start)].decode() for start in starts]


def _units(file: ELFFile) -> list[list[int]]:
    units: dict[int, list[int]] = {}
    for entry in file.get_dwarf_info().get_aranges().entries:
        # Code that the linker threw away keeps an entry at address 0.
        if entry.begin_addr and entry.length:
            units.setdefault(entry.info_offset, []).append(entry.begin_addr)
    return list(units.values())
