"""A wave's registers and the operands of AMDGCN assembly."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

import numpy as np

LANES = np.arange(64)
WORD = 2**32 - 1
ALL_LANES = 2**64 - 1
# A NaN as float32, as float16 and as bfloat16.
POISON = 0x7FC17FC1

Array = np.ndarray


def signed(value: int, bits: int = 32) -> int:
    """A word, or another number of bits, as a number with a sign."""
    return value - 2**bits if bits and value >> bits - 1 else value


def span(text: str) -> tuple[int, int]:
    """The first and the last register of "v4" or "s[2:5]"."""
    first, _, last = text[1:].strip("[]").partition(":")
    return int(first), int(last or first)


class Registers:
    """A wave's registers, which hold NaNs before the kernel sets them.

    Attributes:
        pending: What memory accesses have yet to do, in order, by the counter that waits for it.
    """

    def __init__(self) -> None:
        self.vector_registers = np.full((256, 64), POISON, np.uint32)
        self.accumulators = np.full((256, 64), POISON, np.uint32)
        self.scalars = [POISON] * 128
        self.vcc, self.exec, self.m0, self.scc = 0, ALL_LANES, 0, 0
        self.pending: dict[str, list[Callable[[], None]]] = {"vmcnt": [], "lgkmcnt": []}

    def scalar(self, text: str) -> int:
        """A scalar operand: a word, or as many as the text names."""
        if text in ("vcc", "exec", "m0"):
            return getattr(self, text)
        if text in ("vcc_lo", "vcc_hi"):
            return self.vcc >> (32 if text == "vcc_hi" else 0) & WORD
        if re.match(r"s[\d\[]", text):
            first, last = span(text)
            words = self.scalars[first : last + 1]
            return sum(word << 32 * i for i, word in enumerate(words))
        if "." in text:
            return struct.unpack("<I", struct.pack("<f", float(text)))[0]
        return int(text, 0)

    def set_scalar(self, text: str, value: int) -> None:
        """Sets the scalar registers that the text names."""
        if text in ("vcc", "exec", "m0"):
            setattr(self, text, value & (WORD if text == "m0" else ALL_LANES))
            return
        if text in ("vcc_lo", "vcc_hi"):
            shift = 32 if text == "vcc_hi" else 0
            self.vcc = self.vcc & ~(WORD << shift) | (value & WORD) << shift
            return
        first, last = span(text)
        for i, register in enumerate(range(first, last + 1)):
            self.scalars[register] = value >> 32 * i & WORD

    def rows(self, text: str) -> Array:
        """The vector registers that the text names, of shape (registers, lanes), not copied."""
        first, last = span(text)
        return (self.vector_registers if text[0] == "v" else self.accumulators)[first : last + 1]

    def vector(self, text: str) -> Array:
        """A vector operand, one word for each lane."""
        if re.match(r"[va][\d\[]", text):
            return self.rows(text)[0]
        return np.full(64, self.scalar(text) & WORD, np.uint32)

    def lanes(self, mask: int) -> Array:
        """Which lanes a mask has."""
        return np.array([mask >> lane & 1 for lane in range(64)], bool)

    def set_vector(self, text: str, value: Array) -> None:
        """Sets a vector register in the lanes that execute."""
        where = self.lanes(self.exec)
        self.rows(text)[0][where] = value.astype(np.uint32)[where]

    def wait(self, counter: str, left: int) -> None:
        """Lets all but the last `left` accesses happen."""
        while len(self.pending[counter]) > left:
            self.pending[counter].pop(0)()
