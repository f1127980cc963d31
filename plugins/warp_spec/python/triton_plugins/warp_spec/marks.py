"""`warp_spec.range`, which marks the loop that it is used in."""

from __future__ import annotations

import sys
from typing import Any

import triton.language as tl
from triton.compiler.code_generator import CodeGenerator
from triton.runtime.jit import DependenciesFinder

from triton_plugins import dsl

from .pipeline import PIPELINE

# From here up: range_for, the module's __getattr__, a visitor of Triton's.
_VISITOR_DEPTH = 2


@dsl.op("warp_spec", PIPELINE)
def mark_loop(_semantic=None) -> None:
    """Asks for the next loop of the kernel to be specialized."""
    dsl.create_op(_semantic, "warp_spec_mark_loop")


def range_for() -> Any:
    """Returns what `warp_spec.range` is to who asks.

    To the compiler that creates a kernel's loop it is `tl.range`, with a mark in front of the loop;
    to what collects the parts of a kernel's cache key it is the operation, which brings the
    plugin's build; to all others it is `tl.range`.
    """
    visitor = sys._getframe(_VISITOR_DEPTH).f_locals.get("self")
    if isinstance(visitor, DependenciesFinder):
        return mark_loop
    if isinstance(visitor, CodeGenerator):
        mark_loop(_semantic=visitor.semantic)
    return tl.range
