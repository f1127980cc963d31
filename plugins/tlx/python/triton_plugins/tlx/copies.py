"""Asynchronous copies between global and local memory."""

from __future__ import annotations

import math
from typing import Any

import triton.language as tl

from triton_plugins import dsl

from .arguments import barrier_of, buffer_of, constant, needs_hopper, tokens_of, unwrap
from .pipeline import PIPELINE
from .types import async_token, async_token_type


@dsl.op("tlx", PIPELINE)
def async_load(
    src,
    result,
    mask=None,
    other=None,
    cache_modifier="",
    eviction_policy="",
    is_volatile=False,
    bulk=False,
    bulk_size=None,
    barrier=None,
    _semantic=None,
) -> async_token | None:
    """Starts a copy from global memory into a buffer.

    The data is there after `async_load_wait_group` has waited for the group it was committed to.
    A bulk copy (sm_90) moves bytes as they lie in memory, belongs to no group, and is there once
    `barrier` has ended its phase.

    Args:
        src: Tensor of pointers. For a bulk copy one pointer, aligned to 16 bytes.
        result: A buffer (`local_view`) of the pointers' shape and element type. For a bulk copy any
            buffer that is no operand of `async_dot` or a descriptor.
        mask: Tensor of bools; elements without it are not read. Broadcast to the pointers' shape.
        other: What the buffer holds where the mask is false; zero by default.
        cache_modifier: "", ".ca" to keep the data in L1 too, or ".cg" not to.
        eviction_policy: "", "evict_first" or "evict_last".
        is_volatile: The memory may change while the kernel runs.
        bulk: Whether one bulk copy moves it.
        bulk_size: Bytes of a bulk copy, an int or scalar int32 tensor, a multiple of 16; the
            buffer's size by default.
        barrier: Barrier that is told of a bulk copy's bytes as they come.

    Raises:
        OpError: Shape or dtype differ from the buffer's, or the architecture has no bulk copies.
        ValueError: Arguments are of the other kind of copy.
    """
    if unwrap(bulk):
        if any(unwrap(value) is not None for value in (mask, other)) or unwrap(cache_modifier):
            raise ValueError("a bulk async_load takes no mask, other or cache_modifier")
        _bulk_load(src, result, bulk_size, barrier, unwrap(eviction_policy), _semantic)
        return None
    if unwrap(bulk_size) is not None or unwrap(barrier) is not None:
        raise ValueError("bulk_size and barrier are for a bulk async_load; add bulk=True")
    buffer = buffer_of(result, "async_load")
    mask, other = unwrap(mask), unwrap(other)
    if mask is not None:
        mask = _semantic.to_tensor(mask)
        src, mask = _semantic.broadcast_impl_value(src, mask)
    if other is not None:
        other = _semantic.cast(_semantic.to_tensor(other), src.dtype.element_ty)
        src, other = _semantic.broadcast_impl_value(src, other)
    handle = dsl.create_op(
        _semantic,
        "tlx_async_load",
        pointers=src,
        buffer=buffer,
        mask=mask,
        other=other,
        cache_modifier=unwrap(cache_modifier),
        eviction_policy=unwrap(eviction_policy),
        is_volatile=bool(unwrap(is_volatile)),
    )
    return async_token(handle, async_token_type(handle.get_type()))


@dsl.op("tlx", PIPELINE)
def async_load_commit_group(tokens=None, _semantic=None) -> async_token:
    """Makes all copies started since the last commit one group.

    Args:
        tokens: Tokens of these copies; they document which are meant.
    """
    handle = dsl.create_op(_semantic, "tlx_async_commit", tokens=tokens_of(tokens))
    return async_token(handle, async_token_type(handle.get_type()))


@dsl.op("tlx", PIPELINE)
def async_load_wait_group(pendings, tokens=None, _semantic=None) -> async_token:
    """Waits until at most `pendings` groups of copies are still running.

    Args:
        pendings: Number of groups, known at compile time.
        tokens: Tokens of the groups that are waited for; they document the order.

    Raises:
        OpError: `pendings` is negative.
        PassError: When the kernel is compiled, if fewer groups were committed than may be pending.
    """
    handle = dsl.create_op(
        _semantic,
        "tlx_async_wait",
        pendings=constant(pendings, "pendings"),
        tokens=tokens_of(tokens),
    )
    return async_token(handle, async_token_type(handle.get_type()))


@dsl.op("tlx", PIPELINE)
def async_store(dst_global_ptr, src_smem, size, _semantic=None) -> None:
    """Starts a copy of a buffer's first bytes to global memory (sm_90).

    The bytes go as they lie in memory. The copy has ended after an `async_descriptor_store_wait`
    that covers it, before which the buffer must not be written.

    Args:
        dst_global_ptr: One pointer, aligned to 16 bytes.
        src_smem: A buffer (`local_view`) that is no operand of `async_dot` or a descriptor.
        size: Number of bytes, an int or scalar int32 tensor, a multiple of 16.

    Raises:
        OpError: `size` is known and no multiple of 16, or more than the buffer has, or the
            architecture has no such copy.
    """
    needs_hopper("async_store", "cp.async.bulk", "use tl.store of tlx.local_load there", _semantic)
    size = _semantic.to_tensor(unwrap(size)).to(tl.int32, _semantic=_semantic)
    buffer = buffer_of(src_smem, "async_store")
    dsl.create_op(_semantic, "tlx_async_store", pointer=dst_global_ptr, buffer=buffer, size=size)


def _bulk_load(
    src: Any, result: Any, size: Any, barrier: Any, eviction_policy: str, semantic: Any
) -> None:
    needs_hopper(
        "a bulk async_load", "cp.async.bulk", "leave bulk= out and wait for its group", semantic
    )
    buffer = buffer_of(result, "async_load")
    if unwrap(size) is None:
        size = math.prod(unwrap(extent) for extent in buffer.shape)
        size = size * buffer.dtype.primitive_bitwidth // 8
    dsl.create_op(
        semantic,
        "tlx_async_bulk_load",
        pointer=src,
        buffer=buffer,
        size=semantic.to_tensor(unwrap(size)).to(tl.int32, _semantic=semantic),
        barrier=barrier_of(barrier, "a bulk async_load"),
        eviction_policy=eviction_policy,
    )
