"""Arguments of TLX's operations: checked and made plain."""

from __future__ import annotations

from typing import Any

import triton.language as tl

from triton_plugins import OpError
from triton_plugins.dsl import unwrap as unwrap

from .types import async_token, buffered_tensor, mbarrier, remote_buffer


def constant(value: Any, name: str) -> int:
    """Returns an argument that must be an int known at compile time.

    Raises:
        TypeError: It is something else.
    """
    value = unwrap(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"argument '{name}' must be an int known at compile time, but is {value!r}")
    return value


def constants(values: Any, name: str) -> list[int]:
    """Returns an argument that must be a tuple of ints known at compile time.

    Raises:
        TypeError: It is something else.
    """
    values = unwrap(values)
    if not isinstance(values, (list, tuple, tl.tuple)):
        raise TypeError(
            f"argument '{name}' must be a tuple of ints known at compile time, but is {values!r}"
        )
    return [constant(value, name) for value in values]


def positive(value: Any, name: str) -> int:
    """Returns an argument that must be a positive int known at compile time.

    Raises:
        TypeError: It is something else.
        ValueError: It is not positive.
    """
    number = constant(value, name)
    if number < 1:
        raise ValueError(f"argument '{name}' must be 1 or more, but is {number}")
    return number


def buffer_of(value: Any, function: str) -> buffered_tensor:
    """Returns an argument that must be a buffer or a view of one.

    Raises:
        TypeError: It is something else.
    """
    if isinstance(value, buffered_tensor):
        return value
    raise TypeError(
        f"{function} needs a buffer of tlx.local_alloc or tlx.local_view, but got {value!r}"
    )


def barrier_of(value: Any, function: str) -> mbarrier:
    """Returns an argument that must be one barrier.

    Raises:
        TypeError: It is something else.
    """
    if isinstance(value, remote_buffer):
        raise TypeError(
            f"{function} needs a barrier of this block; at one of another block a kernel can only "
            "arrive (barrier_arrive)"
        )
    if not isinstance(value, mbarrier):
        raise TypeError(f"{function} needs a barrier of tlx.alloc_barriers, but got {value!r}")
    if value.type.num is not None:
        raise TypeError(
            f"{function} needs one barrier, but got {value.type.num}; take one by its index"
        )
    return value


def needs_hopper(function: str, feature: str, instead: str, semantic: Any) -> None:
    """Checks that the kernel is compiled for a GPU with Hopper's copies.

    Args:
        function: The operation.
        feature: What of the hardware it uses.
        instead: What to use elsewhere.

    Raises:
        OpError: It is another GPU.
    """
    options = semantic.builder.options
    if options.backend_name != "cuda" or int(options.arch[2:]) < 90:
        target = options.arch.replace("sm", "sm_")
        raise OpError(
            function, f"{function} needs {feature}, which sm_90 has and {target} has not; {instead}"
        )


def predicate(value: Any, semantic: Any) -> tl.tensor | None:
    """Returns an argument that says where an operation takes place as a scalar bool, or None
    where it always does."""
    value = unwrap(value)
    if value is None or value is True:
        return None
    return semantic.to_tensor(value).to(tl.int1, _semantic=semantic)


def rank(value: Any, semantic: Any) -> tl.tensor:
    """Returns the rank of a block, an int or a scalar tensor, as an int32 tensor."""
    return semantic.to_tensor(unwrap(value)).to(tl.int32, _semantic=semantic)


def tokens_of(tokens: Any) -> list[async_token]:
    """Returns an argument that must be tokens, or None for none, as a list.

    Raises:
        TypeError: One of them is something else.
    """
    found = [token for token in unwrap(tokens) or () if unwrap(token) is not None]
    for token in found:
        if not isinstance(token, async_token):
            raise TypeError(f"'tokens' must hold tokens of asynchronous copies, but has {token!r}")
    return found


def check_nvidia(function: str, semantic: Any) -> None:
    """Checks that a kernel with instructions of NVIDIA's GPUs is compiled for one.

    Raises:
        OpError: It is not.
    """
    if semantic.builder.options.backend_name != "cuda":
        raise OpError(function, f"{function} is an instruction of NVIDIA's GPUs")
