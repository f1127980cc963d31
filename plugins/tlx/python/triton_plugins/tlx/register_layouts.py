"""Layouts of tensors in registers, and the operations that ask for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import triton.language as tl

from triton_plugins import dsl

from .arguments import unwrap
from .layouts import _listed, _plain, layout_encoding
from .pipeline import PIPELINE
from .types import buffered_tensor


@dataclass(frozen=True)
class amd_mfma_layout_encoding(layout_encoding):
    """The result of AMD's matrix instructions."""

    version: int
    instr_shape: Sequence[int]
    transposed: bool
    warps_per_cta: Sequence[int]

    def text(self, shape: Sequence[int], dtype: tl.dtype, warp_size: int) -> str:
        return (
            f"#ttg.amd_mfma<{{version = {self.version}, warpsPerCTA = "
            f"{_listed(self.warps_per_cta)}, instrShape = {_listed(self.instr_shape)}, "
            f"isTransposed = {'true' if self.transposed else 'false'}}}>"
        )


@dataclass(frozen=True)
class dot_operand_layout_encoding(layout_encoding):
    """An operand of the matrix product whose result has the layout `parent`."""

    op_idx: int
    parent: layout_encoding
    k_width: int

    def text(self, shape: Sequence[int], dtype: tl.dtype, warp_size: int) -> str:
        return (
            f"#ttg.dot_op<{{opIdx = {self.op_idx}, parent = "
            f"{self.parent.text(shape, dtype, warp_size)}, kWidth = {self.k_width}}}>"
        )


@dataclass(frozen=True)
class slice_layout_encoding(layout_encoding):
    """What a reduction along `dim` leaves of `parent`."""

    parent: layout_encoding
    dim: int

    def text(self, shape: Sequence[int], dtype: tl.dtype, warp_size: int) -> str:
        return (
            f"#ttg.slice<{{dim = {self.dim}, parent = "
            f"{self.parent.text(shape, dtype, warp_size)}}}>"
        )


@tl.core.builtin
def amd_mfma_layout(
    version, instr_shape, transposed=False, warps_per_cta=None, _semantic=None
) -> tl.constexpr:
    """Returns the layout of a result of AMD's matrix instructions.

    Args:
        version: 3 on gfx942, 4 on gfx950.
        instr_shape: (M, N, K) of the instruction.
        transposed: A thread holds elements of a row, not of a column.
        warps_per_cta: Warps along each dimension; all along the first by default.
    """
    warps = _plain(warps_per_cta) or (_semantic.builder.options.num_warps, 1)
    return tl.constexpr(amd_mfma_layout_encoding(version, instr_shape, transposed, warps))


@tl.core.builtin
def dot_operand_layout(op_idx, parent, k_width=None, _semantic=None) -> tl.constexpr:
    """Returns the layout of an operand of a matrix product.

    Args:
        op_idx: 0 for the left operand, 1 for the right one.
        parent: Layout of the result.
        k_width: Consecutive elements along K that a thread holds.

    Raises:
        ValueError: `k_width` is left out; a result's layout does not tell it.
    """
    if unwrap(k_width) is None:
        raise ValueError("dot_operand_layout needs k_width, which the parent does not tell")
    return tl.constexpr(dot_operand_layout_encoding(op_idx, unwrap(parent), k_width))


@tl.core.builtin
def slice_layout(parent, dim, _semantic=None) -> tl.constexpr:
    """Returns `parent` without a dimension."""
    return tl.constexpr(slice_layout_encoding(unwrap(parent), dim))


@dsl.op("tlx", PIPELINE)
def require_layout(src, layout, pin=False, late_address_compute=False, _semantic=None) -> tl.tensor:
    """Asks for a tensor in a layout in registers.

    What loads the tensor from a buffer gives that layout, and a matrix product that has the same
    takes it as it is. The compiler drops it where converting to it and back has no use.

    Args:
        src: A tensor.
        layout: A layout of its shape, with as many warps as the kernel or task has.
        pin: The layout holds here whatever it costs.
        late_address_compute: Accepted; addresses are computed where they are used.

    Raises:
        OpError: There is no such layout of the tensor.
    """
    handle = dsl.create_op(
        _semantic,
        "tlx_require_layout",
        value=src,
        layout=layout_text(layout, _sizes(src.shape), src.dtype, _semantic),
        pin=bool(unwrap(pin)),
    )
    return tl.tensor(handle, src.type)


@tl.core.builtin
def release_layout(src, relaxed=False, _semantic=None) -> Any:
    """Returns its argument: no value of a kernel keeps a layout but through `require_layout`."""
    return src


@dsl.op("tlx", PIPELINE)
def assert_same_layout(lhs, rhs, _semantic=None) -> None:
    """Checks that two values have the same layout once the compiler has chosen all of them.

    Two names of one layout are the same. The check costs nothing at run time.

    Args:
        lhs: A tensor or buffer.
        rhs: Another of the same shape, or a layout.

    Raises:
        TypeError: They are something else.
        PassError: When the kernel is compiled, if the layouts differ.
    """
    rhs = unwrap(rhs)
    if not isinstance(lhs, (tl.tensor, buffered_tensor)):
        raise TypeError(f"assert_same_layout takes tensors and buffers, not {lhs!r}")
    if isinstance(rhs, (tl.tensor, buffered_tensor)):
        dsl.create_op(_semantic, "tlx_assert_same_layout", value=lhs, other=rhs)
        return
    text = layout_text(rhs, _sizes(lhs.shape), lhs.dtype, _semantic)
    dsl.create_op(_semantic, "tlx_assert_same_layout", value=lhs, layout=text)


@dsl.op("tlx", PIPELINE)
def zeros(shape, dtype, layout=None, _semantic=None) -> tl.tensor:
    """Returns zeros, in a layout if one is given. Arguments as for `tl.zeros` and
    `require_layout`."""
    value = _semantic.full(_sizes(shape), 0, unwrap(dtype))
    if unwrap(layout) is None:
        return value
    return require_layout(value, layout, _semantic=_semantic)


def layout_text(layout: Any, shape: list[int], dtype: tl.dtype, semantic: Any) -> str:
    """Returns a layout as MLIR prints it.

    Raises:
        TypeError: It is no layout.
    """
    layout = unwrap(layout)
    if not isinstance(layout, layout_encoding):
        raise TypeError(f"layout= must be a layout of tlx, for example tlx.layout, not {layout!r}")
    return layout.text(shape, dtype, semantic.builder.options.warp_size)


def _sizes(shape: Any) -> list[int]:
    return [unwrap(size) for size in shape]
