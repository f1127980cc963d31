"""Kernels of threads and warps that the tests compile."""

import triton
import triton.language as tl

import triton_plugins.tlx as tlx


@triton.jit
def votes(src, dst, BLOCK: tl.constexpr):
    """A ballot of each warp."""
    offsets = tl.arange(0, BLOCK)
    tl.store(dst + offsets, tlx.vote_ballot_sync(0xFFFFFFFF, tl.load(src + offsets) > 0))
