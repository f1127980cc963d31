"""2:4 sparse matrices outside of kernels: PyTorch tensors on any device, or NumPy arrays.

NumPy has no bfloat16: its bits as uint16 take its place.
"""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

# Kernels read whole tiles of metadata, which therefore is padded to multiples of the largest tile
# with a legal word.
PADDED_ROWS, PADDED_COLUMNS = 256, 128
PADDING = 0x4444


class SparsityError(ValueError):
    """A matrix is not 2:4 sparse, or its metadata says nothing to the hardware.

    Attributes:
        row: Row of the first group that is wrong.
        column: Column of the group's first element, in the dense matrix.
    """

    def __init__(self, message: str, row: int, column: int):
        super().__init__(message)
        self.row = row
        self.column = column


@dataclass(frozen=True, eq=False)
class Compressed:
    """A 2:4 sparse matrix of shape (M, K).

    Attributes:
        values: (M, K // 2), float16 or bfloat16: two elements of every four, in their order.
        meta: (M, K // 16) of int16: four groups a word, the first in the lowest bits. A group's
            nibble has the column of its first value in the lower two bits, of its second in the
            upper two.
        words: The same metadata as the product on a GPU reads it, once that was made: by columns,
            with legal words up to multiples of the largest tile.
    """

    values: Any
    meta: Any
    words: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if len(self.values.shape) != 2 or len(self.meta.shape) != 2:
            raise ValueError("values and meta must be matrices")
        rows, columns = self.shape
        if columns % 16 or tuple(self.meta.shape) != (rows, columns // 16):
            raise ValueError(
                f"values of shape {tuple(self.values.shape)} need meta of shape "
                f"{(rows, columns // 16)} and a multiple of 8 columns, but meta has the shape "
                f"{tuple(self.meta.shape)}"
            )

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the matrix that this stands for."""
        rows, columns = self.values.shape
        return rows, 2 * columns


def prune(dense: Any) -> Any:
    """Makes a matrix 2:4 sparse: of every four neighbours in a row the two with the largest
    magnitudes stay, of equal ones the first; the others become positive zero. NaN counts as larger
    than infinity.

    Args:
        dense: (M, K) of float16 or bfloat16; K a multiple of 16.

    Returns:
        A new matrix of the same kind.
    """
    return _backend(dense).prune(dense)


def check(matrix: Any) -> None:
    """Checks that a dense matrix is 2:4 sparse, or that a `Compressed` one is legal.

    Every element with a bit set counts, so negative zeros do.

    Raises:
        SparsityError: Names the row and the column of the first group that is wrong.
    """
    if isinstance(matrix, Compressed):
        place = _backend(matrix.meta).find_nibble(matrix.meta)
        if place is not None:
            row, column = place
            word = int(matrix.meta[row, column // 16]) & 0xFFFF
            nibble = word >> (column % 16) & 0xF
            raise SparsityError(
                f"row {row}, columns {column} to {column + 3}: the metadata is {nibble}; of the "
                "nibbles only 4, 8, 9, 12, 13 and 14 name two columns in ascending order",
                row,
                column,
            )
        return
    place = _backend(matrix).find_dense(matrix)
    if place is not None:
        row, column = place
        raise SparsityError(
            f"row {row}, columns {column} to {column + 3}: more than two elements are not zero; "
            "prune the matrix first",
            row,
            column,
        )


def compress(dense: Any) -> Compressed:
    """Compresses a 2:4 sparse matrix; `decompress` gives back the same bits.

    Args:
        dense: (M, K) of float16 or bfloat16; K a multiple of 16.

    Raises:
        SparsityError: The matrix is not 2:4 sparse; names the row and the column.
    """
    check(dense)
    return _backend(dense).compress(dense)


def decompress(matrix: Compressed) -> Any:
    """Returns the dense matrix, with positive zeros where there is no value.

    Raises:
        SparsityError: The metadata is illegal; names the row and the column.
    """
    check(matrix)
    return _backend(matrix.values).decompress(matrix)


def _backend(array: Any) -> ModuleType:
    """The module for where the array is. PyTorch and NumPy, which the kernels' operations do
    without, are imported no sooner."""
    torch = sys.modules.get("torch")
    on_gpu = torch is not None and isinstance(array, torch.Tensor) and array.is_cuda
    return importlib.import_module(".gpu" if on_gpu else ".cpu", __package__)
