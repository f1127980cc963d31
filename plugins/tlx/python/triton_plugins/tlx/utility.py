"""Questions that kernels ask at compile time."""

from __future__ import annotations

import triton.language as tl

from .arguments import unwrap


@tl.core.builtin
def size_of(dtype, _semantic=None) -> tl.constexpr:
    """Returns the bytes of one element of a dtype."""
    return tl.constexpr(unwrap(dtype).primitive_bitwidth // 8)


@tl.core.builtin
def is_hip(_semantic=None) -> tl.constexpr:
    """Returns whether the kernel is compiled for an AMD GPU."""
    return tl.constexpr(_semantic.builder.options.backend_name == "hip")


@tl.core.builtin
def dtype_of(v, _semantic=None) -> tl.dtype:
    """Returns the dtype of a tensor's or buffer's elements, or of what a pointer points to."""
    dtype = v.dtype
    return dtype.element_ty if dtype.is_ptr() else dtype


@tl.core.builtin
def get_fp8_format_name(dtype, _semantic=None) -> tl.constexpr:
    """Returns "e5m2" for `tl.float8e5` and "e4m3" for `tl.float8e4nv`.

    Raises:
        ValueError: It is another dtype.
    """
    names = {tl.float8e5: "e5m2", tl.float8e4nv: "e4m3"}
    dtype = unwrap(dtype)
    if dtype not in names:
        raise ValueError(f"get_fp8_format_name knows float8e5 and float8e4nv, but got {dtype!r}")
    return tl.constexpr(names[dtype])
