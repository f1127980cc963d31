"""Vector arithmetic on floating-point numbers, with the modifiers of its operands."""

from __future__ import annotations

import re

import numpy as np

from examples.test.amdgcn.registers import WORD, Array, Registers

SIGN = np.uint32(2**31)


def numbers(words: Array) -> Array:
    """Words as float32."""
    return words.view(np.float32)


def words(found: Array) -> Array:
    """float32 as words."""
    return found.astype(np.float32).view(np.uint32)


def half(found: Array) -> Array:
    """Words of float32 as those of float16."""
    return numbers(found).astype(np.float16).view(np.uint16).astype(np.uint32)


def bfloat(found: Array) -> Array:
    """Words of float32 as those of bfloat16, rounded to the nearest even."""
    wide = found.astype(np.uint64)
    return (wide + 0x7FFF + (wide >> 16 & 1) >> 16).astype(np.uint32)


def _fused(x: Array, y: Array, z: Array) -> Array:
    # The product of two float32 is exact in float64.
    return words(numbers(x).astype(np.float64) * numbers(y) + numbers(z))


FLOATS = {
    "rcp_f32": lambda x: words(1 / numbers(x)),
    "exp_f32": lambda x: words(np.exp2(numbers(x).astype(np.float64))),
    "cvt_f32_u32": lambda x: words(x),
    "cvt_u32_f32": lambda x: numbers(x).astype(np.uint32),
    "cvt_f16_f32": half,
    "add_f32": lambda x, y: words(numbers(x) + numbers(y)),
    "sub_f32": lambda x, y: words(numbers(x) - numbers(y)),
    "mul_f32": lambda x, y: words(numbers(x) * numbers(y)),
    "max_f32": lambda x, y: words(np.fmax(numbers(x), numbers(y))),
    "cvt_pk_f16_f32": lambda x, y: half(x) | half(y) << 16,
    "cvt_pk_bf16_f32": lambda x, y: bfloat(x) | bfloat(y) << 16,
    "fma_f32": _fused,
    "max3_f32": lambda x, y, z: words(np.fmax(np.fmax(numbers(x), numbers(y)), numbers(z))),
    # Of a division, whose last instruction gives all of the result here.
    "div_fmas_f32": _fused,
    "div_fixup_f32": lambda quotient, x, y: words(numbers(y).astype(np.float64) / numbers(x)),
}
PAIRS = {"pk_add_f32": "add_f32", "pk_mul_f32": "mul_f32", "pk_fma_f32": "fma_f32"}


def operand(wave: Registers, text: str) -> Array:
    """A vector operand that may be negated, or without its sign."""
    if text == "neg(0)":
        return np.full(64, SIGN)
    if re.match(r"-[vsa|]", text):
        return operand(wave, text[1:]) ^ SIGN
    if text.startswith("|"):
        return operand(wave, text.strip("|")) & ~SIGN
    return wave.vector(text)


def _listed(args: list[str], name: str, count: int, default: int) -> list[int]:
    for text in args:
        if text.startswith(f"{name}:["):
            return [int(bit) for bit in text[len(name) + 2 : -1].split(",")]
    return [default] * count


def pair(wave: Registers, op: str, args: list[str]) -> None:
    """Executes an instruction on two numbers a lane, each of which may come from either of two."""
    sources = [text for text in args[1:] if ":[" not in text]
    found = []
    for text in sources:
        if re.match(r"[va]\[", text):
            found.append(wave.rows(text).copy())
        else:
            value = wave.scalar(text)
            high = value >> 32 if text.startswith("s[") else value
            found.append(np.array([[value & WORD] * 64, [high & WORD] * 64], np.uint32))
    low = _listed(args, "op_sel", len(sources), 0)
    high = _listed(args, "op_sel_hi", len(sources), 1)
    if op == "pk_mov_b32":
        results = [found[0][low[0]], found[1][low[1]]]
    else:
        negated = [_listed(args, name, len(sources), 0) for name in ("neg_lo", "neg_hi")]
        results = []
        for selected, signs in zip((low, high), negated, strict=True):
            picked = [
                source[which] ^ (SIGN * np.uint32(sign))
                for source, which, sign in zip(found, selected, signs, strict=True)
            ]
            results.append(FLOATS[PAIRS[op]](*picked))
    first, _, last = args[0][2:-1].partition(":")
    for register, result in zip((first, last), results, strict=True):
        wave.set_vector(f"{args[0][0]}{register}", result)


def mixed(wave: Registers, op: str, args: list[str]) -> None:
    """Executes v_fma_mixlo_f16 or v_fma_mixhi_f16 on float32: half of a register is the result."""
    if any(":" in text for text in args[1:]):
        raise NotImplementedError(f"v_{op} {' '.join(args)}")
    result = half(_fused(*(operand(wave, text) for text in args[1:4])))
    old = wave.vector(args[0])
    if op.startswith("fma_mixlo"):
        wave.set_vector(args[0], old & 0xFFFF0000 | result)
    else:
        wave.set_vector(args[0], old & 0xFFFF | result << 16)
