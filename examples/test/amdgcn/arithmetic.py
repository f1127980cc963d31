"""What scalar, vector and matrix instructions compute, as the CDNA3 and CDNA4 ISA have it."""

from __future__ import annotations

import operator
import re

import numpy as np

from examples.test.amdgcn import floats
from examples.test.amdgcn.lanes import moved
from examples.test.amdgcn.registers import LANES, WORD, Array, Registers, signed

COMPARISONS = {
    "lt": operator.lt,
    "gt": operator.gt,
    "le": operator.le,
    "ge": operator.ge,
    "eq": operator.eq,
    "lg": operator.ne,
    "ne": operator.ne,
    "neq": operator.ne,
    # True where one is no number.
    "nlt": lambda x, y: ~(x < y),
    "ngt": lambda x, y: ~(x > y),
    "nle": lambda x, y: ~(x <= y),
    "nge": lambda x, y: ~(x >= y),
}
# What sets scc where the result is not 0, of a number with the sign of its type and one without.
BITS = {
    "and": lambda x, y: x & y,
    "andn2": lambda x, y: x & ~y,
    "or": lambda x, y: x | y,
    "xor": lambda x, y: x ^ y,
    "lshl": lambda x, y: x << (y & 63),
    "lshr": lambda x, y: x >> (y & 63),
    "ashr": lambda x, y: x >> (y & 63),
    "abs": lambda x, y: abs(x),
    "not": lambda x, y: ~x,
}


def scalar(wave: Registers, op: str, args: list[str]) -> None:
    """Executes `s_<op>`."""
    if re.fullmatch(r"(mov|add|mul|cmp)k_(\w+_)?i32", op):
        # The number is of 16 bits.
        args = [*args[:-1], str(signed(int(args[-1], 0) & 0xFFFF, 16))]
    if op.startswith("cmp"):
        x, y = (wave.scalar(text) & WORD for text in args)
        _, kind, ty = op.split("_")
        pair = (signed(x), signed(y)) if ty == "i32" else (x, y)
        wave.scc = int(COMPARISONS[kind](*pair))
        return
    if op == "bitcmp1_b32":
        wave.scc = wave.scalar(args[0]) >> (wave.scalar(args[1]) & 31) & 1
        return
    if op == "and_saveexec_b64":
        old = wave.exec
        wave.exec &= wave.scalar(args[1])
        wave.set_scalar(args[0], old)
        wave.scc = int(wave.exec != 0)
        return
    if op in ("addk_i32", "mulk_i32"):
        op, args = op.replace("k_", "_"), [args[0], *args]
    name, _, ty = op.rpartition("_")
    bits = int(ty[1:])
    every = 2**bits - 1
    x, y = ([wave.scalar(text) & every for text in args[1:]] + [0])[:2]
    sx, sy = (signed(x, bits), signed(y, bits)) if ty[0] == "i" else (x, y)
    if name in ("mov", "movk"):
        result = x
    elif name == "cselect":
        result = x if wave.scc else y
    elif name in ("mul", "mul_hi"):
        result = sx * sy >> (32 if name == "mul_hi" else 0)
    elif shift := re.fullmatch(r"lshl(\d)_add", name):
        result = (x << int(shift[1])) + y
        wave.scc = int(result > every)
    elif name in ("add", "addc"):
        result = x + y + (wave.scc if name == "addc" else 0)
        wave.scc = int(not -(2**31) <= sx + sy < 2**31) if ty == "i32" else result >> bits
    elif name == "sub":
        result = x - y
        wave.scc = int(not -(2**31) <= sx - sy < 2**31) if ty == "i32" else int(y > x)
    elif name in ("min", "max"):
        result = (min if name == "min" else max)(sx, sy)
        wave.scc = int(result == sx)
    elif name in BITS:
        result = BITS[name](sx, y)
        wave.scc = int(result & every != 0)
    elif name == "bfe":
        width = y >> 16 & 127
        result = x >> (y & 31) & 2**width - 1
        result = signed(result, width) if ty[0] == "i" else result
        wave.scc = int(result != 0)
    else:
        raise NotImplementedError(f"s_{op}")
    wave.set_scalar(args[0], result & every)


def _two_words(value: int) -> Array:
    return np.array([[value & WORD] * 64, [value >> 32 & WORD] * 64], np.uint32)


def _bytes(x: Array, y: Array, selectors: Array) -> Array:
    """v_perm_b32: byte i is one of the eight of `x` and `y`, which comes first."""
    both = x.astype(np.uint64) << 32 | y
    picked = [both >> 8 * (selectors >> 8 * i & 7).astype(np.uint64) & 0xFF for i in range(4)]
    return sum(byte << 8 * i for i, byte in enumerate(picked))


def _looked_up(table: int, x: Array, y: Array, z: Array) -> Array:
    """v_bitop3_b32: each bit is that of the table which three bits are the number of."""
    found = np.zeros(64, np.uint32)
    for number in range(8):
        if table >> number & 1:
            one, two, four = z, y, x
            found |= (
                (one if number & 1 else ~one)
                & (two if number & 2 else ~two)
                & (four if number & 4 else ~four)
            )
    return found


def _field(x: Array, start: Array, width: Array) -> Array:
    up, down = 32 - (start & 31) - (width & 31), 32 - (width & 31)
    return ((x << up).view(np.int32) >> down.astype(np.int32)).view(np.uint32)


VECTOR = {
    "mov_b32": lambda x: x,
    "accvgpr_read_b32": lambda x: x,
    "accvgpr_write_b32": lambda x: x,
    "accvgpr_mov_b32": lambda x: x,
    "bfrev_b32": lambda x: np.array([int(f"{word:032b}"[::-1], 2) for word in x.tolist()]),
    "add_u32": lambda x, y: x + y,
    "sub_u32": lambda x, y: x - y,
    "subrev_u32": lambda x, y: y - x,
    "and_b32": lambda x, y: x & y,
    "or_b32": lambda x, y: x | y,
    "xor_b32": lambda x, y: x ^ y,
    "lshlrev_b32": lambda x, y: y << (x & 31),
    "lshrrev_b32": lambda x, y: y >> (x & 31),
    "mul_u32_u24": lambda x, y: (x & 0xFFFFFF) * (y & 0xFFFFFF),
    "mul_lo_u32": lambda x, y: x.astype(np.uint64) * y & WORD,
    "pack_b32_f16": lambda x, y: x & 0xFFFF | y << 16,
    "max_i32": lambda x, y: np.maximum(x.view(np.int32), y.view(np.int32)).view(np.uint32),
    "min3_i32": lambda *xs: np.minimum.reduce([x.view(np.int32) for x in xs]).view(np.uint32),
    "and_or_b32": lambda x, y, z: x & y | z,
    "or3_b32": lambda x, y, z: x | y | z,
    "add3_u32": lambda x, y, z: x + y + z,
    "add_lshl_u32": lambda x, y, z: x + y << (z & 31),
    "lshl_add_u32": lambda x, y, z: (x << (y & 31)) + z,
    "xad_u32": lambda x, y, z: (x ^ y) + z,
    "lshl_or_b32": lambda x, y, z: x << (y & 31) | z,
    "bfe_i32": _field,
    "perm_b32": _bytes,
}


def vector(wave: Registers, op: str, args: list[str]) -> None:
    """Executes `v_<op>`."""
    if op.endswith("_dpp"):
        _from_other_lanes(wave, op.removesuffix("_dpp"), args)
    elif op == "readfirstlane_b32":
        wave.set_scalar(args[0], int(wave.vector(args[1])[0]))
    elif op == "readlane_b32":
        wave.set_scalar(args[0], int(wave.vector(args[1])[wave.scalar(args[2]) & 63]))
    elif op == "writelane_b32":
        wave.rows(args[0])[0, wave.scalar(args[2]) & 63] = wave.scalar(args[1]) & WORD
    elif op.startswith("cmp_"):
        _, kind, ty = op.split("_")
        dtype = {"i32": np.int32, "u32": np.uint32, "f32": np.float32}[ty]
        x, y = (floats.operand(wave, text).view(dtype) for text in args[1:])
        found = np.flatnonzero(COMPARISONS[kind](x, y)).tolist()
        wave.set_scalar(args[0], sum(1 << lane for lane in found) & wave.exec)
    elif op == "cndmask_b32":
        other, one = (wave.vector(text) for text in args[1:3])
        wave.set_vector(args[0], np.where(wave.lanes(wave.scalar(args[3])), one, other))
    elif op.startswith("mfma"):
        _product(wave, op, args)
    elif op == "mov_b64":
        source = args[1]
        value = wave.rows(source).copy() if source[0] in "va" else _two_words(wave.scalar(source))
        where = wave.lanes(wave.exec)
        wave.rows(args[0])[:, where] = value[:, where]
    elif op == "permlane32_swap_b32":
        one, other = wave.vector(args[0]), wave.vector(args[1])
        one[32:], other[:32] = other[:32].copy(), one[32:].copy()
    elif op == "bitop3_b32":
        table = int(args[4].removeprefix("bitop3:"), 0)
        wave.set_vector(args[0], _looked_up(table, *(wave.vector(text) for text in args[1:4])))
    elif op == "div_scale_f32":
        # Nothing has to be scaled, since the division's last instruction divides.
        wave.set_vector(args[0], floats.operand(wave, args[2]))
        wave.set_scalar(args[1], 0)
    elif op.startswith("fma_mix"):
        floats.mixed(wave, op, args)
    elif op == "fmac_f32":
        vector(wave, "fma_f32", [*args, args[0]])
    elif op == "pk_mov_b32" or op in floats.PAIRS:
        floats.pair(wave, op, args)
    elif op in VECTOR:
        wave.set_vector(args[0], VECTOR[op](*(wave.vector(text) for text in args[1:])))
    elif op in floats.FLOATS:
        with np.errstate(all="ignore"):
            found = floats.FLOATS[op](*(floats.operand(wave, text) for text in args[1:]))
        wave.set_vector(args[0], found)
    else:
        raise NotImplementedError(f"v_{op}")


def _from_other_lanes(wave: Registers, op: str, args: list[str]) -> None:
    """An instruction whose first operand is taken from other lanes."""
    modifiers = [text for text in args if not re.match(r"[vas][\d\[]", text)]
    first, lanes = moved(wave.vector(args[1]), modifiers)
    others = [wave.vector(text) for text in args[2 : len(args) - len(modifiers)]]
    before = wave.exec
    wave.exec &= lanes
    wave.set_vector(args[0], (VECTOR | floats.FLOATS)[op](first, *others))
    wave.exec = before


def _product(wave: Registers, op: str, args: list[str]) -> None:
    """D = A B + C. A lane has a row of A and a column of B, and some consecutive k of them."""
    m, n, k = map(int, re.search(r"(\d+)x(\d+)x(\d+)", op).groups())

    def operand(text: str) -> Array:
        halves = wave.rows(text).T.copy().view(np.uint16)
        if "bf16" in op:
            numbers = (halves.astype(np.uint32) << 16).view(np.float32)
        else:
            numbers = halves.view(np.float16).astype(np.float32)
        # Lanes are counted by rows first, then by groups of k.
        return numbers.reshape(64 // m, m, -1).transpose(1, 0, 2).reshape(m, k)

    product = operand(args[1]) @ operand(args[2]).T
    result = wave.rows(args[0])
    register = np.arange(len(result))[:, None]
    row = 4 * (LANES // m) + register % 4 + register // 4 * (4 * 64 // m)
    start = 0.0 if args[3] == "0" else floats.numbers(wave.rows(args[3]))
    result[:] = floats.words(start + product[row, LANES % n])
