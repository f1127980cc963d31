"""Damages plugin libraries and notes, each in a way that a seed decides."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from elftools.elf.elffile import ELFFile

NOTE_SECTION = ".note.triton_plugin"
# Numbers at which a parser's arithmetic goes wrong, if it does.
EDGES = (0, 1, 2, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1)
# What a note's entries may be instead of what they should be.
ODD_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 2**70, 1.5, "", "\0", "é" * 40, "../../etc", "x" * 3000,
    [], [None], [[]], ["a", 1], [""], {}, {"note": 1},
)  # fmt: skip


@dataclass(frozen=True)
class Seed:
    """A good library, with the places in it where damage matters most.

    Attributes:
        data: The library.
        headers: Ranges of the ELF header, the tables and the sections that the reader looks at.
        note: Range of the note section; empty if there is none.
    """

    data: bytes
    headers: tuple[tuple[int, int], ...]
    note: tuple[int, int]

    @classmethod
    def of(cls, data: bytes) -> Seed:
        """Finds the places."""
        elf = ELFFile(BytesIO(data))
        ranges = [
            (0, 64),
            (elf["e_phoff"], elf["e_phnum"] * elf["e_phentsize"]),
            (elf["e_shoff"], elf["e_shnum"] * elf["e_shentsize"]),
        ]
        note = (0, 0)
        for section in elf.iter_sections():
            place = (section["sh_offset"], section["sh_size"])
            if section.name == NOTE_SECTION:
                note = place
            read = (".dynamic", ".dynsym", ".dynstr", ".gnu.hash", ".hash", ".shstrtab")
            if section.name in (NOTE_SECTION, *read) and section["sh_size"]:
                ranges.append(place)
        return cls(data, tuple(ranges), note)


def flip_bits(seed: Seed, rng: random.Random) -> bytes:
    """Flips a few bits, most of them in headers and tables."""
    data = bytearray(seed.data)
    for _ in range(rng.randint(1, 8)):
        data[_place(seed, rng)] ^= 1 << rng.randrange(8)
    return bytes(data)


def set_numbers(seed: Seed, rng: random.Random) -> bytes:
    """Overwrites aligned fields of headers and tables with edge values."""
    data = bytearray(seed.data)
    for _ in range(rng.randint(1, 4)):
        form = rng.choice("BHIQ")
        size = struct.calcsize(form)
        at = min(_place(seed, rng), len(data) - size) // size * size
        value = rng.choice((*EDGES, len(data), len(data) - 1, len(data) + 1))
        data[at : at + size] = struct.pack(f"<{form}", value % 256**size)
    return bytes(data)


def truncate(seed: Seed, rng: random.Random) -> bytes:
    """Cuts the file off, often inside of a header."""
    end = rng.choice((rng.randrange(256), rng.randrange(len(seed.data)), _place(seed, rng)))
    return seed.data[:end]


def move_blocks(seed: Seed, rng: random.Random) -> bytes:
    """Copies a block of the file over another, or clears one, or takes one out."""
    data = bytearray(seed.data)
    size = rng.choice((4, 16, 64, 512))
    to, source = _place(seed, rng), rng.randrange(len(data))
    kind = rng.randrange(3)
    if kind == 0:
        data[to : to + size] = data[source : source + size]
    elif kind == 1:
        data[to : to + size] = bytes(len(data[to : to + size]))
    else:
        del data[to : to + size]
    return bytes(data)


def noise(seed: Seed, rng: random.Random) -> bytes:
    """Random bytes, with an ELF header in front of most."""
    return seed.data[: rng.choice((0, 4, 16, 64))] + rng.randbytes(rng.randrange(2048))


def edit_note(seed: Seed, rng: random.Random) -> bytes:
    """Changes entries of the note's JSON; the ELF file around it stays right."""
    start, size = seed.note
    head = seed.data[start : start + 12]
    owner_size = struct.unpack("<I", head[:4])[0]
    text_at = start + 12 + (owner_size + 3) // 4 * 4
    room = start + size - text_at
    old = seed.data[text_at : text_at + room].rstrip(b"\0 ")
    text = rng.choice((_odd_entry, _broken_text))(old, rng)[:room]
    data = bytearray(seed.data)
    data[text_at : text_at + room] = text.ljust(room, rng.choice((b" ", b"\0")))
    return bytes(data)


def edit_note_header(seed: Seed, rng: random.Random) -> bytes:
    """Changes the sizes, the type and the owner in front of the note's text."""
    start, _ = seed.note
    data = bytearray(seed.data)
    for _ in range(rng.randint(1, 2)):
        at = start + rng.choice((0, 4, 8))
        data[at : at + 4] = struct.pack("<I", rng.choice((*EDGES[:10], rng.randrange(2**16))))
    if rng.random() < 0.3:
        data[start + 12 + rng.randrange(12)] = rng.randrange(256)
    return bytes(data)


Mutation = Callable[[Seed, random.Random], bytes]
ELF_MUTATIONS: Sequence[Mutation] = (flip_bits, set_numbers, truncate, move_blocks, noise)
NOTE_MUTATIONS: Sequence[Mutation] = (edit_note, edit_note, edit_note_header)


def _place(seed: Seed, rng: random.Random) -> int:
    if rng.random() < 0.15:
        return rng.randrange(len(seed.data))
    start, size = rng.choice(seed.headers)
    return start + rng.randrange(size)


def _odd_entry(text: bytes, rng: random.Random) -> bytes:
    record = json.loads(text)
    for _ in range(rng.randint(1, 3)):
        key = rng.choice((*record, "unknown"))
        if rng.random() < 0.2:
            record.pop(key, None)
        else:
            record[key] = rng.choice(ODD_VALUES)
    # Compact, so that most of it fits where the old text was.
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode()


def _broken_text(text: bytes, rng: random.Random) -> bytes:
    data = bytearray(text)
    kind = rng.randrange(4)
    if kind == 0:
        return bytes(data[: rng.randrange(len(data))])
    if kind == 1:
        return b"[" * len(data)
    if kind == 2:
        return json.dumps(rng.choice(ODD_VALUES)).encode()
    for _ in range(rng.randint(1, 6)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)
