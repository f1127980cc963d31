"""Descriptors that a kernel makes itself."""

from __future__ import annotations

from typing import Any

import triton.language as tl
from triton._C.libtriton import ir

from triton_plugins import dsl

from .arguments import constant, needs_hopper, unwrap
from .pipeline import PIPELINE
from .types import tensor_descriptor_ptr, tensor_descriptor_ptr_type

_INSTEAD = "pass desc_ptr=None to make_tensor_descriptor and use what it returns"


@dsl.op("tlx", PIPELINE)
def allocate_tensor_descriptor(num, _semantic=None) -> tensor_descriptor_ptr:
    """Allocates slots in global memory for descriptors, which each program has of its own.

    Launches of the kernel take the memory from the allocator of `triton.set_allocator`.

    Args:
        num: Number of slots, known at compile time.

    Returns:
        The slots; `slots[i]` is one of them.

    Raises:
        OpError: The architecture has no TMA.
    """
    num = constant(num, "num")
    needs_hopper("allocate_tensor_descriptor", "TMA", _INSTEAD, _semantic)
    handle = dsl.create_op(_semantic, "tlx_alloc_descriptors", num=num)
    return tensor_descriptor_ptr(handle, tensor_descriptor_ptr_type(handle.get_type(), num))


@dsl.op("tlx", PIPELINE)
def make_tensor_descriptor(
    desc_ptr, base, shape, strides, block_shape, padding_option="zero", _semantic=None
) -> tl.tensor_descriptor:
    """Makes a descriptor of a tensor in global memory.

    Without a slot it is as `tl.make_tensor_descriptor` makes it. A descriptor in a slot may be used
    by other tasks, and several may be used at a time. The slot's last descriptor must not be in use
    any more: the barrier of a load, or `async_descriptor_store_wait` with `read_only=False`, tells.

    Args:
        desc_ptr: A slot of `allocate_tensor_descriptor`, or None.
        base: Pointer to the tensor, aligned to 16 bytes.
        shape: Sizes of the tensor, as int32.
        strides: Elements from one to the next along each dimension, as int64; the last one is 1,
            the others are multiples of 16 bytes.
        block_shape: Sizes of the blocks that are copied, known at compile time.
        padding_option: What elements outside of the tensor are read as: "zero" or "nan".

    Returns:
        The descriptor, which the threads that made it may use at once.

    Raises:
        TypeError: `desc_ptr` is no slot.
        ValueError: There are no such descriptors.
    """
    made = tl.make_tensor_descriptor(
        base, shape, strides, block_shape, unwrap(padding_option), _semantic=_semantic
    )
    if unwrap(desc_ptr) is None:
        return made
    slot = _slot(desc_ptr, "make_tensor_descriptor")
    handle = dsl.create_op(_semantic, "tlx_make_descriptor", slot=slot, descriptor=made.handle)
    return tl.tensor_descriptor(handle, made.shape, made.strides, made.block_type)


@dsl.op("tlx", PIPELINE)
def reinterpret_tensor_descriptor(
    desc_ptr, block_shape, dtype, _semantic=None
) -> tl.core.tensor_descriptor_base:
    """Returns the descriptor that was made in a slot.

    Args:
        desc_ptr: The slot.
        block_shape: The descriptor's block_shape.
        dtype: The dtype that its base points to.

    Raises:
        TypeError: `desc_ptr` is no slot.
        PassError: When the kernel is compiled, if no descriptor of these blocks is made in the
            slots.
    """
    slot = _slot(desc_ptr, "reinterpret_tensor_descriptor")
    sizes = [unwrap(size) for size in block_shape]
    block_type = tl.block_type(unwrap(dtype), sizes)
    types: list[ir.type] = []
    tl.core.tensor_descriptor_base_type(block_type)._flatten_ir_types(_semantic.builder, types)
    handle = dsl.create_op(_semantic, "tlx_reinterpret_descriptor", slot=slot, type=types[0])
    return tl.core.tensor_descriptor_base(handle, block_type)


def _slot(value: Any, function: str) -> tensor_descriptor_ptr:
    if isinstance(value, tensor_descriptor_ptr):
        return value
    raise TypeError(
        f"{function} needs a slot of tlx.allocate_tensor_descriptor as desc_ptr, but got {value!r}"
    )
