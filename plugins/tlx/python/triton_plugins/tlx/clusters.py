"""Clusters: blocks that run at the same time and reach each other's shared memory.

A TLX kernel launched with `num_ctas=n` runs in clusters of n blocks. Each of them is a program of
its own: it has its own tensors and buffers, and `tl.program_id(0)` tells them apart. As everywhere
in Triton the grid counts clusters, so `grid=(g,)` starts `g * n` programs; programs `i * n` to
`i * n + n - 1` are one cluster, in the order of their ranks.

Before a kernel first reaches into another block it waits until all blocks of the cluster have made
their buffers and barriers, and before it ends until none may reach into it any more. It need not
say so.
"""

from __future__ import annotations

from triton_plugins import dsl

from .arguments import barrier_of, rank
from .pipeline import PIPELINE
from .remote import store_remote
from .types import buffered_tensor, mbarrier, remote_buffer


@dsl.op("tlx", PIPELINE)
def cluster_barrier(_semantic=None) -> None:
    """Waits until all blocks of the cluster have come here; each sees what the others wrote before.

    Raises:
        OpError: It stands in a task. All warps of the kernel take part.
    """
    dsl.create_op(_semantic, "tlx_cluster_barrier")


@dsl.op("tlx", PIPELINE)
def fence_mbarrier_init_cluster(_semantic=None) -> None:
    """Makes barriers that `alloc_barriers` made known to the cluster, before a `cluster_barrier`.

    The compiler does that by itself before the kernel first reaches into another block.
    """
    dsl.create_op(_semantic, "tlx_fence_mbarrier_init_cluster")


@dsl.op("tlx", PIPELINE)
def remote_view(local_allocated_buffer, remote_cta_rank, _semantic=None) -> remote_buffer:
    """Returns a view of what another block of the cluster has at the place of a barrier or buffer.

    Args:
        local_allocated_buffer: One barrier or one buffer of this block.
        remote_cta_rank: Rank of the other block in the cluster (`cluster_cta_rank`), also as a
            scalar tensor. It may be this block's own.

    Returns:
        The view: for `barrier_arrive`, or for `local_load` and `local_store`.

    Raises:
        TypeError: The first argument is no barrier and no buffer.
        PassError: When the kernel is compiled, if the rank is a constant that no block has.
    """
    if not isinstance(local_allocated_buffer, (mbarrier, buffered_tensor)):
        raise TypeError(
            "remote_view needs a barrier of tlx.alloc_barriers or a buffer of tlx.local_alloc, but "
            f"got {local_allocated_buffer!r}"
        )
    return remote_buffer(local_allocated_buffer, rank(remote_cta_rank, _semantic))


@dsl.op("tlx", PIPELINE)
def remote_shmem_store(dst, src, remote_cta_rank, _semantic=None) -> None:
    """Writes a tensor into a buffer of another block of the cluster.

    The other block sees it behind a `cluster_barrier`, or behind a wait for a barrier at which this
    block arrived afterwards (`barrier_arrive` with `remote_cta_rank`).

    Args:
        dst: One buffer of this block; the other block's at the same place is written.
        src: Tensor of the buffer's shape and dtype.
        remote_cta_rank: Rank of the other block, also as a scalar tensor.

    Raises:
        OpError: Shapes or dtypes differ.
    """
    store_remote(dst, src, remote_cta_rank, None, "remote_shmem_store", _semantic)


@dsl.op("tlx", PIPELINE)
def async_remote_shmem_store(dst, src, remote_cta_rank, barrier, _semantic=None) -> None:
    """Starts to write a tensor into a buffer of another block of the cluster.

    Args:
        dst: One buffer of this block; the other block's at the same place is written.
        src: Tensor of the buffer's shape and dtype.
        remote_cta_rank: Rank of the other block, also as a scalar tensor.
        barrier: One barrier of this block. The other block's at the same place is told of the bytes
            as they come, all of the tensor's size, and must have been told there to expect them
            (`barrier_expect_bytes`).

    Raises:
        OpError: Shapes or dtypes differ.
        PassError: When the kernel is compiled, if a thread would store less than 4 bytes at once.
    """
    barrier = barrier_of(barrier, "async_remote_shmem_store")
    store_remote(dst, src, remote_cta_rank, barrier, "async_remote_shmem_store", _semantic)
