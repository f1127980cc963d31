"""The operations of kernels that choose layouts."""

from __future__ import annotations

from typing import Any

import triton.language as tl

from triton_plugins import dsl

from .layouts import Layout, Like, SharedLayout
from .pipeline import PIPELINE


@dsl.op("layout", PIPELINE)
def like(y, _semantic=None) -> Like:
    """Returns the layout that another tensor has when the kernel is compiled.

    Args:
        y: The tensor; of the same rank as the one that gets its layout.
    """
    return Like(_tensor(y, "like"))


@dsl.op("layout", PIPELINE)
def pin(x, layout, _semantic=None) -> tl.tensor:
    """Holds a value in a layout, through all passes.

    Args:
        x: A tensor.
        layout: A layout of registers, or `like(y)`.

    Returns:
        `x` in that layout; elementwise users may take it over.

    Raises:
        OpError: The layout is none of registers, or of another rank.
        PassError: When the kernel is compiled, if the layout does not fit the tensor, num_warps or
            the target.
    """
    return _create(_semantic, "layout_pin", x, layout)


@dsl.op("layout", PIPELINE)
def release(x, _semantic=None) -> tl.tensor:
    """Ends the hold of a pin: the result's layout is the compiler's choice again.

    Args:
        x: A tensor.
    """
    handle = dsl.create_op(_semantic, "layout_release", source=_tensor(x, "release"))
    return tl.tensor(handle, x.type)


@dsl.op("layout", PIPELINE)
def convert(x, layout, via="auto", _semantic=None) -> tl.tensor:
    """Moves a value into a layout by a chosen way, and holds it there.

    Args:
        x: A tensor.
        layout: A layout of registers, or `like(y)`.
        via: "auto" as Triton chooses, "registers" within each thread, "shuffle" between the threads
            of a warp, "shared" through shared memory, or a layout of shared memory to go through.

    Raises:
        OpError: A layout is of the wrong kind or rank.
        PassError: When the kernel is compiled, if the layout does not fit, or if the data has to
            go farther than the chosen way leads.
    """
    via = dsl.unwrap(via)
    shared = via.text if isinstance(via, SharedLayout) else None
    if shared is None and not isinstance(via, str):
        raise TypeError(
            "'via' must be 'auto', 'registers', 'shuffle', 'shared' or a layout of shared memory, "
            f"but is {via!r}"
        )
    return _create(
        _semantic, "layout_convert", x, layout, via="shared" if shared else via, shared=shared
    )


@dsl.op("layout", PIPELINE)
def assert_trivial(x, layout, _semantic=None) -> tl.tensor:
    """Gives a value a layout that it has already, maybe by another name.

    Args:
        x: A tensor.
        layout: A layout of registers, or `like(y)`.

    Raises:
        OpError: The layout is none of registers, or of another rank.
        PassError: When the kernel is compiled, if the conversion moves data.
    """
    return _create(_semantic, "layout_assert_trivial", x, layout)


def _create(semantic: Any, op: str, x: Any, layout: Any, **arguments: Any) -> tl.tensor:
    x, layout = _tensor(x, op.removeprefix("layout_")), dsl.unwrap(layout)
    if isinstance(layout, Like):
        arguments["like"] = layout.tensor
    elif isinstance(layout, Layout):
        arguments["layout"] = layout.text
    else:
        raise TypeError(
            "'layout' must be a layout, for example layout.blocked(...), or layout.like(tensor), "
            f"but is {layout!r}"
        )
    return tl.tensor(dsl.create_op(semantic, op, source=x, **arguments), x.type)


def _tensor(value: Any, function: str) -> tl.tensor:
    if isinstance(value, tl.tensor) and value.type.is_block():
        return value
    raise TypeError(f"{function} needs a tensor, but got {value!r}; a scalar has no layout")
