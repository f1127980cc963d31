"""Writes the link-time stand-in for libtriton.so, and a header that says what it was built from.

triton_stub.py LIBTRITON ASSEMBLY HEADER
"""

from __future__ import annotations

import argparse
import mmap
import pathlib
import re
from collections.abc import Iterator

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

# The gas name of a symbol's type, and the section that a definition of it lies in.
_TYPES = {
    "STT_FUNC": ("function", ".text"),
    "STT_GNU_IFUNC": ("function", ".text"),
    "STT_NOTYPE": ("notype", ".text"),
    "STT_OBJECT": ("object", ".bss"),
    "STT_TLS": ("tls_object", ".tbss"),
}
_SECTIONS = {".text": '"ax",@progbits', ".bss": '"aw",@nobits', ".tbss": '"awT",@nobits'}
# The name that pyelftools gives STB_GNU_UNIQUE; gas takes it from the type.
_UNIQUE = "STB_LOOS"
_DIRECTIVES = {"STB_GLOBAL": ".globl", "STB_WEAK": ".weak", _UNIQUE: ".globl"}

# LLVM names the commit it was built from in its version strings.
_COMMIT = re.compile(rb"LLVM version [^ \0]+ \(([0-9a-f]{40})\)")

_HEADER = """\
// What libtriton.so was built from. Generated.
#ifndef TRITON_SDK_H
#define TRITON_SDK_H

#define TRITON_SDK_LLVM_COMMIT "{commit}"

#endif // TRITON_SDK_H
"""


def defined_symbols(library: ELFFile) -> Iterator[tuple[str, str, str, int]]:
    """Yields name, type, binding and size of every symbol that the library exports."""
    table = library.get_section_by_name(".dynsym")
    if not isinstance(table, SymbolTableSection):
        raise SystemExit("triton_stub: the library has no dynamic symbols")
    for symbol in table.iter_symbols():
        info = symbol["st_info"]
        if symbol["st_shndx"] == "SHN_UNDEF" or info["bind"] == "STB_LOCAL":
            continue
        yield symbol.name, info["type"], info["bind"], symbol["st_size"]


def assembly(library: ELFFile) -> Iterator[str]:
    """Yields the lines of a source file that defines the same symbols.

    Those of a section share one address, since nothing runs the result.
    """
    section = None
    for name, kind, binding, size in sorted(
        defined_symbols(library), key=lambda s: (_TYPES[s[1]][1], s[0])
    ):
        type_name, wanted = _TYPES[kind]
        if wanted != section:
            section = wanted
            yield f"\t.section {section},{_SECTIONS[section]}"
        if binding == _UNIQUE:
            type_name = "gnu_unique_object"
        yield f'\t{_DIRECTIVES[binding]} "{name}"'
        yield f'\t.type "{name}",@{type_name}'
        yield f'\t.size "{name}",{size}'
        yield f'"{name}":'
    yield '\t.section .note.GNU-stack,"",@progbits'


def llvm_commit(path: pathlib.Path) -> str:
    """Reads the LLVM commit out of the library's version strings."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        commits = {match.group(1).decode() for match in _COMMIT.finditer(content)}
    if len(commits) != 1:
        raise SystemExit(
            f"triton_stub: {path} names {len(commits)} LLVM commits ({sorted(commits)}); "
            "exactly one is needed"
        )
    return commits.pop()


def main() -> None:
    """Runs the generator."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("libtriton", type=pathlib.Path)
    parser.add_argument("assembly", type=pathlib.Path)
    parser.add_argument("header", type=pathlib.Path)
    args = parser.parse_args()
    with args.libtriton.open("rb") as file:
        args.assembly.write_text("".join(f"{line}\n" for line in assembly(ELFFile(file))))
    args.header.write_text(_HEADER.format(commit=llvm_commit(args.libtriton)))


if __name__ == "__main__":
    main()
