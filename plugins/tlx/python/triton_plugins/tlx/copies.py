"""Asynchronous copies between global and local memory."""

from __future__ import annotations

import triton.language as tl

from triton_plugins import dsl

from .arguments import buffer_of, constant, tokens_of, unwrap
from .pipeline import PIPELINE
from .types import async_token, async_token_type


@dsl.op("tlx", PIPELINE)
def async_load(
    src, result, mask=None, other=None, is_volatile=False, _semantic=None
) -> async_token:
    """Starts a copy from global memory into a buffer.

    The data is there after `async_load_wait_group` has waited for the group it was committed to.

    Args:
        src: Tensor of pointers.
        result: A buffer (`local_view`) of the pointers' shape and element type.
        mask: Tensor of bools; elements without it are not read. Broadcast to the pointers' shape.
        other: What the buffer holds where the mask is false; zero by default.
        is_volatile: The memory may change while the kernel runs.

    Raises:
        OpError: Shape or dtype differ from the buffer's.
    """
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
        is_volatile=bool(unwrap(is_volatile)),
    )
    return async_token(handle, async_token_type(handle.get_type()))


@dsl.op("tlx", PIPELINE)
def async_load_commit_group(tokens=(), _semantic=None) -> async_token:
    """Makes all copies started since the last commit one group.

    Args:
        tokens: Tokens of these copies; they document which are meant.
    """
    handle = dsl.create_op(_semantic, "tlx_async_commit", tokens=tokens_of(tokens))
    return async_token(handle, async_token_type(handle.get_type()))


@dsl.op("tlx", PIPELINE)
def async_load_wait_group(pendings, tokens=(), _semantic=None) -> async_token:
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
        OpError: `size` is known and no multiple of 16, or more than the buffer has.
        ValueError: The architecture has no such copy.
    """
    target = _semantic.builder.options
    if target.backend_name != "cuda" or int(target.arch[2:]) < 90:
        raise ValueError(
            f"async_store needs cp.async.bulk, which sm_90 has and {target.arch} has not; use "
            "tl.store of tlx.local_load there"
        )
    size = _semantic.to_tensor(unwrap(size)).to(tl.int32, _semantic=_semantic)
    buffer = buffer_of(src_smem, "async_store")
    dsl.create_op(_semantic, "tlx_async_store", pointer=dst_global_ptr, buffer=buffer, size=size)
