"""The cases in which `layout_kernels` are compiled, checked and timed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench import layout_kernels as kernels


@dataclass(frozen=True)
class Array:
    """A tensor argument.

    Attributes:
        dtype: The element type, as Triton's signatures name it.
        shape: The shape.
        is_output: Whether the kernel writes it.
    """

    dtype: str
    shape: Sequence[int]
    is_output: bool = False


@dataclass(frozen=True)
class Case:
    """One kernel with what it is launched on.

    Attributes:
        name: Names the case.
        kernel: A `@triton.jit` function.
        grid: Number of programs, by axis.
        arguments: The run-time arguments: arrays, ints and floats.
        constexprs: The compile-time arguments.
        num_warps: Warps of a program.
    """

    name: str
    kernel: Any
    grid: tuple[int, ...]
    arguments: Mapping[str, Array | int | float]
    constexprs: Mapping[str, Any] = field(default_factory=dict)
    num_warps: int = 4

    @property
    def signature(self) -> dict[str, str]:
        """The types of the run-time arguments, as a launch finds them."""
        return {name: _type(value) for name, value in self.arguments.items()}


def _type(value: Array | int | float) -> str:
    if isinstance(value, Array):
        return f"*{value.dtype}:16"
    if isinstance(value, float):
        return "fp32"
    return "i32:16" if value % 16 == 0 else "i32"


def _half(*shape: int) -> Array:
    return Array("fp16", shape)


def _out(dtype: str, *shape: int) -> Array:
    return Array(dtype, shape, is_output=True)


def _tiles(m: int, n: int, k: int, bm: int, bn: int) -> dict[str, Any]:
    """What the matrix products have in common: sizes, grid and blocks."""
    return {
        "grid": (m // bm, n // bn),
        "sizes": {"M": m, "N": n, "K": k},
        "blocks": {"BM": bm, "BN": bn, "BK": 64},
    }


def _normalization() -> list[Case]:
    rows, cols, tall = 131072, 1024, 4
    sizes = {"ROWS": tall, "BLOCK": cols}
    matrix, vector, statistic = _half(rows, cols), _half(cols), _out("fp32", rows)
    partial = _out("fp32", rows // tall, cols)
    return [
        Case(
            "softmax",
            kernels.softmax,
            (rows,),
            {"x": _half(rows, 4096), "out": _out("fp16", rows, 4096), "cols": 4096},
            {"STRIDE": 4096, "BLOCK": 4096},
            num_warps=8,
        ),
        Case(
            "layernorm",
            kernels.layernorm,
            (rows // tall,),
            {"x": matrix, "w": vector, "b": vector, "out": _out("fp16", rows, cols)}
            | {"mean": statistic, "rstd": statistic, "cols": cols, "eps": 1e-5},
            sizes,
        ),
        Case(
            "layernorm_bwd",
            kernels.layernorm_bwd,
            (rows // tall,),
            {"dy": matrix, "x": matrix, "w": vector}
            | {"mean": Array("fp32", (rows,)), "rstd": Array("fp32", (rows,))}
            | {"dx": _out("fp16", rows, cols), "dw": partial, "db": partial, "cols": cols},
            sizes,
        ),
        Case(
            "cumsum",
            kernels.cumsum,
            (rows // 8,),
            {"x": _half(rows, cols), "out": _out("fp32", rows, cols), "cols": cols},
            {"ROWS": 8, "BLOCK": 256},
        ),
        Case(
            "topk",
            kernels.topk,
            (rows // tall,),
            {"x": matrix, "values": _out("fp16", rows, 8), "cols": cols},
            sizes | {"K": 8},
        ),
    ]


def _products() -> list[Case]:
    m = n = k = 4096
    wide, square = _tiles(m, n, k, 128, 256), _tiles(m, n, k, 128, 128)
    a, c = _half(m, k), _out("fp16", m, n)
    return [
        Case(
            "matmul",
            kernels.matmul,
            wide["grid"],
            {"a": a, "b": _half(k, n), "bias": _half(n), "c": c} | wide["sizes"],
            wide["blocks"],
            num_warps=8,
        ),
        Case(
            "matmul_tn",
            kernels.matmul_tn,
            square["grid"],
            {"a": _half(k, m), "b": _half(n, k), "c": _out("fp16", n, m)} | square["sizes"],
            square["blocks"],
            num_warps=8,
        ),
        Case(
            "matmul_int8",
            kernels.matmul_int8,
            square["grid"],
            {"a": a, "b": Array("i8", (k, n)), "scale": _half(n), "c": c} | square["sizes"],
            square["blocks"],
        ),
        Case(
            "matmul_int4",
            kernels.matmul_int4,
            square["grid"],
            {"a": a, "b": Array("u8", (n, k // 2)), "scale": _half(n, k // 64), "c": c}
            | square["sizes"],
            square["blocks"] | {"GROUP": 64},
        ),
        Case(
            "matmul_quant",
            kernels.matmul_quant,
            (65536 // 128,),
            {"a": _half(65536, k), "b": _half(k, 256), "w": _half(256)}
            | {"c": _out("i8", 65536, 256), "scale": _out("fp32", 65536), "M": 65536, "K": k},
            {"N": 256, "BM": 128, "BK": 64},
            num_warps=8,
        ),
        Case(
            "chained",
            kernels.chained,
            (131072 // 128,),
            {"a": _half(131072, 1024), "b": _half(1024, 128), "bias": _half(128)}
            | {"c": _half(128, 128), "bias2": _half(128), "out": _out("fp16", 131072, 128)}
            | {"K": 1024},
            {"BM": 128, "BK": 64, "H": 128, "D": 128},
            num_warps=8,
        ),
    ]


def _attention() -> list[Case]:
    heads, length, width = 32, 4096, 64
    matrix = _half(heads, length, width)
    arguments = {"q": matrix, "k": matrix, "v": matrix, "bias": _half(length, length)}
    arguments |= {"o": _out("fp16", heads, length, width), "lse": _out("fp32", heads, length)}
    arguments |= {"N": length, "scale": 0.18}
    sizes = {"BM": 128, "BN": 64, "D": width}
    grid = (length // 128, heads)
    return [
        Case("attention", kernels.attention, grid, arguments, sizes | {"BIAS": False}),
        Case("attention_bias", kernels.attention, grid, arguments, sizes | {"BIAS": True}),
    ]


def _permutes() -> list[Case]:
    size, batch, length, heads, width = 8192, 8, 4096, 8, 16
    return [
        Case(
            "transpose",
            kernels.transpose,
            (size // 64, size // 64),
            {"x": _half(size, size), "out": _out("fp16", size, size), "M": size, "N": size},
            {"BM": 64, "BN": 64},
        ),
        Case(
            "permute4",
            kernels.permute4,
            (length // 64, batch),
            {"x": _half(batch, length, heads, width)}
            | {"out": _out("fp16", batch, heads, width, length), "S": length},
            {"H": heads, "D": width, "BS": 64},
        ),
    ]


CASES = (*_normalization(), *_products(), *_attention(), *_permutes())
