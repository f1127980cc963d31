"""Kernels of C = A @ B with a 2:4 sparse A.

On Hopper a program computes tile after tile. Triton's own pipeliner loads the next tiles of values,
metadata and B through TMA while the sparse tensor cores work, and `sparsity24_overlap_dots` keeps
them at work from step to step. Elsewhere a program computes one tile, and loads by pointers.
"""

import triton
import triton.language as tl

from .ops import dot


# Sizes are bounds of loops and nothing else: one kernel serves all of them.
@triton.jit(do_not_specialize=["M", "N", "K"])
def sparse_gemm_tma(
    values_desc, words_desc, b_desc, c_desc, M, N, K,
    B_BY_COLUMNS: tl.constexpr, C_BY_COLUMNS: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP_M: tl.constexpr,
    NUM_STAGES: tl.constexpr, HALVES: tl.constexpr,
):  # fmt: skip
    """Matrices by columns are described as their transposes: B as (N, K), C as (N, M). With HALVES
    a tile of C leaves through shared memory of half its size."""
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    first, last, step = tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0)
    # Flattened, since the first steps of a tile are then loaded while the one before is stored.
    for tile in tl.range(first, last, step, num_stages=NUM_STAGES, flatten=True):
        # Programs that run at the same time work on tiles of GROUP_M rows of tiles, so that what
        # they read is in the L2 cache.
        tile_m, tile_n = tl.swizzle2d(tile // tiles_n, tile % tiles_n, tiles_m, tiles_n, GROUP_M)
        m, n = tile_m * BM, tile_n * BN
        acc = tl.zeros((BM, BN), tl.float32)
        for k in tl.range(0, K, BK):
            # All loads before any use: then they share a barrier.
            values = values_desc.load([m, k // 2])
            words = words_desc.load([k // 16, m])
            if B_BY_COLUMNS:
                b = b_desc.load([n, k])
                acc = dot(values, words.T, b.T, acc)
            else:
                b = b_desc.load([k, n])
                acc = dot(values, words.T, b, acc)
        c = acc.to(c_desc.dtype)
        if HALVES:
            left, right = c.reshape(BM, 2, BN // 2).permute(0, 2, 1).split()
            _store(c_desc, m, n, left, C_BY_COLUMNS)
            _store(c_desc, m, n + BN // 2, right, C_BY_COLUMNS)
        else:
            _store(c_desc, m, n, c, C_BY_COLUMNS)


@triton.jit
def _store(c_desc, m, n, c, C_BY_COLUMNS: tl.constexpr):
    if C_BY_COLUMNS:
        c_desc.store([n, m], c.T)
    else:
        c_desc.store([m, n], c)


@triton.jit
def sparse_gemm_pointers(
    values_ptr, words_ptr, b_ptr, c_ptr, M, N, K,
    stride_word, stride_bk, stride_bn, stride_cm, stride_cn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP_M: tl.constexpr,
    NUM_STAGES: tl.constexpr,
):  # fmt: skip
    """Values by rows, metadata by columns and padded, B and C with any strides."""
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    pid = tl.program_id(0)
    tile_m, tile_n = tl.swizzle2d(pid // tiles_n, pid % tiles_n, tiles_m, tiles_n, GROUP_M)
    rows = tile_m * BM + tl.arange(0, BM)
    columns = tile_n * BN + tl.arange(0, BN)
    # Rows and columns past the edge wrap around: they are read for nothing, but need no mask.
    value_rows = (rows % M).to(tl.int64)[:, None] * (K // 2)
    b_columns = (columns % N).to(tl.int64)[None, :] * stride_bn
    acc = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, K, BK, num_stages=NUM_STAGES):
        halves = k // 2 + tl.arange(0, BK // 2)[None, :]
        values = tl.load(values_ptr + value_rows + halves, mask=halves < K // 2, other=0.0)
        words = k // 16 + tl.arange(0, BK // 16).to(tl.int64)[None, :]
        meta = tl.load(words_ptr + words * stride_word + rows[:, None])
        depth = k + tl.arange(0, BK)[:, None]
        b = tl.load(b_ptr + depth.to(tl.int64) * stride_bk + b_columns, mask=depth < K, other=0.0)
        acc = dot(values, meta, b, acc)
    c_columns = columns.to(tl.int64)[None, :] * stride_cn
    c_ptrs = c_ptr + rows.to(tl.int64)[:, None] * stride_cm + c_columns
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=inside)


# Steps of 64 columns have one register of metadata, which sparsity24_overlap_dots asks for.
TMA_CONFIG = {"BM": 128, "BN": 256, "BK": 64, "GROUP_M": 16, "NUM_STAGES": 5, "HALVES": True}
POINTER_CONFIG = {"BM": 128, "BN": 128, "BK": 64, "GROUP_M": 8, "NUM_STAGES": 3}


def tma_config(m: int, n: int, processors: int) -> tuple[dict[str, int], int]:
    """Tiles for an (m, k) times (k, n) product, and warps: large tiles where they fill the GPU."""
    if triton.cdiv(m, 128) * triton.cdiv(n, 256) >= processors:
        return TMA_CONFIG, 8
    width = max(16, min(128, triton.next_power_of_2(n)))
    height = 128 if triton.cdiv(m, 128) * triton.cdiv(n, width) >= processors else 64
    small = {"BM": height, "BN": width, "BK": 128, "NUM_STAGES": 4, "HALVES": False}
    return TMA_CONFIG | small, 4
