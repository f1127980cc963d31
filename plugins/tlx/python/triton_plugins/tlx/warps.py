"""Barriers of chosen warps, and what a thread asks its GPU."""

from __future__ import annotations

from typing import Any

import triton.language as tl

from triton_plugins import dsl

from .arguments import check_nvidia, constant, needs_hopper, unwrap
from .barriers import alloc_barriers
from .pipeline import PIPELINE
from .types import mbarrier, mbarrier_type


@dsl.op("tlx", PIPELINE)
def named_barrier_wait(bar, arrive_count, _semantic=None) -> None:
    """Waits until `arrive_count` threads have come to a hardware barrier (PTX ISA, "bar.sync").

    Args:
        bar: Number of the barrier, 8 to 15; Triton uses the lower ones. Kernels of more than six
            tasks beside the default one have fewer.
        arrive_count: Threads that wait or arrive in all, a multiple of 32.
    """
    _named_barrier("named_barrier_wait", "bar.sync", bar, arrive_count, _semantic)


@dsl.op("tlx", PIPELINE)
def named_barrier_arrive(bar, arrive_count, _semantic=None) -> None:
    """Arrives at a hardware barrier without waiting (PTX ISA, "bar.arrive").

    Args:
        bar: Number of the barrier, 8 to 15; Triton uses the lower ones. Kernels of more than six
            tasks beside the default one have fewer.
        arrive_count: Threads that wait or arrive in all, a multiple of 32.
    """
    _named_barrier("named_barrier_arrive", "bar.arrive", bar, arrive_count, _semantic)


@dsl.op("tlx", PIPELINE)
def alloc_warp_barrier(num_barriers, num_warps=1, num_arrivals=1, _semantic=None) -> mbarrier:
    """Allocates barriers at which the warps of tasks arrive, each by itself.

    `barrier_arrive` then is cheaper than at a barrier of `alloc_barriers`, where the warps of a
    task wait for each other first.

    Args:
        num_barriers: Number of barriers, known at compile time.
        num_warps: Warps of each task that arrives, known at compile time.
        num_arrivals: Tasks whose arrivals end a phase, known at compile time.
    """
    warps = constant(num_warps, "num_warps")
    arrivals = warps * constant(num_arrivals, "num_arrivals")
    bars = alloc_barriers(num_barriers, arrivals, _semantic=_semantic)
    return mbarrier(bars.handle, mbarrier_type(bars.type.ir_type, bars.type.num, warps))


@dsl.op("tlx", PIPELINE)
def thread_id(axis, _semantic=None) -> tl.tensor:
    """Returns the number of the thread in its block along an axis (0, 1 or 2), as int32."""
    axis = constant(axis, "axis")
    if axis not in (0, 1, 2):
        raise ValueError(f"argument 'axis' must be 0, 1 or 2, but is {axis}")
    return _read("thread_id", f"mov.u32 $0, %tid.{'xyz'[axis]};", "=r", tl.int32, _semantic)


@dsl.op("tlx", PIPELINE)
def clock64(_semantic=None) -> tl.tensor:
    """Returns the multiprocessor's cycle counter as int64."""
    return _read("clock64", "mov.u64 $0, %clock64;", "=l", tl.int64, _semantic)


@dsl.op("tlx", PIPELINE)
def cluster_cta_rank(_semantic=None) -> tl.tensor:
    """Returns the rank of the block in its cluster as int32; 0 without clusters."""
    _needs_clusters("cluster_cta_rank", _semantic)
    return _read("cluster_cta_rank", "mov.u32 $0, %cluster_ctarank;", "=r", tl.int32, _semantic)


@dsl.op("tlx", PIPELINE)
def cluster_size_1d(_semantic=None) -> tl.tensor:
    """Returns the number of blocks in the cluster as int32; 1 without clusters."""
    _needs_clusters("cluster_size_1d", _semantic)
    return _read("cluster_size_1d", "mov.u32 $0, %cluster_nctarank;", "=r", tl.int32, _semantic)


@dsl.op("tlx", PIPELINE)
def vote_ballot_sync(mask, pred, _semantic=None) -> tl.tensor:
    """Returns which threads of the warp have a true predicate, as the bits of an int32.

    Args:
        mask: The threads that vote, one bit for each, known at compile time.
        pred: Scalar or tensor, true where it is not 0.

    Returns:
        Scalar, or tensor of the predicate's shape, of int32.
    """
    votes = _semantic.not_equal(_semantic.to_tensor(unwrap(pred)), 0)
    voters = constant(mask, "mask") & 0xFFFFFFFF
    return _assemble(
        "vote_ballot_sync",
        f"{{ .reg .pred p; setp.ne.b32 p, $1, 0; vote.sync.ballot.b32 $0, p, {voters:#x}; }}",
        "=r,r",
        [votes.to(tl.int32, _semantic=_semantic)],
        tl.int32,
        _semantic,
    )


@dsl.op("tlx", PIPELINE)
def vote_any(pred, _semantic=None) -> tl.tensor:
    """Returns whether a predicate holds for an element that the thread's warp has.

    The warps of a task get answers of their own, without waiting for each other, so an `if` by the
    answer may be taken by some and not by others. What is in it must need no other warp: elements,
    reductions along rows that a warp has as a whole. Anything else is an error.

    Args:
        pred: Tensor of bools.

    Returns:
        Scalar bool, the same in all threads of a warp.
    """
    check_nvidia("vote_any", _semantic)
    pred = unwrap(pred)
    if not isinstance(pred, tl.tensor) or not pred.type.is_block() or pred.dtype != tl.int1:
        raise ValueError(f"vote_any asks about tensors of bools, but got {pred!r}")
    return tl.tensor(dsl.create_op(_semantic, "tlx_vote_any", predicate=pred), tl.int1)


@dsl.op("tlx", PIPELINE)
def warp_redux(x, op, _semantic=None) -> tl.tensor:
    """Reduces each element of a tensor over the threads of its warp, which all get the result.

    A NaN is left out unless all are (as "redux.sync" of floats does, which sm_100a has; here the
    order of floats is made one of integers, PTX ISA, "redux.sync").

    Args:
        x: float32 tensor.
        op: "max", "min", "abs_max" or "abs_min"; the latter of magnitudes.

    Returns:
        Tensor of x's shape and dtype.

    Raises:
        ValueError: The op or the dtype is another.
    """
    op = unwrap(op)
    if op not in _KEYS:
        raise ValueError(f"argument 'op' must be one of {', '.join(_KEYS)}, but is {op!r}")
    if not isinstance(x, tl.tensor) or x.dtype != tl.float32:
        raise ValueError(f"warp_redux reduces float32 tensors, but got {x!r}")
    to_key, from_key = _KEYS[op]
    reduced = _assemble(
        "warp_redux",
        "{ .reg .b32 k, s; .reg .pred n; setp.nan.f32 n, $1, $1; "
        f"{to_key} redux.sync.{op[-3:]}.s32 k, k, 0xffffffff; {from_key} mov.b32 $0, k; }}",
        "=r,r",
        [x.to(tl.int32, bitcast=True, _semantic=_semantic)],
        tl.int32,
        _semantic,
    )
    return reduced.to(tl.float32, bitcast=True, _semantic=_semantic)


# Turns the bits of negative floats around, so that they are in the order of integers, and back.
_FLIP = "shr.s32 s, {0}, 31; and.b32 s, s, 0x7fffffff; xor.b32 k, {0}, s; "
_MAGNITUDE = "and.b32 k, $1, 0x7fffffff; "
# From a float to an integer of its place in the order, where NaNs come last, and back.
_KEYS = {
    "max": (_FLIP.format("$1") + "@n mov.b32 k, 0x80000000;", _FLIP.format("k")),
    "min": (_FLIP.format("$1") + "@n mov.b32 k, 0x7fffffff;", _FLIP.format("k")),
    "abs_max": (_MAGNITUDE + "@n mov.b32 k, 0xffffffff;", ""),
    "abs_min": (_MAGNITUDE, ""),
}


def _named_barrier(name: str, instruction: str, bar: Any, threads: Any, semantic: Any) -> None:
    bar, threads = unwrap(bar), unwrap(threads)
    if isinstance(bar, int) and not 8 <= bar <= 15:
        raise ValueError(f"argument 'bar' must be 8 to 15, since Triton uses 0 to 7, but is {bar}")
    if isinstance(threads, int) and (threads < 32 or threads % 32):
        raise ValueError(
            f"argument 'arrive_count' must be a positive multiple of 32, but is {threads}"
        )
    arguments = [semantic.to_tensor(bar), semantic.to_tensor(threads)]
    text = f"{instruction} $1, $2; mov.u32 $0, 0;"
    _assemble(name, text, "=r,r,r", arguments, tl.int32, semantic)


def _needs_clusters(name: str, semantic: Any) -> None:
    needs_hopper(name, "clusters of blocks", "each block is alone there", semantic)


def _read(name: str, text: str, constraints: str, dtype: tl.dtype, semantic: Any) -> tl.tensor:
    return _assemble(name, text, constraints, [], dtype, semantic)


def _assemble(
    name: str,
    text: str,
    constraints: str,
    arguments: list[tl.tensor],
    dtype: tl.dtype,
    semantic: Any,
) -> tl.tensor:
    """PTX that is run where it stands, once a thread."""
    check_nvidia(name, semantic)
    return tl.inline_asm_elementwise(
        text, constraints, arguments, dtype, is_pure=False, pack=1, _semantic=semantic
    )
