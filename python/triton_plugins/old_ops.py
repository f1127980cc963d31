"""Results of plugin ops on Triton 3.7.

Its builder hands the operands to the plugin as they are, without the slot for the result that
plugins expect in front (and crash without), and returns nothing. Here the slot is added, and the
result is looked up in the module.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from .errors import OpError


def with_result(builder: Any, create: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Returns a function that creates a plugin op of Triton 3.7 and returns its result, or None if
    it has none.

    Args:
        builder: The builder.
        create: Its method that creates the op.
        name: The op, for messages.
    """

    def created(operands: Sequence[Any]) -> Any:
        module = _module_of(builder)
        if module is None:
            raise OpError(
                name,
                "Triton 3.7 returns no results of plugin ops, and they can be looked up only while "
                "Triton compiles a kernel. Call the op from a kernel, or install triton==3.9.0.",
            )
        slot = operands[0] if operands else builder.get_int1(False)
        before = len(_ops_of_block(builder, module))
        create([slot, *operands])
        made = _ops_of_block(builder, module)[before:]
        if len(made) != 1:
            raise OpError(
                name,
                f"the plugin made {len(made)} operations, and Triton 3.7 does not say which of "
                "them holds the result. Install triton==3.8.0 or newer and the plugin's build for "
                "it.",
            )
        return made[0].get_result(0) if made[0].get_num_results() else None

    return created


def _ops_of_block(builder: Any, module: Any) -> list[Any]:
    """The operations of the block that the builder appends to, in order."""
    block = builder.get_insertion_block().id()
    found = []

    def visit(operation: Any) -> None:
        parent = operation.get_block()
        if parent is not None and parent.id() == block:
            found.append(operation)

    module.walk(visit)
    return found


def _module_of(builder: Any) -> Any:
    """The module under construction: only Triton's code generator, further up the stack, has it."""
    frame = sys._getframe(1)
    while frame is not None:
        caller = frame.f_locals.get("self")
        if getattr(caller, "builder", None) is builder and hasattr(caller, "module"):
            return caller.module
        frame = frame.f_back
    return None
