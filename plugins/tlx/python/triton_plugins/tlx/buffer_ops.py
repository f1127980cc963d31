"""Accesses of global memory through one uniform pointer and 32-bit offsets.

On AMD they are buffer instructions: the pointer is in scalar registers, an offset takes half the
registers of a pointer, and the hardware drops what is masked off. On NVIDIA they are ordinary
accesses.

Whoever uses them promises that offsets are not negative and that every address is less than 2 GiB
from the pointer.
"""

from __future__ import annotations

from typing import Any

import triton.language as tl

from triton_plugins import dsl

from .arguments import constant, unwrap
from .copies import async_load
from .pipeline import PIPELINE
from .types import async_token, buffered_tensor


@dsl.op("tlx", PIPELINE)
def buffer_load(
    base, offsets, mask=None, other=None, cache=None, contiguity=1, _semantic=None
) -> tl.tensor:
    """Loads `base[offsets]`.

    Args:
        base: Pointer, the same in all threads (`assume_uniform` where the compiler can't tell).
        offsets: Tensor of int32 or uint32, in elements.
        mask: Tensor of bools; elements without it are not read.
        other: What the result holds where the mask is false; undefined by default.
        cache: Cache modifier, as for `tl.load`.
        contiguity: Offsets along the last dimension come in consecutive, aligned groups of this
            size, a power of two, and so does the mask. The compiler trusts it.

    Returns:
        Tensor of the offsets' shape.
    """
    pointers, mask = _addresses("buffer_load", base, offsets, mask, other, contiguity, _semantic)
    cache_modifier = unwrap(cache) or ""
    return tl.load(
        pointers, mask, unwrap(other), cache_modifier=cache_modifier, _semantic=_semantic
    )


@dsl.op("tlx", PIPELINE)
def buffer_store(value, base, offsets, mask=None, cache=None, contiguity=1, _semantic=None) -> None:
    """Stores a value to `base[offsets]`. Arguments as for `buffer_load`."""
    pointers, mask = _addresses("buffer_store", base, offsets, mask, None, contiguity, _semantic)
    value = _semantic.to_tensor(unwrap(value))
    tl.store(pointers, value, mask, cache_modifier=unwrap(cache) or "", _semantic=_semantic)


@dsl.op("tlx", PIPELINE)
def buffer_atomic_add(
    ptr, offsets, value, mask=None, sem=None, scope=None, contiguity=1, _semantic=None
) -> tl.tensor:
    """Adds a value to `ptr[offsets]` and returns what was there.

    Elements of less than 32 bits are added by a buffer instruction only where the compiler sees
    that they come in pairs; otherwise by an ordinary atomic one.

    Args:
        value: Tensor of the pointer's dtype, or a number.
        sem: Memory semantics, as for `tl.atomic_add`.
        scope: Scope, as for `tl.atomic_add`.
        ptr, offsets, mask, contiguity: As for `buffer_load`.
    """
    pointers, mask = _addresses(
        "buffer_atomic_add", ptr, offsets, mask, None, contiguity, _semantic
    )
    value = _semantic.to_tensor(unwrap(value))
    return tl.atomic_add(pointers, value, mask, unwrap(sem), unwrap(scope), _semantic=_semantic)


@dsl.op("tlx", PIPELINE)
def buffer_load_to_local(
    dest: buffered_tensor,
    ptr,
    offsets,
    mask=None,
    other=None,
    cache_modifier="",
    contiguity=1,
    _semantic=None,
) -> async_token:
    """Starts a copy of `ptr[offsets]` into a buffer; see `async_load`.

    Args:
        dest: A buffer (`local_view`) of the offsets' shape and the pointer's dtype.
        cache_modifier: Cache modifier, as for `tl.load`.
        ptr, offsets, mask, other, contiguity: As for `buffer_load`, but for masked elements, which
            are zero by default.
    """
    pointers, mask = _addresses(
        "buffer_load_to_local", ptr, offsets, mask, other, contiguity, _semantic
    )
    return async_load(pointers, dest, mask, other, cache_modifier, _semantic=_semantic)


def _addresses(
    function: str, base: Any, offsets: Any, mask: Any, other: Any, contiguity: Any, semantic: Any
) -> tuple[tl.tensor, Any]:
    if not (isinstance(base, tl.tensor) and base.type.is_ptr()):
        raise TypeError(f"{function} needs one pointer for all offsets, but got {base!r}")
    offsets = unwrap(offsets)
    if not (isinstance(offsets, tl.tensor) and offsets.type.is_block()):
        raise TypeError(f"{function} needs a tensor of offsets, but got {offsets!r}")
    if offsets.dtype not in (tl.int32, tl.uint32):
        raise TypeError(
            f"{function} needs offsets of int32 or uint32, but they are {offsets.dtype}; convert "
            "them, or use pointers"
        )
    mask = unwrap(mask)
    if mask is not None:
        offsets, mask = semantic.broadcast_impl_value(offsets, semantic.to_tensor(mask))
    if unwrap(other) is not None and mask is None:
        raise TypeError(f"{function} has 'other' but no mask that says where")
    group = constant(contiguity, "contiguity")
    if group < 1 or group & (group - 1):
        raise ValueError(f"argument 'contiguity' must be a power of two, but is {group}")
    pointers = semantic.add(base, offsets, False)
    handle, builder = pointers.handle, semantic.builder
    width = base.dtype.element_ty.primitive_bitwidth
    if function != "buffer_atomic_add" or width >= 32:
        handle.set_attr("tlx.buffer", builder.get_unit_attr())
    if group > 1:
        ones = [1] * (len(offsets.shape) - 1)
        semantic.max_contiguous(pointers, [*ones, group])
        semantic.multiple_of(pointers, [*ones, group * width // 8])
        if mask is not None:
            semantic.max_constancy(mask, [*ones, group])
    return pointers, mask
