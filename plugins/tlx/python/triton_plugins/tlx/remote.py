"""Accesses to buffers of other blocks of the cluster."""

from __future__ import annotations

from typing import Any

import triton.language as tl

from triton_plugins import dsl

from .arguments import buffer_of, rank, unwrap
from .types import mbarrier, remote_buffer


def store_remote(
    dst: Any,
    src: Any,
    remote_cta_rank: Any,
    barrier: mbarrier | None,
    function: str,
    semantic: Any,
) -> None:
    """Writes a tensor into the buffer that another block has at the place of `dst`.

    Args:
        dst: One buffer of this block.
        src: Tensor of the buffer's shape and dtype.
        remote_cta_rank: Rank of the other block.
        barrier: With it the stores run on and tell the other block's barrier.
        function: Name of the operation, for errors.
        semantic: Triton's semantic object.
    """
    dsl.create_op(
        semantic,
        "tlx_remote_store",
        value=semantic.to_tensor(unwrap(src)),
        buffer=buffer_of(dst, function),
        rank=rank(remote_cta_rank, semantic),
        barrier=barrier,
    )


def load_remote(src: remote_buffer, function: str, semantic: Any) -> tl.tensor:
    """Reads a buffer of another block.

    Args:
        src: View of the buffer.
        function: Name of the operation, for errors.
        semantic: Triton's semantic object.

    Returns:
        Tensor of the buffer's shape and dtype.
    """
    buffer = buffer_of(src.local, function)
    handle = dsl.create_op(semantic, "tlx_remote_load", buffer=buffer, rank=src.rank)
    return tl.tensor(handle, tl.block_type(buffer.dtype, [size.value for size in buffer.shape]))
