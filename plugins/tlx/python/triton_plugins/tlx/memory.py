"""Buffers in local memory: allocation, views, loads and stores."""

from __future__ import annotations

import triton.language as tl

from triton_plugins import dsl

from .arguments import buffer_of, constant, unwrap
from .pipeline import PIPELINE
from .types import buffered_tensor, buffered_tensor_type


@dsl.op("tlx", PIPELINE)
def local_alloc(shape, dtype, num, _semantic=None) -> buffered_tensor:
    """Allocates `num` buffers in local memory (shared memory on NVIDIA, LDS on AMD).

    Args:
        shape: Shape of one buffer in elements; every dimension a power of two, known at compile
            time.
        dtype: dtype of the elements, of 8 bits or more.
        num: Number of buffers, known at compile time.

    Raises:
        OpError: A size is not positive, no power of two, or the dtype cannot be stored.
    """
    sizes = [constant(size, "shape") for size in shape]
    count = constant(num, "num")
    dtype = unwrap(dtype)
    handle = dsl.create_op(_semantic, "tlx_local_alloc", num=count, shape=sizes, dtype=dtype)
    return buffered_tensor(handle, buffered_tensor_type(handle.get_type(), sizes, count, dtype))


@dsl.op("tlx", PIPELINE)
def local_view(local_allocated_buffers, buffer_idx, _semantic=None) -> buffered_tensor:
    """Returns the buffer with an index, which may be a run-time value.

    Args:
        local_allocated_buffers: Result of `local_alloc`.
        buffer_idx: int or scalar int32 tensor in `[0, num)`. A run-time index is not checked.

    Raises:
        OpError: A constant index is out of range, or the first argument is one buffer already.
    """
    buffers = buffer_of(local_allocated_buffers, "local_view")
    index = _semantic.to_tensor(unwrap(buffer_idx)).to(tl.int32, _semantic=_semantic)
    handle = dsl.create_op(_semantic, "tlx_local_view", buffer=buffers, index=index)
    sizes = [size.value for size in buffers.shape]
    return buffered_tensor(
        handle, buffered_tensor_type(handle.get_type(), sizes, None, buffers.dtype)
    )


@dsl.op("tlx", PIPELINE)
def local_load(src, token=None, _semantic=None) -> tl.tensor:
    """Reads one buffer into registers.

    Args:
        src: A buffer (`local_view`).
        token: Token of the wait that the load relies on; it documents the order.

    Returns:
        Tensor of the buffer's shape and dtype.
    """
    buffer = buffer_of(src, "local_load")
    handle = dsl.create_op(_semantic, "tlx_local_load", buffer=buffer, token=unwrap(token))
    sizes = [size.value for size in buffer.shape]
    return tl.tensor(handle, tl.block_type(buffer.dtype, sizes))


@dsl.op("tlx", PIPELINE)
def local_store(dst, src, _semantic=None) -> None:
    """Writes a tensor into one buffer.

    Args:
        dst: A buffer (`local_view`).
        src: Tensor of the buffer's shape and dtype.

    Raises:
        OpError: Shape or dtype differ.
    """
    dsl.create_op(_semantic, "tlx_local_store", buffer=buffer_of(dst, "local_store"), value=src)
