"""Products of a list of matrices on Hopper from Python, in one launch."""

from __future__ import annotations

import contextvars
from collections.abc import Sequence

import torch
import triton
import triton.language as tl

from examples.hopper_grouped_gemm_kernel import CONSTANTS, OPTIONS, hopper_grouped_gemm
from examples.hopper_matrices import check_devices, is_tma_matrix
from examples.hopper_persistent_gemm import matmul

DTYPES = {torch.float16: tl.float16, torch.bfloat16: tl.bfloat16}


def grouped_matmul(a: Sequence[torch.Tensor], b: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Multiplies pairs of float16 or bfloat16 matrices of any sizes, in one launch.

    Problems that TMA cannot read (rows that are not contiguous, or don't start at multiples of 16
    bytes) are launched one by one.

    Args:
        a: Matrices of shapes (M[i], K[i]).
        b: Matrices of shapes (K[i], N[i]), all of one dtype with a's.

    Returns:
        The products, of shapes (M[i], N[i]).

    Raises:
        ValueError: Lengths, shapes, dtypes or devices don't fit.
    """
    dtypes = {matrix.dtype for matrix in (*a, *b)}
    if len(a) != len(b) or len(dtypes) > 1 or not dtypes <= DTYPES.keys():
        raise ValueError(
            f"cannot multiply {len(a)} with {len(b)} matrices of dtypes "
            f"{sorted(map(str, dtypes))}: there must be as many, all float16 or all bfloat16"
        )
    for left, right in zip(a, b, strict=True):
        if left.shape[1] != right.shape[0]:
            raise ValueError(f"cannot multiply {tuple(left.shape)} and {tuple(right.shape)}")
    check_devices(*a, *b)
    c = [left.new_empty((left.shape[0], right.shape[1])) for left, right in zip(a, b, strict=True)]
    rows = []
    tiles = 0
    for left, right, out in zip(a, b, c, strict=True):
        matrices = left, right, out
        if not all(map(is_tma_matrix, matrices)):
            matmul(left, right, out)
            continue
        (m, k), n = left.shape, right.shape[1]
        rows.append([
            *(matrix.data_ptr() for matrix in matrices),
            m, n, k,
            *(matrix.stride(0) for matrix in matrices),
        ])  # fmt: skip
        tiles += triton.cdiv(m, CONSTANTS["BM"]) * triton.cdiv(n, CONSTANTS["BN"])
    if rows:
        device = a[0].device
        table = torch.tensor(rows, dtype=torch.int64).pin_memory().to(device, non_blocking=True)
        programs = min(tiles, torch.cuda.get_device_properties(device).multi_processor_count)
        # Triton launches on the current GPU, whatever the matrices are on.
        with torch.cuda.device(device):
            # The allocator is this launch's only; others keep theirs.
            contextvars.copy_context().run(_launch, programs, table, DTYPES[a[0].dtype])
    return c


def _launch(programs: int, table: torch.Tensor, dtype: tl.dtype) -> None:
    """Launches the kernel, with memory for the descriptors that its programs make."""
    triton.set_allocator(
        lambda size, _alignment, _stream: torch.empty(size, dtype=torch.int8, device=table.device)
    )
    hopper_grouped_gemm[(programs,)](table, len(table), dtype, **CONSTANTS, **OPTIONS)
