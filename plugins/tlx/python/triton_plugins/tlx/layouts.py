"""Layouts that kernels name: how a buffer's elements lie in memory, or a tensor's in registers.

Every layout is a compile-time value that can be an argument of a jitted function. `text` gives it
as MLIR prints it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import triton.language as tl
from triton.runtime.jit import constexpr_function

from .arguments import unwrap


def _plain(value: Any) -> Any:
    """A constexpr or a list of them as hashable plain values."""
    value = unwrap(value)
    if isinstance(value, (list, tuple, tl.tuple)):
        return tuple(_plain(item) for item in value)
    return value


def _listed(values: Iterable[Any]) -> str:
    texts = (_listed(v) if isinstance(v, tuple) else str(v) for v in values)
    return "[" + ", ".join(texts) + "]"


def _one_block(**numbers: Sequence[int] | int | None) -> None:
    for name, value in numbers.items():
        if value is not None and any(n != 1 for n in _plain([value] if value == 1 else value)):
            raise ValueError(
                f"{name}={value}: a layout that spans blocks of a cluster cannot be given; every "
                "block has its own buffers, which tlx.remote_view reaches"
            )


@dataclass(frozen=True)
class layout_encoding:
    """What all layouts are."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            object.__setattr__(self, name, _plain(value))

    def text(self, shape: Sequence[int], dtype: tl.dtype, warp_size: int) -> str:
        """Returns the layout of a buffer or tensor as MLIR prints it.

        Args:
            shape: Its shape in elements.
            dtype: dtype of its elements.
            warp_size: Threads of a warp.
        """
        raise NotImplementedError


class shared_layout_encoding(layout_encoding):
    """What layouts of buffers are."""


@dataclass(frozen=True)
class swizzled_shared_layout_encoding(shared_layout_encoding):
    """Rows whose groups of `vectorSize` elements are permuted, so that columns spread over banks.

    Group `g` of row `r` lies at `g ^ (r // perPhase % maxPhase)`. `order` names the dimensions,
    the contiguous one first.
    """

    vectorSize: int
    perPhase: int
    maxPhase: int
    order: Sequence[int]
    numCTAs: Any = None
    numCTAsPerCGA: Any = None
    numCTASplit: Any = None
    numCTAOrder: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _one_block(numCTAsPerCGA=self.numCTAsPerCGA, numCTASplit=self.numCTASplit)

    @staticmethod
    @constexpr_function
    def make_default(rank: int) -> swizzled_shared_layout_encoding:
        """Returns the layout of plain rows."""
        return swizzled_shared_layout_encoding(1, 1, 1, tuple(reversed(range(rank))))

    def text(self, shape: Sequence[int], dtype: tl.dtype, warp_size: int) -> str:
        return (
            f"#ttg.swizzled_shared<{{vec = {self.vectorSize}, perPhase = {self.perPhase}, "
            f"maxPhase = {self.maxPhase}, order = {_listed(self.order)}}}>"
        )


@dataclass(frozen=True)
class nv_mma_shared_layout_encoding(shared_layout_encoding):
    """The layouts that TMA and WGMMA know, with the widest swizzle that the rows allow."""

    shape: Sequence[int]
    order: Sequence[int]
    elemType: tl.dtype
    numCTAsPerCGA: Any = None
    numCTASplit: Any = None
    numCTAOrder: Any = None
    fp4Padded: bool = False
    swizzled: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        _one_block(numCTAsPerCGA=self.numCTAsPerCGA, numCTASplit=self.numCTASplit)

    @staticmethod
    @constexpr_function
    def make_default(
        shape: Sequence[int], elemType: tl.dtype, fp4Padded: bool = False
    ) -> nv_mma_shared_layout_encoding:
        """Returns the layout of a buffer whose last dimension is contiguous."""
        order = tuple(reversed(range(len(shape))))
        return nv_mma_shared_layout_encoding(shape, order, elemType, fp4Padded=fp4Padded)

    def text(self, shape: Sequence[int], dtype: tl.dtype, warp_size: int) -> str:
        bits = dtype.primitive_bitwidth
        row = shape[self.order[0]] * bits // 8 * (2 if self.fp4Padded else 1)
        rows = 1
        for dim in self.order[1:]:
            rows *= shape[dim]
        width = next((w for w in (128, 64, 32) if row % w == 0), 0)
        if not self.swizzled or rows < 8:
            width = 0
        transposed = "true" if len(self.order) > 1 and self.order[0] == 0 else "false"
        return (
            f"#ttg.nvmma_shared<{{swizzlingByteWidth = {width}, transposed = {transposed}, "
            f"elementBitWidth = {bits}"
            + (", fp4Padded = true" if self.fp4Padded else "")
            + (f", rank = {len(self.order)}" if len(self.order) != 2 else "")
            + "}>"
        )


@dataclass(frozen=True)
class padded_shared_layout_encoding(shared_layout_encoding):
    """Rows with unused elements between: `paddings[i]` of them after every `intervals[i]`.

    The elements lie in the order of `shape`'s dimensions that `order` gives, the contiguous one
    first, or bit `b` of the offset in memory stands for element `offset_bases[b]`.
    """

    intervals: Sequence[int]
    paddings: Sequence[int]
    order: Sequence[int]
    shape: Sequence[int]
    numCTAsPerCGA: Any = None
    numCTASplit: Any = None
    numCTAOrder: Any = None
    offset_bases: Sequence[Sequence[int]] | None = None
    block_bases: Sequence[Sequence[int]] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _one_block(numCTAsPerCGA=self.numCTAsPerCGA, numCTASplit=self.numCTASplit)
        if self.offset_bases is None:
            object.__setattr__(self, "offset_bases", _row_bases(self.order, self.shape))

    @staticmethod
    @constexpr_function
    def with_identity_for(
        interval_padding_pairs: Sequence[tuple[int, int]],
        shape: Sequence[int],
        order: Sequence[int] | None = None,
    ) -> padded_shared_layout_encoding:
        """Returns the layout of plain rows with padding.

        Args:
            interval_padding_pairs: After how many elements how many are left out.
            shape: Shape of one buffer in elements, powers of two.
            order: The dimensions, the contiguous one first; the last is by default.
        """
        intervals, paddings = zip(*_plain(interval_padding_pairs), strict=True)
        rows = tuple(reversed(range(len(shape))))
        return padded_shared_layout_encoding(intervals, paddings, _plain(order) or rows, shape)

    @staticmethod
    @constexpr_function
    def with_bases(
        interval_padding_pairs: Sequence[tuple[int, int]],
        offset_bases: Sequence[Sequence[int]],
        shape: Sequence[int],
        block_bases: Sequence[Sequence[int]] | None = None,
    ) -> padded_shared_layout_encoding:
        """Returns the layout with explicit bases. Arguments as for `with_identity_for`."""
        intervals, paddings = zip(*_plain(interval_padding_pairs), strict=True)
        rows = tuple(reversed(range(len(shape))))
        return padded_shared_layout_encoding(
            intervals, paddings, rows, shape, offset_bases=offset_bases, block_bases=block_bases
        )

    def text(self, shape: Sequence[int], dtype: tl.dtype, warp_size: int) -> str:
        pairs = zip(self.intervals, self.paddings, strict=True)
        intervals = ", ".join(f"{interval}:+{padding}" for interval, padding in pairs)
        return (
            f"#ttg.padded_shared<[{intervals}] {{offset = {_listed(self.offset_bases)}, "
            f"block = {_listed(self.block_bases or ())}}}>"
        )


@dataclass(frozen=True)
class shared_linear_layout_encoding(shared_layout_encoding):
    """Any linear layout: bit `b` of the offset in memory stands for element `offset_bases[b]`."""

    offset_bases: Sequence[Sequence[int]]
    block_bases: Sequence[Sequence[int]] = ()
    alignment: int = 16

    def text(self, shape: Sequence[int], dtype: tl.dtype, warp_size: int) -> str:
        return (
            f"#ttg.shared_linear<{{offset = {_listed(self.offset_bases)}, "
            f"block = {_listed(self.block_bases or ())}}}, alignment = {self.alignment}>"
        )


@dataclass(frozen=True)
class swizzled_layout(shared_layout_encoding):
    """A swizzle as CuTe names it, `Swizzle<bits, base, shift>`: the `bits` bits of the offset above
    `base + shift` are added to those above `base`."""

    bits: int
    base: int = 0
    shift: int = 0
    order: Sequence[int] | None = None

    @staticmethod
    @constexpr_function
    def make_default(rank: int) -> swizzled_layout:
        """Returns the layout of plain rows."""
        return swizzled_layout(0, order=tuple(reversed(range(rank))))

    def text(self, shape: Sequence[int], dtype: tl.dtype, warp_size: int) -> str:
        order = self.order or tuple(reversed(range(len(shape))))
        row, span = shape[order[0]], 1 << (self.base + self.shift)
        per_phase = 1
        if self.bits:
            if span % row:
                raise ValueError(
                    f"swizzled_layout({self.bits}, {self.base}, {self.shift}) permutes within rows "
                    f"of {row} elements by bits of the same row; base + shift must be at least "
                    f"{row.bit_length() - 1}"
                )
            per_phase = span // row
        return swizzled_shared_layout_encoding(
            1 << self.base, per_phase, 1 << self.bits, order
        ).text(shape, dtype, warp_size)


@dataclass(frozen=True)
class layout(layout_encoding):
    """A layout in registers as CuTe writes it: (threads, values) of powers of two.

    A thread mode of extent `2**k` and stride `s` says that `k` bits of the thread stand for the
    elements `s`, `2 * s`, ... of the tensor, counted row by row; likewise for values, which are
    the registers of a thread.
    """

    shape: tuple[Sequence[int], Sequence[int]]
    stride: tuple[Sequence[int], Sequence[int]]

    def text(self, shape: Sequence[int], dtype: tl.dtype, warp_size: int) -> str:
        threads, values = (
            [
                tuple(_coordinates(step << bit, shape))
                for extent, step in zip(extents, steps, strict=True)
                for bit in range(extent.bit_length() - 1)
            ]
            for extents, steps in zip(self.shape, self.stride, strict=True)
        )
        lanes = warp_size.bit_length() - 1
        return (
            f"#ttg.linear<{{register = {_listed(values)}, lane = {_listed(threads[:lanes])}, "
            f"warp = {_listed(threads[lanes:])}, block = []}}>"
        )


def _coordinates(offset: int, shape: Sequence[int]) -> list[int]:
    """The indices of an element that is counted row by row."""
    found = []
    for size in reversed(shape):
        found.append(offset % size)
        offset //= size
    return found[::-1]


def _row_bases(order: Sequence[int], shape: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """The elements that the bits of an offset stand for, `order[0]`'s dimension first."""
    return tuple(
        tuple(1 << bit if i == dim else 0 for i in range(len(shape)))
        for dim in order
        for bit in range(shape[dim].bit_length() - 1)
    )
