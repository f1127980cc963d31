"""Layouts that a kernel chooses, how values get into them, and what conversions cost.

    import triton
    import triton.language as tl
    import triton_plugins.layout as layout

    @triton.jit
    def kernel(x_ptr, ...):
        x = layout.pin(tl.load(x_ptr + offsets), layout.blocked([1, 4], [4, 8], [4, 1]))
        ...

Importing it loads the plugin's library. Kernels that use an operation are compiled with
`layout.PIPELINE`, and no others are.
"""

import triton_plugins

from .layouts import (
    Layout,
    SharedLayout,
    blocked,
    dot_operand,
    linear,
    mfma,
    mma,
    nvmma,
    padded,
    slice,
    swizzled,
)
from .ops import assert_trivial, convert, like, pin, release
from .picture import Holder, draw, holders, place
from .pipeline import OPTIMIZE, PIPELINE
from .report import Conversion, PlacedLayout, Report, SharedAccess, report, report_text

__all__ = [
    "OPTIMIZE",
    "PIPELINE",
    "Conversion",
    "Holder",
    "Layout",
    "PlacedLayout",
    "Report",
    "SharedAccess",
    "SharedLayout",
    "assert_trivial",
    "blocked",
    "convert",
    "dot_operand",
    "draw",
    "holders",
    "like",
    "linear",
    "mfma",
    "mma",
    "nvmma",
    "padded",
    "pin",
    "place",
    "release",
    "report",
    "report_text",
    "slice",
    "swizzled",
]

triton_plugins.load("layout")
