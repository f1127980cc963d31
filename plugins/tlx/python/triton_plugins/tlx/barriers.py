"""Barriers in shared memory (mbarriers), which order tasks and asynchronous copies."""

from __future__ import annotations

import triton.language as tl

from triton_plugins import dsl

from .arguments import (
    barrier_of,
    check_nvidia,
    constant,
    positive,
    predicate,
    rank,
    unwrap,
)
from .pipeline import PIPELINE
from .types import mbarrier, mbarrier_type, remote_buffer


@dsl.op("tlx", PIPELINE)
def alloc_barriers(num_barriers, arrive_count=1, _semantic=None) -> mbarrier:
    """Allocates barriers that are ready for use.

    A barrier's phase ends once `arrive_count` arrivals have come and all bytes that
    `barrier_expect_bytes` announced have been copied. Phases are counted modulo 2.

    Args:
        num_barriers: Number of barriers, known at compile time.
        arrive_count: Arrivals that end a phase, known at compile time. `barrier_arrive` and
            `barrier_expect_bytes` are one each, whatever the number of threads.

    Returns:
        The barriers; `barriers[i]` is one of them.
    """
    num = positive(num_barriers, "num_barriers")
    handle = dsl.create_op(
        _semantic,
        "tlx_alloc_barriers",
        num=num,
        arrive_count=positive(arrive_count, "arrive_count"),
    )
    return mbarrier(handle, mbarrier_type(handle.get_type(), num))


@dsl.op("tlx", PIPELINE)
def barrier_wait(bar, phase, pred=None, _semantic=None) -> None:
    """Waits until the barrier has ended the phase of a parity.

    Args:
        bar: One barrier.
        phase: 0 or 1, also as a scalar tensor. A new barrier is in phase 0; waiting for phase 1
            returns at once.
        pred: Scalar bool; waits only where it is true.

    Raises:
        ValueError: The phase is known at compile time, and neither 0 nor 1.
    """
    phase = unwrap(phase)
    if isinstance(phase, int) and phase not in (0, 1):
        raise ValueError(f"argument 'phase' must be 0 or 1, the parity of a phase, but is {phase}")
    phase = _semantic.to_tensor(phase).to(tl.int32, _semantic=_semantic)
    dsl.create_op(
        _semantic,
        "tlx_barrier_wait",
        barrier=barrier_of(bar, "barrier_wait"),
        phase=phase,
        pred=predicate(pred, _semantic),
    )


@dsl.op("tlx", PIPELINE)
def barrier_arrive(
    bar, arrive_count=1, remote_cta_rank=None, relaxed=False, _semantic=None
) -> None:
    """Arrives at a barrier, once all threads of the task have come here.

    Where the barrier is one of `alloc_warp_barrier`, each warp arrives once its own threads have
    come here: no warp waits for another.

    Args:
        bar: One barrier, or a `remote_view` of one.
        arrive_count: How many arrivals to make, known at compile time; for each warp that many
            where warps arrive by themselves.
        remote_cta_rank: Rank of the block of the cluster that has the barrier, at the place of
            `bar`; this block if None.
        relaxed: At a barrier of another block: do not make sure that whoever waits there sees what
            this task wrote. Enough to hand back a buffer that was only read, and faster.

    Raises:
        ValueError: `relaxed` is given for a barrier of this block.
        PassError: When the kernel is compiled, if the rank is a constant that no block has.
    """
    if isinstance(bar, remote_buffer):
        bar, remote_cta_rank = bar.local, bar.rank
    barrier = barrier_of(bar, "barrier_arrive")
    count = constant(arrive_count, "arrive_count")
    relaxed = bool(unwrap(relaxed))
    warps = barrier.type.warps
    if unwrap(remote_cta_rank) is None:
        if relaxed:
            raise ValueError("barrier_arrive can be relaxed at barriers of other blocks only")
        dsl.create_op(_semantic, "tlx_barrier_arrive", barrier=barrier, count=count, warps=warps)
        return
    dsl.create_op(
        _semantic,
        "tlx_remote_arrive",
        barrier=barrier,
        rank=rank(remote_cta_rank, _semantic),
        count=count,
        warps=warps,
        relaxed=relaxed,
    )


@dsl.op("tlx", PIPELINE)
def barrier_expect_bytes(bar, size, pred=None, _semantic=None) -> None:
    """Arrives at a barrier and announces bytes that copies will bring in this phase.

    Args:
        bar: One barrier.
        size: Bytes of all copies of the phase together, known at compile time.
        pred: Scalar bool; does it only where it is true.
    """
    dsl.create_op(
        _semantic,
        "tlx_barrier_expect",
        barrier=barrier_of(bar, "barrier_expect_bytes"),
        bytes=constant(size, "size"),
        pred=predicate(pred, _semantic),
    )


@dsl.op("tlx", PIPELINE)
def fence_async_shared(_semantic=None) -> None:
    """Makes what the task's threads wrote to shared memory visible to asynchronous copies and
    matrix products."""
    dsl.create_op(_semantic, "tlx_fence_async_shared")


@dsl.op("tlx", PIPELINE)
def fence(scope, _semantic=None) -> None:
    """Orders the task's memory accesses before it with those behind it.

    Args:
        scope: "async_shared": what was written to shared memory is visible to asynchronous copies
            and matrix products (PTX ISA, "fence.proxy.async"). "gpu" or "sys": what was written is
            visible to threads of the GPU or of the system (PTX ISA, "fence.acq_rel").

    Raises:
        OpError: The GPU has no such fence.
        ValueError: The scope is none of these.
    """
    scope = unwrap(scope)
    if scope == "async_shared":
        dsl.create_op(_semantic, "tlx_fence_async_shared")
    elif scope in ("gpu", "sys"):
        check_nvidia(f"fence({scope!r})", _semantic)
        tl.inline_asm_elementwise(
            f"fence.acq_rel.{scope}; mov.u32 $0, 0;",
            "=r",
            [],
            dtype=tl.int32,
            is_pure=False,
            pack=1,
            _semantic=_semantic,
        )
    else:
        raise ValueError(f"fence takes 'async_shared', 'gpu' or 'sys', not {scope!r}")
