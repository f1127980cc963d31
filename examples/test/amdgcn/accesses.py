"""What instructions do to LDS and to global memory."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from examples.test.amdgcn.registers import LANES, POISON, Array, Registers


def _modifiers(args: list[str]) -> dict[str, int]:
    pairs = (text.split(":") for text in args if re.fullmatch(r"offset\d?:\d+", text))
    return {name: int(value) for name, value in pairs}


def _later(wave: Registers, block: Any, counter: str, action: Callable[[], None]) -> None:
    if block.late:
        wave.pending[counter].append(action)
    else:
        action()


def _bytes_at(memory: Array, places: Array, size: int, what: str) -> Array:
    """The indices of `size` bytes of each lane."""
    if len(places) and not 0 <= places.min() <= places.max() <= len(memory) - size:
        raise IndexError(f"{what} reaches outside of the {len(memory)} bytes that there are")
    return places[:, None] + np.arange(size)


def lds(wave: Registers, block: Any, op: str, args: list[str]) -> None:
    """Executes a `ds_read`, `ds_write` or `ds_bpermute`."""
    if op == "ds_bpermute_b32":
        _permute(wave, block, args)
        return
    is_store = op.startswith("ds_write")
    bits = re.search(r"_[bu](\d+)", op)
    if bits is None or not op.startswith(("ds_read", "ds_write")):
        raise NotImplementedError(op)
    size = int(bits[1]) // 8
    offsets = _modifiers(args)
    address = wave.vector(args[0 if is_store else 1]).astype(np.int64)
    if re.match(r"ds_\w+2(st64)?_b", op):
        step = size * (64 if "st64" in op else 1)
        places = [address + step * offsets.get(name, 0) for name in ("offset0", "offset1")]
    else:
        places = [address + offsets.get("offset", 0)]
    for place in places:
        block.accesses.append((op, size, place))
    indices = [_bytes_at(block.lds, place, size, op) for place in places]
    if is_store:
        stored = [_bytes_of(wave, text, size) for text in args[1 : 1 + len(places)]]

        def act() -> None:
            for index, data in zip(indices, stored, strict=True):
                block.lds[index] = data
    else:
        target = wave.rows(args[0])
        target[:] = POISON

        def act() -> None:
            read = [_words(block.lds[index]) for index in indices]
            if "_tr_b16" in op:
                # 16 lanes have four rows of 16 elements, of which each gets a column.
                rows = read[0].view(np.uint16).reshape(4, 4, 16)
                read = [rows.transpose(0, 2, 1).reshape(64, 4).copy().view(np.uint32)]
            target[:] = np.concatenate(read, 1).T

    _later(wave, block, "lgkmcnt", act)


def _bytes_of(wave: Registers, text: str, size: int) -> Array:
    """The first bytes of what each lane has in registers."""
    return wave.rows(text).T.copy().view(np.uint8)[:, :size]


def _words(data: Array) -> Array:
    """The words of each lane's bytes, of which zeros fill up the last."""
    return np.pad(data, ((0, 0), (0, -data.shape[1] % 4))).view(np.uint32)


def _permute(wave: Registers, block: Any, args: list[str]) -> None:
    """ds_bpermute_b32: each lane names another by four times its number, and gets its word."""
    data = wave.vector(args[2])[wave.vector(args[1]) // 4 % 64]
    target = wave.rows(args[0])
    target[:] = POISON

    def act() -> None:
        target[0] = data

    _later(wave, block, "lgkmcnt", act)


def buffer(wave: Registers, block: Any, op: str, args: list[str]) -> None:
    """Executes a `buffer_load` or `buffer_store` of words, or of 16 bits."""
    found = re.fullmatch(r"buffer_(load|store)_(u?short|dword)(?:x(\d))?", op)
    if found is None or "offen" not in args:
        raise NotImplementedError(f"{op} {' '.join(args)}")
    size = 4 * int(found[3] or 1) if found[2] == "dword" else 2
    is_direct = "lds" in args
    offset_text, descriptor_text, *_ = args if is_direct else args[1:]
    descriptor = wave.scalar(descriptor_text)
    immediate = _modifiers(args).get("offset", 0)
    offset = wave.vector(offset_text).astype(np.int64) + immediate
    # Lanes outside of the buffer load zeros and store nothing.
    inside = (offset + size <= (descriptor >> 64 & 0xFFFFFFFF)) & wave.lanes(wave.exec)
    places = (descriptor & 2**48 - 1) - block.memory.base + offset[inside]
    index = _bytes_at(block.memory.bytes, places, size, op)
    if not block.memory.owned[index].all():
        raise IndexError(f"{op} reaches bytes that belong to no array")
    if found[1] == "store":
        block.memory.bytes[index] = _bytes_of(wave, args[0], size)[inside]
        return
    loaded = np.zeros((64, size), np.uint8)
    loaded[inside] = block.memory.bytes[index]
    if is_direct:
        place = wave.m0 + immediate + LANES * size
        block.accesses.append((op, size, place))
        target = _bytes_at(block.lds, place, size, op)

        def act() -> None:
            block.lds[target] = loaded
    else:
        registers = wave.rows(args[0])
        registers[:] = POISON

        def act() -> None:
            registers[:] = _words(loaded).T

    _later(wave, block, "vmcnt", act)
