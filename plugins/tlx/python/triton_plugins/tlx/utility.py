"""Questions that kernels ask at compile time."""

from __future__ import annotations

import triton.language as tl


@tl.core.builtin
def dtype_of(v, _semantic=None) -> tl.dtype:
    """Returns the dtype of a tensor's or buffer's elements, or of what a pointer points to."""
    dtype = v.dtype
    return dtype.element_ty if dtype.is_ptr() else dtype
