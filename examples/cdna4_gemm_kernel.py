"""C = A @ B on CDNA4 (gfx950), with TLX: loads go directly to LDS, two groups of waves alternate.

While one half of a block's waves multiplies, the other half does everything else: it reads
operands from LDS and starts the loads of a tile, NUM_BUFFERS - 1 steps before its use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import triton
import triton.language as tl

import triton_plugins.tlx as tlx
from examples import amd_gemm_kernel
from examples.amd_gemm_kernel import check_reach, is_aligned, tile_of_program

if TYPE_CHECKING:
    import torch


@triton.jit
def cdna4_gemm(
    a_ptr, b_ptr, c_ptr, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cs, stride_cm, stride_cn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    GROUP_M: tl.constexpr, NUM_BUFFERS: tl.constexpr, SPLIT_K: tl.constexpr, XCDS: tl.constexpr,
):  # fmt: skip
    AHEAD: tl.constexpr = NUM_BUFFERS - 1
    tl.static_assert(AHEAD >= 2, "the tiles of the next step would be waited for at once")
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    tile_m, tile_n = tile_of_program(tl.program_id(0), tiles_m, tiles_n, GROUP_M, XCDS)

    # Each split of K takes as many whole steps as another, but for the last ones.
    steps = tl.cdiv(tl.cdiv(K, BK), SPLIT_K)
    start = tl.program_id(1) * steps * BK
    K = tl.minimum(K - start, steps * BK)
    steps = tl.cdiv(K, BK)

    # A 64-bit scalar base and 32-bit offsets inside the tile: the base lives in scalar registers.
    rows, cols, depth = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    a_ptr += (tile_m * BM).to(tl.int64) * stride_am + start.to(tl.int64) * stride_ak
    b_ptr += (tile_n * BN).to(tl.int64) * stride_bn + start.to(tl.int64) * stride_bk
    c_ptr += (tile_m * BM).to(tl.int64) * stride_cm + (tile_n * BN).to(tl.int64) * stride_cn
    c_ptr += tl.program_id(1).to(tl.int64) * stride_cs
    a_offsets = rows[:, None] * stride_am + depth[None, :] * stride_ak
    b_offsets = depth[:, None] * stride_bk + cols[None, :] * stride_bn
    row_mask = rows[:, None] < M - tile_m * BM
    col_mask = cols[None, :] < N - tile_n * BN

    a_bufs = tlx.local_alloc((BM, BK), tlx.dtype_of(a_ptr), NUM_BUFFERS)
    b_bufs = tlx.local_alloc((BK, BN), tlx.dtype_of(b_ptr), NUM_BUFFERS)

    for step in tl.static_range(AHEAD):
        left = K - step * BK
        a_mask = row_mask & (depth[None, :] < left)
        b_mask = col_mask & (depth[:, None] < left)
        tlx.buffer_load_to_local(tlx.local_view(a_bufs, step), a_ptr, a_offsets, mask=a_mask)
        tlx.buffer_load_to_local(tlx.local_view(b_bufs, step), b_ptr, b_offsets, mask=b_mask)
        tlx.async_load_commit_group()
        a_ptr += BK * stride_ak
        b_ptr += BK * stride_bk
    tlx.async_load_wait_group(AHEAD - 1)

    acc = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, steps, num_stages=0):
        with tlx.warp_pipeline_stage("read", priority=0):
            a = tlx.local_load(tlx.local_view(a_bufs, k % NUM_BUFFERS))
            b = tlx.local_load(tlx.local_view(b_bufs, k % NUM_BUFFERS))
            # Both groups have read what was in this buffer, in step k - 1.
            ahead = (k + AHEAD) % NUM_BUFFERS
            left = K - (k + AHEAD) * BK
            a_mask = row_mask & (depth[None, :] < left)
            b_mask = col_mask & (depth[:, None] < left)
            tlx.buffer_load_to_local(tlx.local_view(a_bufs, ahead), a_ptr, a_offsets, mask=a_mask)
            tlx.buffer_load_to_local(tlx.local_view(b_bufs, ahead), b_ptr, b_offsets, mask=b_mask)
            tlx.async_load_commit_group()
            a_ptr += BK * stride_ak
            b_ptr += BK * stride_bk

        # The other group reads the tiles of step k + 1 behind the barrier that follows.
        tlx.async_load_wait_group(AHEAD - 1)
        # A product comes first whenever the matrix cores are free, which leaves the other group's
        # instructions most of the turns.
        with tlx.warp_pipeline_stage("multiply", priority=1):
            acc = tl.dot(a, b, acc)

    tl.store(
        c_ptr + rows[:, None] * stride_cm + cols[None, :] * stride_cn,
        acc.to(tlx.dtype_of(c_ptr)),
        mask=row_mask & col_mask,
    )


# Waves alternate in pairs on each of a compute unit's four SIMDs: eight of them.
OPTIONS = {"num_warps": 8, "matrix_instr_nonkdim": 16}
_COMMON = {"GROUP_M": 8, "NUM_BUFFERS": 4, "SPLIT_K": 1, "XCDS": 8}
CONSTANTS = {"BM": 256, "BN": 256, "BK": 32} | _COMMON
SMALL_CONSTANTS = {"BM": 128, "BN": 128, "BK": 64} | _COMMON
SHORT_CONSTANTS = {"BM": 64, "BN": 128, "BK": 64} | _COMMON


def choose(m: int, n: int, k: int, compute_units: int) -> dict[str, int]:
    """The tiles for a product, and into how many parts K is split.

    The largest tiles that give every compute unit one, since they need the least of LDS and caches.
    Where even the smallest are too few, several programs share the K of one tile.
    """

    def tiles(constants: dict[str, int]) -> int:
        return triton.cdiv(m, constants["BM"]) * triton.cdiv(n, constants["BN"])

    smallest = SHORT_CONSTANTS if m <= 64 else SMALL_CONSTANTS
    constants = CONSTANTS if tiles(CONSTANTS) >= compute_units else smallest
    steps = triton.cdiv(k, constants["BK"])
    # A part of fewer steps would only fill the pipeline and drain it.
    split = min(compute_units // tiles(constants), steps // 16, 16)
    return constants | {"SPLIT_K": max(split, 1)}


def matmul(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """Multiplies two float16 or two bfloat16 matrices of any size and strides on a CDNA4 GPU.

    Args:
        a: Matrix of shape (M, K).
        b: Matrix of shape (K, N).
        out: Where the product goes, of shape (M, N); a new matrix by default.

    Raises:
        ValueError: Shapes or dtypes don't fit.
    """
    import torch  # Only whoever multiplies tensors needs it.

    # Direct loads of 16 bytes need aligned rows; the other kernel loads elements one by one.
    if not (is_aligned(a) and is_aligned(b)):
        return amd_gemm_kernel.matmul(a, b, out)
    (m, k), (k_of_b, n) = a.shape, b.shape
    if k != k_of_b or a.dtype != b.dtype:
        raise ValueError(
            f"cannot multiply {a.dtype} {tuple(a.shape)} and {b.dtype} {tuple(b.shape)}"
        )
    check_reach(a, b)
    c = a.new_empty((m, n)) if out is None else out
    properties = torch.cuda.get_device_properties(a.device)
    constants = choose(m, n, k, properties.multi_processor_count)
    split = constants["SPLIT_K"]
    parts = c[None] if split == 1 else a.new_empty((split, m, n), dtype=torch.float32)
    grid = (triton.cdiv(m, constants["BM"]) * triton.cdiv(n, constants["BN"]), split)
    cdna4_gemm[grid](
        a, b, parts, m, n, k, *a.stride(), *b.stride(), *parts.stride(), **constants, **OPTIONS
    )
    if split > 1:
        c.copy_(parts.sum(0))
    return c
