"""C = A @ B on Hopper, with TLX: asynchronous copies fill buffers, warp-group MMAs read them.

The kernel keeps NUM_STAGES buffers for tiles of A and of B. While the tensor cores work on one
buffer, copies into the others are under way; one MMA stays in flight from each step of the loop to
the next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import triton
import triton.language as tl

import triton_plugins.tlx as tlx

if TYPE_CHECKING:
    import torch


@triton.jit
def hopper_gemm(
    a_ptr, b_ptr, c_ptr, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    GROUP_M: tl.constexpr, NUM_STAGES: tl.constexpr,
):  # fmt: skip
    # Neighbouring programs compute tiles of GROUP_M rows of tiles, so that what they read is still
    # in the L2 cache.
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    pid = tl.program_id(0)
    tile_m, tile_n = tl.swizzle2d(pid // tiles_n, pid % tiles_n, tiles_m, tiles_n, GROUP_M)

    # Rows and columns past the edge wrap around: they are read for nothing, but need no mask in the
    # loop. 64-bit offsets, because a matrix may hold more than 2**31 elements.
    rows = ((tile_m * BM + tl.arange(0, BM)) % M).to(tl.int64)
    cols = ((tile_n * BN + tl.arange(0, BN)) % N).to(tl.int64)
    depth = tl.arange(0, BK)
    a_ptrs = a_ptr + rows[:, None] * stride_am + depth[None, :] * stride_ak
    b_ptrs = b_ptr + depth[:, None].to(tl.int64) * stride_bk + cols[None, :] * stride_bn

    a_bufs = tlx.local_alloc((BM, BK), tlx.dtype_of(a_ptr), NUM_STAGES)
    b_bufs = tlx.local_alloc((BK, BN), tlx.dtype_of(b_ptr), NUM_STAGES)

    for stage in tl.range(0, NUM_STAGES - 1, loop_unroll_factor=NUM_STAGES - 1):
        left = K - stage * BK
        a_tok = tlx.async_load(
            a_ptrs, tlx.local_view(a_bufs, stage), mask=depth[None, :] < left, other=0.0
        )
        b_tok = tlx.async_load(
            b_ptrs, tlx.local_view(b_bufs, stage), mask=depth[:, None] < left, other=0.0
        )
        tlx.async_load_commit_group([a_tok, b_tok])
        a_ptrs += BK * stride_ak
        b_ptrs += BK * stride_bk

    acc = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, tl.cdiv(K, BK), num_stages=0):
        # NUM_STAGES - 1 groups are under way; the oldest one holds this step's tiles.
        tlx.async_load_wait_group(NUM_STAGES - 2)
        current = k % NUM_STAGES
        acc = tlx.async_dot(tlx.local_view(a_bufs, current), tlx.local_view(b_bufs, current), acc)

        # The buffer to fill next is the one that the previous step's MMA reads: that MMA must be
        # over.
        acc = tlx.async_dot_wait(1, acc)
        ahead = k + NUM_STAGES - 1
        left = K - ahead * BK
        free = ahead % NUM_STAGES
        a_tok = tlx.async_load(
            a_ptrs, tlx.local_view(a_bufs, free), mask=depth[None, :] < left, other=0.0
        )
        b_tok = tlx.async_load(
            b_ptrs, tlx.local_view(b_bufs, free), mask=depth[:, None] < left, other=0.0
        )
        tlx.async_load_commit_group([a_tok, b_tok])
        a_ptrs += BK * stride_ak
        b_ptrs += BK * stride_bk
    acc = tlx.async_dot_wait(0, acc)
    # The last steps started copies from past the end of K. They read nothing but write zeros, and
    # the store of the result may use the same shared memory.
    tlx.async_load_wait_group(0)

    rows = tile_m * BM + tl.arange(0, BM)
    cols = tile_n * BN + tl.arange(0, BN)
    c_ptrs = c_ptr + rows[:, None].to(tl.int64) * stride_cm + cols[None, :] * stride_cn
    tl.store(c_ptrs, acc.to(tlx.dtype_of(c_ptr)), mask=(rows[:, None] < M) & (cols[None, :] < N))


CONSTANTS = {"BM": 128, "BN": 256, "BK": 64, "GROUP_M": 16, "NUM_STAGES": 3}
# For matrices that are not aligned: each element is loaded by itself, from an address of its own,
# and smaller tiles keep the addresses in registers.
UNALIGNED_CONSTANTS = CONSTANTS | {"BN": 128, "BK": 32}
OPTIONS = {"num_warps": 8}


def is_aligned(matrix: torch.Tensor) -> bool:
    """Whether loads of 16 bytes can read the matrix along its rows or along its columns."""
    inner, outer = (1, 0) if matrix.stride(1) == 1 else (0, 1)
    sizes = (matrix.shape[inner], matrix.stride(outer), matrix.data_ptr())
    return matrix.stride(inner) == 1 and all(size % 16 == 0 for size in sizes)


def matmul(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """Multiplies two float16 or two bfloat16 matrices of any size and strides on a Hopper GPU."""
    (m, k), (k_of_b, n) = a.shape, b.shape
    if k != k_of_b or a.dtype != b.dtype:
        raise ValueError(
            f"cannot multiply {a.dtype} {tuple(a.shape)} and {b.dtype} {tuple(b.shape)}"
        )
    c = a.new_empty((m, n)) if out is None else out
    constants = CONSTANTS if is_aligned(a) and is_aligned(b) else UNALIGNED_CONSTANTS
    grid = (triton.cdiv(m, constants["BM"]) * triton.cdiv(n, constants["BN"]),)
    hopper_gemm[grid](
        a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(), **constants, **OPTIONS
    )
    return c
