"""What `compressed` does for PyTorch tensors on a GPU."""

from __future__ import annotations

from collections.abc import Callable

import torch
import triton

from . import kernels
from .compressed import PADDED_COLUMNS, PADDED_ROWS, PADDING, Compressed

_TILE = {"BM": 32, "BK": 128}


def prune(dense: torch.Tensor) -> torch.Tensor:
    """See `compressed.prune`."""
    m, k = _check(dense)
    pruned = torch.empty((m, k), dtype=dense.dtype, device=dense.device)
    _launch(kernels.prune, m, k, _bits(dense), _bits(pruned), m, k, *dense.stride())
    return pruned


def find_dense(dense: torch.Tensor) -> tuple[int, int] | None:
    """Row and column of the first group with more than two elements."""
    m, k = _check(dense)
    return _find(kernels.find_dense, _bits(dense), m, k)


def find_nibble(meta: torch.Tensor) -> tuple[int, int] | None:
    """Row and column of the first group whose metadata is illegal."""
    return _find(kernels.find_nibble, meta, meta.shape[0], 16 * meta.shape[1])


def compress(dense: torch.Tensor) -> Compressed:
    """Compresses a matrix that was checked. Metadata is laid out by columns and padded, as the
    product wants it."""
    m, k = _check(dense)
    values = torch.empty((m, k // 2), dtype=dense.dtype, device=dense.device)
    words = make_words(m, k, dense.device)
    _launch(kernels.compress, m, k, dense, values, words, m, k, *dense.stride(), words.stride(0))
    return Compressed(values, words[: k // 16, :m].t(), words)


def decompress(matrix: Compressed) -> torch.Tensor:
    """See `compressed.decompress`; the metadata was checked."""
    m, k = matrix.shape
    values, meta = matrix.values, matrix.meta
    dense = torch.empty((m, k), dtype=values.dtype, device=values.device)
    _launch(kernels.decompress, m, k, values, meta, dense, m, k, *values.stride(), *meta.stride())
    return dense


def make_words(m: int, k: int, device: torch.device) -> torch.Tensor:
    """Memory for the metadata of an (m, k) matrix, by columns: legal everywhere."""
    rows = triton.cdiv(m, PADDED_ROWS) * PADDED_ROWS
    columns = triton.cdiv(k, PADDED_COLUMNS) * PADDED_COLUMNS
    return torch.full((columns // 16, rows), PADDING, dtype=torch.int16, device=device)


def words_of(matrix: Compressed) -> torch.Tensor:
    """The metadata by columns and padded, made once."""
    if matrix.words is not None:
        return matrix.words
    m, k = matrix.shape
    words = make_words(m, k, matrix.meta.device)
    words[: k // 16, :m] = matrix.meta.t()
    # What a CUDA graph records is only there once the graph runs.
    if not torch.cuda.is_current_stream_capturing():
        object.__setattr__(matrix, "words", words)
    return words


def _check(dense: torch.Tensor) -> tuple[int, int]:
    if dense.dtype not in (torch.float16, torch.bfloat16):
        raise TypeError(f"float16 or bfloat16 is needed, but the tensor holds {dense.dtype}")
    if dense.ndim != 2 or dense.shape[1] % 16:
        raise ValueError(
            "a matrix with a multiple of 16 columns is needed, but the shape is "
            f"{tuple(dense.shape)}"
        )
    return dense.shape


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.view(torch.int16)


def _launch(kernel: triton.JITFunction, m: int, k: int, *args: object) -> None:
    if m and k:
        with torch.cuda.device(next(a for a in args if isinstance(a, torch.Tensor)).device):
            kernel[triton.cdiv(m, _TILE["BM"]), triton.cdiv(k, _TILE["BK"])](*args, **_TILE)


def _find(
    kernel: Callable[..., None], bits: torch.Tensor, m: int, k: int
) -> tuple[int, int] | None:
    nowhere = kernels.NOWHERE.value
    found = torch.full((1,), nowhere, dtype=torch.int64, device=bits.device)
    _launch(kernel, m, k, bits, found, m, k, *bits.stride())
    offset = int(found)
    return None if offset == nowhere else divmod(offset, k)
