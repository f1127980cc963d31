"""C = A @ B with a 2:4 sparse A, for PyTorch tensors on a GPU."""

from __future__ import annotations

import functools

import torch
import triton
from triton.tools.tensor_descriptor import TensorDescriptor

from . import gpu
from .compressed import Compressed
from .gemm_kernels import POINTER_CONFIG, sparse_gemm_pointers, sparse_gemm_tma, tma_config


def matmul(a: Compressed, b: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """Multiplies a 2:4 sparse matrix by a dense one on a GPU.

    Args:
        a: (M, K) of float16 or bfloat16. Its metadata must be legal (`check`); the hardware does
            not say when it is not.
        b: (K, N) of the same dtype; fastest where its rows or its columns have no gaps and are
            multiples of 8 elements.
        out: (M, N) of the same dtype to write to; by rows or by columns.

    Returns:
        (M, N), accumulated in float32.

    Raises:
        ValueError: Shapes, dtypes or devices don't fit.
    """
    (m, k), (k_of_b, n) = a.shape, b.shape
    if k != k_of_b or a.values.dtype != b.dtype or a.values.device != b.device:
        raise ValueError(
            f"cannot multiply {a.values.dtype} {(m, k)} on {a.values.device} by {b.dtype} "
            f"{tuple(b.shape)} on {b.device}"
        )
    if out is None:
        out = b.new_empty((m, n))
    elif out.shape != (m, n) or out.dtype != b.dtype or out.device != b.device:
        raise ValueError(f"out must be {b.dtype} {(m, n)} on {b.device}")
    if out.numel() == 0 or k == 0:
        return out.zero_()
    with torch.cuda.device(b.device):
        if torch.version.hip is None and torch.cuda.get_device_capability(b.device)[0] == 9:
            _matmul_tma(a, b, out)
        else:
            _matmul_pointers(a, b, out)
    return out


def _matmul_tma(a: Compressed, b: torch.Tensor, out: torch.Tensor) -> None:
    (m, k), n = a.shape, b.shape[1]
    b = b if _has_descriptor(b) or _has_descriptor(b.t()) else _aligned_copy(b)
    b_by_columns = not _has_descriptor(b)
    # What TMA cannot write is written elsewhere and copied.
    target = out if _has_descriptor(out) or _has_descriptor(out.t()) else _aligned_like(out)
    c_by_columns = not _has_descriptor(target)
    values = a.values if _has_descriptor(a.values) else a.values.contiguous()
    processors = _processors(b.device)
    config, warps = tma_config(m, n, processors)
    bm, bn, bk = config["BM"], config["BN"], config["BK"]
    width = bn // 2 if config["HALVES"] else bn
    programs = min(processors, triton.cdiv(m, bm) * triton.cdiv(n, bn))
    sparse_gemm_tma[(programs,)](
        TensorDescriptor.from_tensor(values, [bm, bk // 2]),
        TensorDescriptor.from_tensor(gpu.words_of(a), [bk // 16, bm]),
        TensorDescriptor.from_tensor(*((b.t(), [bn, bk]) if b_by_columns else (b, [bk, bn]))),
        TensorDescriptor.from_tensor(
            *((target.t(), [width, bm]) if c_by_columns else (target, [bm, width]))
        ),
        m, n, k, b_by_columns, c_by_columns,
        **config, num_warps=warps,
    )  # fmt: skip
    if target is not out:
        out.copy_(target)


def _matmul_pointers(a: Compressed, b: torch.Tensor, out: torch.Tensor) -> None:
    (m, k), n = a.shape, b.shape[1]
    words = gpu.words_of(a)
    grid = (triton.cdiv(m, POINTER_CONFIG["BM"]) * triton.cdiv(n, POINTER_CONFIG["BN"]),)
    sparse_gemm_pointers[grid](
        a.values.contiguous(), words, b, out, m, n, k,
        words.stride(0), *b.stride(), *out.stride(), **POINTER_CONFIG, num_warps=8,
    )  # fmt: skip


@functools.cache
def _processors(device: torch.device) -> int:
    return torch.cuda.get_device_properties(device).multi_processor_count


def _has_descriptor(matrix: torch.Tensor) -> bool:
    """Whether TMA can address the matrix by rows: 16 bytes are its unit."""
    return (
        matrix.stride(1) == 1
        and matrix.stride(0) % 8 == 0
        and matrix.stride(0) >= matrix.shape[1]
        and matrix.data_ptr() % 16 == 0
    )


def _aligned_like(matrix: torch.Tensor) -> torch.Tensor:
    rows, columns = matrix.shape
    return matrix.new_empty((rows, triton.cdiv(columns, 8) * 8))[:, :columns]


def _aligned_copy(matrix: torch.Tensor) -> torch.Tensor:
    return _aligned_like(matrix).copy_(matrix)
