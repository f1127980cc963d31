"""warp_spec: the loads of a loop on warps of their own.

    import triton
    import triton.language as tl
    import triton_plugins.warp_spec as warp_spec

    @warp_spec.specialize
    @triton.jit
    def kernel(...):
        for k in tl.range(0, K, BLOCK_K):
            acc = tl.dot(a_desc.load(...), b_desc.load(...), acc)

On sm_90a the kernel's own warps multiply, and one more group of warps starts the copies; with
`num_warps=8` two warp groups share a tile. What can't be specialized is left to stock Triton, with
a `NotSpecialized` warning. Other architectures compile the kernel as it is.

Importing it loads the plugin's library. Only kernels that ask are changed.
"""

from __future__ import annotations

from typing import Any

import triton_plugins

from .marks import range_for
from .pipeline import PIPELINE, NotSpecialized, make_pipeline
from .report import Report, report
from .specialization import specialize

__all__ = [
    "PIPELINE",
    "NotSpecialized",
    "Report",
    "make_pipeline",
    "report",
    "specialize",
]

triton_plugins.load("warp_spec")


def __getattr__(name: str) -> Any:
    # `for i in warp_spec.range(...)`: Triton's compiler takes `tl.range` and no subclass of it, and
    # asks for the attribute right before it creates the loop.
    if name == "range":
        return range_for()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
