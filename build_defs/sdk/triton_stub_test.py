"""Tests that the stand-in for libtriton.so is like it to a linker, and small."""

from __future__ import annotations

import os
import pathlib

import pytest
import triton_stub
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile

_REAL = pathlib.Path(os.environ["LIBTRITON"])
_STUB = pathlib.Path(os.environ["LIBTRITON_STUB"])


@pytest.fixture(scope="module")
def symbols() -> tuple[set[tuple[str, str, str, int]], set[tuple[str, str, str, int]]]:
    """The exported symbols of the real library and of the stand-in."""
    with _REAL.open("rb") as real, _STUB.open("rb") as stub:
        return (
            set(triton_stub.defined_symbols(ELFFile(real))),
            set(triton_stub.defined_symbols(ELFFile(stub))),
        )


def test_symbols_types_bindings_and_sizes_are_the_same(symbols) -> None:
    real, stub = symbols
    assert len(real) > 100_000
    assert real == stub


def test_needs_nothing_and_has_the_name() -> None:
    with _STUB.open("rb") as file:
        dynamic = ELFFile(file).get_section_by_name(".dynamic")
        assert isinstance(dynamic, DynamicSection)
        tags = list(dynamic.iter_tags())
    assert [tag.soname for tag in tags if tag.entry.d_tag == "DT_SONAME"] == ["libtriton.so"]
    assert not [tag for tag in tags if tag.entry.d_tag == "DT_NEEDED"]


def test_is_small() -> None:
    assert _STUB.stat().st_size * 10 < _REAL.stat().st_size


def test_library_without_llvm_version(tmp_path: pathlib.Path) -> None:
    library = tmp_path / "libtriton.so"
    library.write_bytes(b"nothing of the kind")
    with pytest.raises(SystemExit, match="names 0 LLVM commits"):
        triton_stub.llvm_commit(library)
