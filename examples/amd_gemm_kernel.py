"""C = A @ B on CDNA3 and CDNA4, with TLX: tiles go through registers into shared-memory buffers.

While one half of a block's waves multiplies, the other half does everything else: it reads
operands, stores the next tile and loads the one after it, which stays in registers meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import triton
import triton.language as tl

import triton_plugins.tlx as tlx

if TYPE_CHECKING:
    import torch


@triton.jit
def consecutive_on_xcd(pid, count, XCDS: tl.constexpr):
    """Numbers `count` programs so that each XCD has consecutive numbers.

    Programs go to the XCDs in turn, and each XCD has an L2 cache of its own.
    """
    xcd, local = pid % XCDS, pid // XCDS
    # The first `count % XCDS` XCDs have one program more than the others.
    return xcd * (count // XCDS) + tl.minimum(xcd, count % XCDS) + local


@triton.jit
def tile_of_program(pid, tiles_m, tiles_n, GROUP_M: tl.constexpr, XCDS: tl.constexpr):
    """The tile of a program: neighbours in groups of GROUP_M rows of tiles share what they read."""
    pid = consecutive_on_xcd(pid, tiles_m * tiles_n, XCDS)
    return tl.swizzle2d(pid // tiles_n, pid % tiles_n, tiles_m, tiles_n, GROUP_M)


# Where LDS has a step's part of B, (32, 256), whose rows are together in global memory: the row and
# the column that each bit of an element's place stands for. 4 elements of a column are 8 bytes, and
# bits 2 to 5 say in which 2 of 32 banks these are. A wave stores every fourth of 64 columns at once
# and reads 16 neighbouring columns at once: either way those bits are different for all of them.
BY_ROWS = tl.constexpr(
    tlx.shared_linear_layout_encoding(
        (
            *((1, 0), (2, 0), (4, 0), (8, 0), (16, 0), (0, 1)),
            *((4, 2), (8, 4), (16, 8), (0, 17), (4, 32), (0, 64), (0, 128)),
        )
    )
)
# The same for A, (256, 32), whose columns are together.
BY_COLUMNS = tl.constexpr(
    tlx.shared_linear_layout_encoding(tuple((n, k) for k, n in BY_ROWS.value.offset_bases))
)


@triton.jit
def amd_gemm(
    a_ptr, b_ptr, c_ptr, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    A_COLUMNS: tl.constexpr, B_ROWS: tl.constexpr, GROUP_M: tl.constexpr, XCDS: tl.constexpr,
):  # fmt: skip
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    tile_m, tile_n = tile_of_program(tl.program_id(0), tiles_m, tiles_n, GROUP_M, XCDS)

    # A 64-bit scalar base and 32-bit offsets inside the tile: the base lives in scalar registers.
    rows, cols, depth = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    a_ptr += (tile_m * BM).to(tl.int64) * stride_am
    b_ptr += (tile_n * BN).to(tl.int64) * stride_bn
    c_ptr += (tile_m * BM).to(tl.int64) * stride_cm + (tile_n * BN).to(tl.int64) * stride_cn
    # Loads of 4 elements give a thread 4 x 4 of a matrix that has to be transposed.
    a_rows = tl.max_contiguous(rows, 4) if A_COLUMNS else rows
    b_cols = tl.max_contiguous(cols, 4) if B_ROWS else cols
    a_offsets = a_rows[:, None] * stride_am + depth[None, :] * stride_ak
    b_offsets = depth[:, None] * stride_bk + b_cols[None, :] * stride_bn
    row_mask = rows[:, None] < M - tile_m * BM
    col_mask = cols[None, :] < N - tile_n * BN

    # A buffer is stored to after both halves of the waves have read it, and before one reads it
    # again: while the other buffer is read.
    A_LAYOUT: tl.constexpr = BY_COLUMNS if A_COLUMNS else None
    B_LAYOUT: tl.constexpr = BY_ROWS if B_ROWS else None
    a_bufs = tlx.local_alloc((BM, BK), tlx.dtype_of(a_ptr), 2, layout=A_LAYOUT)
    b_bufs = tlx.local_alloc((BK, BN), tlx.dtype_of(b_ptr), 2, layout=B_LAYOUT)

    a_next = tlx.buffer_load(a_ptr, a_offsets, row_mask & (depth[None, :] < K), other=0.0)
    b_next = tlx.buffer_load(b_ptr, b_offsets, col_mask & (depth[:, None] < K), other=0.0)
    tlx.local_store(tlx.local_view(a_bufs, 0), a_next)
    tlx.local_store(tlx.local_view(b_bufs, 0), b_next)
    a_ptr += BK * stride_ak
    b_ptr += BK * stride_bk
    left = K - BK
    a_next = tlx.buffer_load(a_ptr, a_offsets, row_mask & (depth[None, :] < left), other=0.0)
    b_next = tlx.buffer_load(b_ptr, b_offsets, col_mask & (depth[:, None] < left), other=0.0)

    acc = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, tl.cdiv(K, BK), num_stages=0):
        with tlx.warp_pipeline_stage("read", priority=0):
            a = tlx.local_load(tlx.local_view(a_bufs, k % 2))
            b = tlx.local_load(tlx.local_view(b_bufs, k % 2))
            # Stores that the scheduler moved up would wait for their loads in front of the reads.
            tlx.amd_sched_barrier(0)
            tlx.local_store(tlx.local_view(a_bufs, (k + 1) % 2), a_next)
            tlx.local_store(tlx.local_view(b_bufs, (k + 1) % 2), b_next)
            a_ptr += BK * stride_ak
            b_ptr += BK * stride_bk
            left = K - (k + 2) * BK
            a_mask = row_mask & (depth[None, :] < left)
            b_mask = col_mask & (depth[:, None] < left)
            a_next = tlx.buffer_load(a_ptr, a_offsets, a_mask, other=0.0)
            b_next = tlx.buffer_load(b_ptr, b_offsets, b_mask, other=0.0)

        # A product comes first whenever the matrix cores are free, which leaves the other half's
        # instructions most of the turns.
        with tlx.warp_pipeline_stage("multiply", priority=1):
            acc = tl.dot(a, b, acc)

    tl.store(
        c_ptr + rows[:, None] * stride_cm + cols[None, :] * stride_cn,
        acc.to(tlx.dtype_of(c_ptr)),
        mask=row_mask & col_mask,
    )


# For matrices that are stored by rows; A_COLUMNS and B_ROWS say how A and B are stored.
CONSTANTS = {"BM": 256, "BN": 256, "BK": 32, "GROUP_M": 8, "XCDS": 8}
CONSTANTS |= {"A_COLUMNS": False, "B_ROWS": True}
# For matrices that are not aligned: each element is loaded by itself, from an address of its own,
# and smaller tiles keep the addresses in registers. Nothing is transposed.
UNALIGNED_CONSTANTS = CONSTANTS | {"BM": 128, "BN": 128, "B_ROWS": False}
# Waves alternate in pairs on each of a compute unit's four SIMDs: eight of them.
OPTIONS = {"num_warps": 8}


def is_aligned(matrix: torch.Tensor) -> bool:
    """Whether loads of 16 bytes can read the matrix along its rows or along its columns."""
    inner, outer = (1, 0) if matrix.stride(1) == 1 else (0, 1)
    sizes = (matrix.shape[inner], matrix.stride(outer), matrix.data_ptr())
    return matrix.stride(inner) == 1 and all(size % 16 == 0 for size in sizes)


def check_reach(*matrices: torch.Tensor) -> None:
    """Checks that 32-bit offsets reach all rows or columns of a tile.

    Raises:
        ValueError: They don't.
    """
    for matrix in matrices:
        if CONSTANTS["BM"] * max(matrix.stride()) * matrix.element_size() >= 2**31:
            raise ValueError(
                f"a tile of a matrix with strides {tuple(matrix.stride())} reaches over 2 GiB or "
                "more, which buffer loads cannot; store it the other way round, or multiply parts"
            )


def matmul(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """Multiplies two float16 or two bfloat16 matrices of any size and strides on a CDNA GPU."""
    (m, k), (k_of_b, n) = a.shape, b.shape
    if k != k_of_b or a.dtype != b.dtype:
        raise ValueError(
            f"cannot multiply {a.dtype} {tuple(a.shape)} and {b.dtype} {tuple(b.shape)}"
        )
    check_reach(a, b)
    c = a.new_empty((m, n)) if out is None else out
    constants = UNALIGNED_CONSTANTS
    if is_aligned(a) and is_aligned(b):
        constants = CONSTANTS | {"A_COLUMNS": a.stride(1) != 1, "B_ROWS": b.stride(1) == 1}
    grid = (triton.cdiv(m, constants["BM"]) * triton.cdiv(n, constants["BN"]),)
    amd_gemm[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(), **constants, **OPTIONS)
    return c
