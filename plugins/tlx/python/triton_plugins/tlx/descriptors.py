"""Copies of blocks through tensor descriptors (TMA)."""

from __future__ import annotations

from typing import Any

import triton.language as tl
from triton._C.libtriton import ir

from triton_plugins import dsl

from .arguments import barrier_of, buffer_of, constant, needs_hopper, predicate, rank, unwrap
from .pipeline import PIPELINE


@dsl.op("tlx", PIPELINE)
def async_descriptor_load(
    desc,
    result,
    offsets,
    barrier,
    pred=None,
    cache_modifier="",
    eviction_policy="",
    multicast_targets=(),
    _semantic=None,
) -> None:
    """Starts a copy of one block of a tensor into a buffer.

    The data is there once `barrier` has ended its phase; what lies outside of the tensor is zero.

    Args:
        desc: Tensor descriptor whose block shape is the buffer's shape.
        result: A buffer.
        offsets: Where the block starts, in elements; one for each dimension of the descriptor, the
            last one at a multiple of 16 bytes.
        barrier: Barrier that is told of the bytes as they come, all of the buffer's size.
        pred: Scalar bool; copies only where it is true.
        cache_modifier: "" only, since TMA knows no other.
        eviction_policy: "", "evict_first" or "evict_last".
        multicast_targets: Ranks of the blocks of the cluster that get the copy, ints or scalar
            tensors, each at the place that `result` has in this block; this block only if none.
            Each block's barrier at the place of `barrier` is told of the bytes it gets, so each
            must have been told to expect them.

    Raises:
        OpError: Shapes or dtypes differ.
        PassError: When the kernel is compiled, if it has no clusters (`num_ctas`) to copy to.
    """
    if unwrap(cache_modifier):
        raise ValueError(f"TMA has no cache modifiers, but cache_modifier is {cache_modifier!r}")
    _needs_tma("async_descriptor_load", _semantic)
    dsl.create_op(
        _semantic,
        "tlx_async_descriptor_load",
        descriptor=_handle(desc, "async_descriptor_load"),
        offsets=_offsets(offsets, _semantic),
        buffer=buffer_of(result, "async_descriptor_load"),
        barrier=barrier_of(barrier, "async_descriptor_load"),
        pred=predicate(pred, _semantic),
        targets=[rank(target, _semantic) for target in multicast_targets] or None,
        eviction_policy=unwrap(eviction_policy),
    )


@dsl.op("tlx", PIPELINE)
def async_descriptor_store(
    desc, source, offsets, eviction_policy="", store_reduce="", _semantic=None
) -> None:
    """Starts a copy of a buffer into one block of a tensor.

    After writing the buffer from registers, `fence_async_shared` must come before this; before
    writing it again, `async_descriptor_store_wait`.

    Args:
        desc: Tensor descriptor whose block shape is the buffer's shape.
        source: A buffer.
        offsets: Where the block starts, in elements; one for each dimension of the descriptor, the
            last one at a multiple of 16 bytes.
        eviction_policy: "", "evict_first" or "evict_last".
        store_reduce: "", or "add", "min", "max", "and", "or", "xor" to combine the buffer's
            elements atomically with those in memory.

    Raises:
        OpError: Shapes or dtypes differ, or the dtype cannot be reduced so.
    """
    _needs_tma("async_descriptor_store", _semantic)
    dsl.create_op(
        _semantic,
        "tlx_async_descriptor_store",
        descriptor=_handle(desc, "async_descriptor_store"),
        offsets=_offsets(offsets, _semantic),
        buffer=buffer_of(source, "async_descriptor_store"),
        eviction_policy=unwrap(eviction_policy),
        store_reduce=unwrap(store_reduce),
    )


@dsl.op("tlx", PIPELINE)
def async_descriptor_prefetch_tensor(
    desc, offsets, pred=None, eviction_policy="", _semantic=None
) -> None:
    """Starts to bring one block of a tensor into the L2 cache; nobody waits for it.

    Args:
        desc: Tensor descriptor.
        offsets: Where the block starts, in elements; one for each dimension of the descriptor, the
            last one at a multiple of 16 bytes.
        pred: Scalar bool; does it only where it is true.
        eviction_policy: "", "evict_first" or "evict_last".

    Raises:
        OpError: The architecture has no TMA.
    """
    _needs_tma("async_descriptor_prefetch_tensor", _semantic)
    dsl.create_op(
        _semantic,
        "tlx_async_descriptor_prefetch",
        descriptor=_handle(desc, "async_descriptor_prefetch_tensor"),
        offsets=_offsets(offsets, _semantic),
        pred=predicate(pred, _semantic),
        eviction_policy=unwrap(eviction_policy),
    )


@dsl.op("tlx", PIPELINE)
def async_descriptor_store_wait(pendings, read_only=True, _semantic=None) -> None:
    """Waits until at most `pendings` stores of this task are still running.

    Args:
        pendings: Number of stores, known at compile time.
        read_only: Waits only until the stores have read their buffers, not until others see what
            they wrote.
    """
    dsl.create_op(
        _semantic,
        "tlx_async_descriptor_store_wait",
        pendings=constant(pendings, "pendings"),
        read_only=bool(unwrap(read_only)),
    )


def _needs_tma(function: str, semantic: Any) -> None:
    needs_hopper(function, "TMA", "use the descriptor's load and store there", semantic)


def _handle(desc: Any, function: str) -> ir.value:
    if isinstance(desc, tl.core.tensor_descriptor_base):
        return desc.handle
    raise TypeError(f"{function} needs a tensor descriptor, but got {desc!r}")


def _offsets(offsets: Any, semantic: Any) -> list[tl.tensor]:
    return [
        semantic.to_tensor(unwrap(offset)).to(tl.int32, _semantic=semantic) for offset in offsets
    ]
