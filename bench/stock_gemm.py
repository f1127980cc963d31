"""What stock Triton can do, best of a few configurations: the baseline for plugin kernels."""

from __future__ import annotations

import functools
from collections.abc import Mapping

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from bench.harness import Matmul


@triton.jit
def persistent_gemm(
    a_desc, b_desc, c_desc, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    GROUP_M: tl.constexpr, PROGRAMS: tl.constexpr,
):  # fmt: skip
    """Each program computes every PROGRAMS-th tile; TMA moves all three matrices."""
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    # Flattened, the loads of a program's next tile start during the last steps of the current one.
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, PROGRAMS, flatten=True):
        tile_m, tile_n = tl.swizzle2d(tile // tiles_n, tile % tiles_n, tiles_m, tiles_n, GROUP_M)
        row, col = tile_m * BM, tile_n * BN
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, tl.cdiv(K, BK)):
            acc = tl.dot(a_desc.load([row, k * BK]), b_desc.load([k * BK, col]), acc)
        c_desc.store([row, col], acc.to(c_desc.dtype))


@triton.jit
def pointer_gemm(
    a_ptr, b_ptr, c_ptr, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP_M: tl.constexpr,
):  # fmt: skip
    """One tile a program, loads through pointers: any size, strides and GPU."""
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    pid = tl.program_id(0)
    tile_m, tile_n = tl.swizzle2d(pid // tiles_n, pid % tiles_n, tiles_m, tiles_n, GROUP_M)
    rows = tile_m * BM + tl.arange(0, BM)
    cols = tile_n * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    a_ptrs = a_ptr + (rows % M).to(tl.int64)[:, None] * stride_am + depth[None, :] * stride_ak
    b_ptrs = b_ptr + depth.to(tl.int64)[:, None] * stride_bk + (cols % N)[None, :] * stride_bn
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        left = K - k * BK
        a = tl.load(a_ptrs, mask=depth[None, :] < left, other=0.0)
        b = tl.load(b_ptrs, mask=depth[:, None] < left, other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BK * stride_ak
        b_ptrs += BK * stride_bk
    c_ptrs = c_ptr + rows.to(tl.int64)[:, None] * stride_cm + cols[None, :] * stride_cn
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=(rows[:, None] < M) & (cols[None, :] < N))


def _persistent(
    a: torch.Tensor,
    b: torch.Tensor,
    out: torch.Tensor,
    *,
    tile: tuple[int, int, int],
    num_warps: int,
    num_stages: int,
) -> None:
    bm, bn, bk = tile
    (m, k), n = a.shape, b.shape[1]
    processors = torch.cuda.get_device_properties(a.device).multi_processor_count
    programs = min(processors, triton.cdiv(m, bm) * triton.cdiv(n, bn))
    persistent_gemm[(programs,)](
        TensorDescriptor.from_tensor(a, [bm, bk]),
        TensorDescriptor.from_tensor(b, [bk, bn]),
        TensorDescriptor.from_tensor(out, [bm, bn]),
        m, n, k,
        BM=bm, BN=bn, BK=bk, GROUP_M=8, PROGRAMS=programs,
        num_warps=num_warps, num_stages=num_stages,
    )  # fmt: skip


def _pointer(
    a: torch.Tensor,
    b: torch.Tensor,
    out: torch.Tensor,
    *,
    tile: tuple[int, int, int],
    num_warps: int,
    num_stages: int,
) -> None:
    bm, bn, bk = tile
    (m, k), n = a.shape, b.shape[1]
    pointer_gemm[(triton.cdiv(m, bm) * triton.cdiv(n, bn),)](
        a, b, out, m, n, k, *a.stride(), *b.stride(), *out.stride(),
        BM=bm, BN=bn, BK=bk, GROUP_M=8, num_warps=num_warps, num_stages=num_stages,
    )  # fmt: skip


def _has_tma_layout(a: torch.Tensor, b: torch.Tensor) -> bool:
    """TMA wants rows that are contiguous and start at multiples of 16 bytes."""
    return all(x.stride(1) == 1 and x.stride(0) % 8 == 0 and x.data_ptr() % 16 == 0 for x in (a, b))


def candidates(a: torch.Tensor, b: torch.Tensor, n: int) -> Mapping[str, Matmul]:
    """Stock configurations worth trying for these inputs on the current GPU, by name.

    Args:
        a: The left matrix, for its layout.
        b: The right matrix.
        n: Columns of the output, whose rows TMA must be able to store.
    """
    if torch.version.hip:
        configs = [
            ((128, 128, 64), 4, 2),
            ((256, 128, 64), 8, 2),
            ((256, 256, 64), 8, 2),
            ((128, 128, 32), 4, 2),
        ]
        run, kind = _pointer, "pointer"
    elif torch.cuda.get_device_capability()[0] >= 9 and _has_tma_layout(a, b) and n % 8 == 0:
        configs = [
            ((128, 256, 64), 8, 3),
            ((256, 128, 64), 8, 3),
            ((128, 128, 64), 4, 4),
            ((128, 128, 128), 8, 3),
        ]
        run, kind = _persistent, "persistent TMA"
    else:
        configs = [
            ((128, 256, 64), 8, 3),
            ((128, 128, 64), 8, 4),
            ((128, 128, 32), 4, 4),
            ((64, 128, 64), 4, 4),
        ]
        run, kind = _pointer, "pointer"
    return {
        f"{kind} {'x'.join(map(str, tile))}, {warps} warps, {stages} stages": functools.partial(
            run, tile=tile, num_warps=warps, num_stages=stages
        )
        for tile, warps, stages in configs
    }
