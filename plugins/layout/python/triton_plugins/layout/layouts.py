"""Layouts as values: which thread and register hold an element, or where it lies in shared memory.

A constructor works in kernels and outside of them; what it returns is a compile-time constant that
can be an argument of a kernel (`L: tl.constexpr`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import triton.language as tl

from triton_plugins import Pipeline
from triton_plugins.builtin import Builtin


@dataclass(frozen=True)
class Layout:
    """A layout of registers.

    Attributes:
        text: The layout as MLIR spells it.
    """

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class SharedLayout(Layout):
    """A layout of shared memory."""


@dataclass(frozen=True)
class Like:
    """The layout of another tensor of the kernel."""

    tensor: tl.tensor


class _Constructor(Builtin):
    """A function of layouts, which in kernels and outside of them takes and returns constants."""

    def __call__(self, *args: Any, _semantic: Any = None, **kwargs: Any) -> Any:
        """Returns the layout, as a `tl.constexpr` in a kernel."""
        kwargs = {name: _plain(value) for name, value in kwargs.items()}
        made = self.fn(*map(_plain, args), **kwargs)
        return made if _semantic is None else tl.constexpr(made)


def _constructor(function: Callable[..., Layout]) -> _Constructor:
    return _Constructor(function, "layout", Pipeline("layout"))


def _plain(value: Any) -> Any:
    if isinstance(value, tl.constexpr):
        return _plain(value.value)
    if isinstance(value, (list, tuple, tl.tuple)):
        return [_plain(item) for item in value]
    return value


@_constructor
def blocked(
    size_per_thread: Sequence[int],
    threads_per_warp: Sequence[int],
    warps_per_cta: Sequence[int],
    order: Sequence[int] | None = None,
) -> Layout:
    """Returns the layout that gives every thread a block of the tensor, every warp a block of
    threads; where the tensor is larger, it repeats.

    Args:
        size_per_thread: Elements of a thread's block, by dimension.
        threads_per_warp: Threads of a warp, by dimension; the product is 32 on NVIDIA and 64 on
            AMD CDNA.
        warps_per_cta: Warps, by dimension; the product is num_warps.
        order: Dimensions, the one in which neighbours follow first. The last one first by default.
    """
    rank = len(size_per_thread)
    order = list(reversed(range(rank))) if order is None else order
    return Layout(
        f"#ttg.blocked<{{sizePerThread = {_ints(size_per_thread)}, "
        f"threadsPerWarp = {_ints(threads_per_warp)}, warpsPerCTA = {_ints(warps_per_cta)}, "
        f"order = {_ints(order)}}}>"
    )


@_constructor
def linear(
    register: Sequence[Sequence[int]],
    lane: Sequence[Sequence[int]],
    warp: Sequence[Sequence[int]],
    block: Sequence[Sequence[int]] = (),
) -> Layout:
    """Returns a layout given by bases, the most general one.

    The element that a register of a thread holds is at the exclusive or of the bases that the set
    bits of their numbers name.

    Args:
        register: Bases of the register's bits, lowest first; each a position in the tensor.
        lane: Bases of the bits of the thread's number in its warp.
        warp: Bases of the bits of the warp's number.
        block: Bases of the bits of the block's number in its cluster.
    """
    return Layout(
        f"#ttg.linear<{{register = {_bases(register)}, lane = {_bases(lane)}, "
        f"warp = {_bases(warp)}, block = {_bases(block)}}}>"
    )


@_constructor
def mma(version: int, warps_per_cta: Sequence[int], instr_shape: Sequence[int]) -> Layout:
    """Returns the layout of the result of an NVIDIA matrix instruction.

    Args:
        version: 2 for `mma.sync` (sm_80 and later), 3 for `wgmma` (sm_90a).
        warps_per_cta: Warps, by dimension; with version 3 four of them along M work together.
        instr_shape: Shape of the instruction: [16, 8] with version 2, [16, N, K] with version 3.
    """
    return Layout(
        f"#ttg.nvidia_mma<{{versionMajor = {version}, versionMinor = 0, "
        f"warpsPerCTA = {_ints(warps_per_cta)}, instrShape = {_ints(instr_shape)}}}>"
    )


@_constructor
def mfma(
    version: int,
    warps_per_cta: Sequence[int],
    instr_shape: Sequence[int],
    transposed: bool = True,
) -> Layout:
    """Returns the layout of the result of an AMD matrix instruction.

    Args:
        version: 3 for gfx942, 4 for gfx950.
        warps_per_cta: Warps, by dimension.
        instr_shape: Shape [M, N, K] of the instruction: [32, 32, 8], [16, 16, 16], ...
        transposed: Whether a thread's neighbouring registers hold neighbours in a row.
    """
    return Layout(
        f"#ttg.amd_mfma<{{version = {version}, warpsPerCTA = {_ints(warps_per_cta)}, "
        f"instrShape = {_ints(instr_shape)}, isTransposed = {_bool(transposed)}}}>"
    )


@_constructor
def dot_operand(op_idx: int, parent: Layout, k_width: int = 0) -> Layout:
    """Returns the layout of an operand of a matrix product.

    Args:
        op_idx: 0 for the left operand, 1 for the right one.
        parent: Layout of the product's result.
        k_width: Elements along K that a thread holds side by side; 0 for a parent that is no
            matrix instruction's.
    """
    width = f", kWidth = {k_width}" if k_width else ""
    return Layout(f"#ttg.dot_op<{{opIdx = {op_idx}, parent = {parent}{width}}}>")


@_constructor
def slice(dim: int, parent: Layout) -> Layout:
    """Returns what is left of a layout when a dimension is taken off, as by `tl.sum(x, dim)`.

    Args:
        dim: The dimension.
        parent: The layout of the tensor with that dimension.
    """
    return Layout(f"#ttg.slice<{{dim = {dim}, parent = {parent}}}>")


@_constructor
def swizzled(vec: int, per_phase: int, max_phase: int, order: Sequence[int]) -> SharedLayout:
    """Returns a layout of shared memory with rows whose parts change places from row to row.

    Args:
        vec: Elements of a part.
        per_phase: Rows that share one arrangement.
        max_phase: Number of arrangements.
        order: Dimensions, the one in which neighbours follow first.
    """
    return SharedLayout(
        f"#ttg.swizzled_shared<{{vec = {vec}, perPhase = {per_phase}, maxPhase = {max_phase}, "
        f"order = {_ints(order)}}}>"
    )


@_constructor
def padded(
    intervals: Sequence[Sequence[int]], shape: Sequence[int], order: Sequence[int] | None = None
) -> SharedLayout:
    """Returns a layout of shared memory with gaps.

    Args:
        intervals: Pairs (interval, padding), in elements: so much padding follows every interval.
        shape: Shape of the tensor.
        order: Dimensions, the one in which neighbours follow first. The last one first by default.
    """
    order = list(reversed(range(len(shape)))) if order is None else order
    pads = ", ".join(f"{interval}:+{padding}" for interval, padding in intervals)
    return SharedLayout(
        f"#ttg.padded_shared<[{pads}] {{order = {_ints(order)}, shape = {_ints(shape)}}}>"
    )


@_constructor
def nvmma(swizzle: int, element_bits: int, transposed: bool = False) -> SharedLayout:
    """Returns the layout of shared memory that `wgmma` and the tensor memory accelerator use.

    Args:
        swizzle: Width of the swizzle in bytes: 0, 32, 64 or 128 (PTX ISA, "Swizzling modes").
        element_bits: Bits of an element.
        transposed: Whether the first dimension is the contiguous one.
    """
    return SharedLayout(
        f"#ttg.nvmma_shared<{{swizzlingByteWidth = {swizzle}, transposed = {_bool(transposed)}, "
        f"elementBitWidth = {element_bits}}}>"
    )


def _ints(values: Sequence[int]) -> str:
    return "[" + ", ".join(str(int(value)) for value in values) + "]"


def _bases(values: Sequence[Sequence[int]]) -> str:
    return "[" + ", ".join(_ints(value) for value in values) + "]"


def _bool(value: bool) -> str:
    return "true" if value else "false"
