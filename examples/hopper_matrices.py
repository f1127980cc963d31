"""How matrices lie in memory, as the Hopper GEMMs see it."""

from __future__ import annotations

import torch
from triton.tools.tensor_descriptor import TensorDescriptor

from examples import hopper_gemm_configs


def descriptor(matrix: torch.Tensor, block: list[int]) -> TensorDescriptor:
    """The descriptor of a matrix as it is stored: transposed if it is stored by columns."""
    return TensorDescriptor.from_tensor(matrix.t() if by_columns(matrix) else matrix, block)


def by_columns(matrix: torch.Tensor) -> bool:
    """Whether the elements of a column are neighbours, and those of a row are not."""
    return matrix.stride(1) != 1 and matrix.stride(0) == 1


def lines(matrix: torch.Tensor) -> int:
    """Lines of memory that a line's bytes of a row, as it is stored, may lie in."""
    pitch = matrix.stride(1 if by_columns(matrix) else 0) * matrix.element_size()
    return 1 if pitch % hopper_gemm_configs.LINE_BYTES == 0 else 2


def is_tma_matrix(matrix: torch.Tensor) -> bool:
    """Whether TMA can read and write the matrix: rows of neighbours, each at a 16-byte boundary."""
    line = matrix.stride(0) * matrix.element_size()
    return (
        matrix.numel() > 0
        and matrix.stride(1) == 1
        and line % 16 == 0
        and line >= matrix.shape[1] * matrix.element_size()
        and matrix.data_ptr() % 16 == 0
    )


def check_devices(*matrices: torch.Tensor) -> None:
    """Checks that all matrices are on the same GPU.

    Raises:
        ValueError: They are not.
    """
    devices = dict.fromkeys(matrix.device for matrix in matrices)
    if len(devices) > 1 or any(device.type != "cuda" for device in devices):
        raise ValueError(f"matrices are on {', '.join(map(str, devices))}; they must be on one GPU")
