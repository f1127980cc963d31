"""Buffers in local memory: allocation, views, loads and stores."""

from __future__ import annotations

from typing import Any

import triton.language as tl

from triton_plugins import dsl

from .arguments import buffer_of, constants, positive, unwrap
from .pipeline import PIPELINE
from .register_layouts import layout_text, require_layout
from .remote import load_remote, store_remote
from .storage import check_storage, shared_storage, storage_kind
from .types import buffered_tensor, buffered_tensor_type, mbarrier, remote_buffer


@dsl.op("tlx", PIPELINE)
def local_alloc(
    shape, dtype, num, storage=storage_kind.smem, layout=None, reuse=None, _semantic=None
) -> buffered_tensor:
    """Allocates `num` buffers in local memory (shared memory on NVIDIA, LDS on AMD).

    Args:
        shape: Shape of one buffer in elements; every dimension a power of two, known at compile
            time.
        dtype: dtype of the elements, of 8 bits or more.
        num: Number of buffers, known at compile time.
        storage: `storage_kind.smem`.
        layout: How one buffer's elements lie in memory, for example a
            `swizzled_shared_layout_encoding`; chosen from the buffers' uses by default.
        reuse: Buffers of another `local_alloc`, or a `storage_alias_spec`, whose memory these
            buffers take. The kernel sees to it that it uses them one after the other.

    Raises:
        OpError: A size is not positive, no power of two, or the dtype cannot be stored.
        ValueError: The storage is one that this architecture lacks.
    """
    check_storage(storage, "local_alloc")
    reuse = unwrap(reuse)
    if reuse is not None and not isinstance(reuse, (buffered_tensor, shared_storage)):
        raise TypeError(
            "reuse= must be buffers of tlx.local_alloc or a tlx.storage_alias_spec, but is "
            f"{reuse!r}"
        )
    sizes = constants(shape, "shape")
    num = positive(num, "num")
    dtype = unwrap(dtype)
    handle = dsl.create_op(
        _semantic,
        "tlx_local_alloc",
        num=num,
        shape=sizes,
        dtype=dtype,
        reuse=reuse,
        layout=_layout_text(layout, sizes, dtype, _semantic),
    )
    return buffered_tensor(handle, buffered_tensor_type(handle.get_type(), sizes, num, dtype))


@dsl.op("tlx", PIPELINE)
def local_view(local_allocated_buffers, buffer_idx, _semantic=None) -> buffered_tensor:
    """Returns the buffer with an index, which may be a run-time value.

    Args:
        local_allocated_buffers: Result of `local_alloc` or `alloc_barriers`.
        buffer_idx: int or scalar int32 tensor in `[0, num)`. A run-time index is not checked.

    Raises:
        OpError: A constant index is out of range, or the first argument is one buffer already.
    """
    if isinstance(local_allocated_buffers, mbarrier):
        return local_allocated_buffers.__getitem__(buffer_idx, _semantic=_semantic)
    buffers = buffer_of(local_allocated_buffers, "local_view")
    return buffers.__getitem__(buffer_idx, _semantic=_semantic)


@dsl.op("tlx", PIPELINE)
def local_slice(buffer, offset, shape, _semantic=None) -> buffered_tensor:
    """Returns a rectangular part of one buffer.

    Args:
        buffer: A buffer (`local_view`).
        offset: First element of each dimension, a multiple of its size, known at compile time.
        shape: Size of each dimension in elements, a power of two, known at compile time.

    Raises:
        OpError: The part is not within the buffer, or not aligned to its size.
    """
    buffer = _one_buffer(buffer, "local_slice")
    sizes = constants(shape, "shape")
    handle = dsl.create_op(
        _semantic,
        "tlx_local_slice",
        buffer=buffer,
        offsets=constants(offset, "offset"),
        shape=sizes,
    )
    return buffered_tensor(
        handle, buffered_tensor_type(handle.get_type(), sizes, None, buffer.dtype)
    )


@dsl.op("tlx", PIPELINE)
def local_trans(input, dims=(1, 0), _semantic=None) -> buffered_tensor:
    """Returns one buffer with its dimensions in another order; no data moves.

    Args:
        input: A buffer (`local_view`).
        dims: Which dimension of the buffer each dimension of the result is.

    Raises:
        OpError: `dims` does not name each dimension once.
    """
    buffer = _one_buffer(input, "local_trans")
    order = constants(dims, "dims")
    handle = dsl.create_op(_semantic, "tlx_local_trans", buffer=buffer, order=order)
    sizes = [buffer.shape[dim].value for dim in order]
    return buffered_tensor(
        handle, buffered_tensor_type(handle.get_type(), sizes, None, buffer.dtype)
    )


@dsl.op("tlx", PIPELINE)
def local_reinterpret(
    src, dtype, shape=None, layout=None, pin=True, _semantic=None
) -> buffered_tensor:
    """Returns the bytes of buffers as elements of another dtype or shape; no data moves.

    With as many dimensions as before, rows stay rows. With another number, the elements are those
    of the memory in its order, which is not that of the rows where the hardware swizzles them.

    Args:
        src: Buffers, or a view of one.
        dtype: dtype of the elements.
        shape: Shape of one buffer in elements; that of `src` by default.
        layout: A layout of the result in memory; by default the source's where rows stay rows.
        pin: Accepted: a layout that is given holds.

    Raises:
        OpError: The result is larger than `src`.
    """
    buffer = buffer_of(src, "local_reinterpret")
    num = buffer.type.num
    sizes = constants(shape or buffer.shape, "shape")
    dtype = unwrap(dtype)
    handle = dsl.create_op(
        _semantic,
        "tlx_local_reinterpret",
        buffer=buffer,
        dtype=dtype,
        shape=sizes if num is None else [num, *sizes],
        layout=_layout_text(layout, sizes, dtype, _semantic),
    )
    return buffered_tensor(handle, buffered_tensor_type(handle.get_type(), sizes, num, dtype))


@dsl.op("tlx", PIPELINE)
def local_load(
    src,
    token=None,
    layout=None,
    relaxed=False,
    rematerialize_coordinates=False,
    rematerialize_coordinates_group=None,
    _semantic=None,
) -> tl.tensor:
    """Reads one buffer into registers.

    Args:
        src: A buffer (`local_view`), or a `remote_view` of another block's.
        token: Token of the wait that the load relies on; it documents the order.
        layout: Layout of the tensor in registers, see `require_layout`.
        relaxed: Accepted; waits are as the kernel writes them.
        rematerialize_coordinates: Accepted, as is `rematerialize_coordinates_group`; addresses are
            computed where they are used.
        rematerialize_coordinates_group: See above.

    Returns:
        Tensor of the buffer's shape and dtype.
    """
    if isinstance(src, remote_buffer):
        value = load_remote(src, "local_load", _semantic)
    else:
        buffer = buffer_of(src, "local_load")
        handle = dsl.create_op(_semantic, "tlx_local_load", buffer=buffer, token=unwrap(token))
        sizes = [size.value for size in buffer.shape]
        value = tl.tensor(handle, tl.block_type(buffer.dtype, sizes))
    return value if unwrap(layout) is None else require_layout(value, layout, _semantic=_semantic)


@dsl.op("tlx", PIPELINE)
def local_store(dst, src, _semantic=None) -> None:
    """Writes a tensor into one buffer.

    Args:
        dst: A buffer (`local_view`), or a `remote_view` of another block's.
        src: Tensor of the buffer's shape and dtype.

    Raises:
        OpError: Shape or dtype differ.
    """
    if isinstance(dst, remote_buffer):
        store_remote(dst.local, src, dst.rank, None, "local_store", _semantic)
        return
    dsl.create_op(_semantic, "tlx_local_store", buffer=buffer_of(dst, "local_store"), value=src)


def _one_buffer(value, function: str) -> buffered_tensor:
    buffer = buffer_of(value, function)
    if buffer.type.num is not None:
        raise TypeError(
            f"{function} needs one buffer, but got {buffer.type.num}; take one with "
            "tlx.local_view or buffers[i]"
        )
    return buffer


def _layout_text(layout: Any, sizes: list[int], dtype: tl.dtype, semantic: Any) -> str | None:
    return None if unwrap(layout) is None else layout_text(layout, sizes, dtype, semantic)
