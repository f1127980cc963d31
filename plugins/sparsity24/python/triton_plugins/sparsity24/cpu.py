"""What `compressed` does for matrices in the host's memory: NumPy arrays, PyTorch tensors."""

from __future__ import annotations

import functools
import sys
from types import ModuleType
from typing import Any

import numpy as np

from .compressed import Compressed


def prune(dense: Any) -> Any:
    """See `compressed.prune`."""
    return _like(_host().prune(_bits(dense)), dense)


def find_dense(dense: Any) -> tuple[int, int] | None:
    """Row and column of the first group with more than two elements."""
    return _host().find_dense(_bits(dense))


def find_nibble(meta: Any) -> tuple[int, int] | None:
    """Row and column of the first group whose metadata is illegal."""
    return _host().find_nibble(_bits(meta))


def compress(dense: Any) -> Compressed:
    """Compresses a matrix that was checked."""
    values, meta = _host().compress(_bits(dense))
    meta = meta.view(np.int16)
    torch = _torch_of(dense)
    return Compressed(_like(values, dense), torch.from_numpy(meta) if torch else meta)


def decompress(matrix: Compressed) -> Any:
    """See `compressed.decompress`; the metadata was checked."""
    return _like(_host().decompress(_bits(matrix.values), _bits(matrix.meta)), matrix.values)


@functools.cache
def _host() -> ModuleType:
    try:
        from . import _host as module
    except ImportError as error:
        raise ImportError(
            "triton_plugins.sparsity24 has no extension module for this Python, so it cannot work "
            f"on matrices in the host's memory ({error}). Build it with this Python and its "
            "headers (Debian: apt install python3-dev), or move the matrix to a GPU."
        ) from error
    return module


def _torch_of(array: Any) -> ModuleType | None:
    """PyTorch if the array is its tensor. Who holds one has imported it; others need not have."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(array, torch.Tensor) else None


def _bits(array: Any) -> np.ndarray:
    """The elements as uint16 by rows, without a copy if they lie so."""
    if torch := _torch_of(array):
        if array.dtype not in (torch.float16, torch.bfloat16, torch.int16):
            raise TypeError(f"float16 or bfloat16 is needed, but the tensor holds {array.dtype}")
        return array.detach().contiguous().view(torch.int16).numpy().view(np.uint16)
    if array.dtype not in (np.float16, np.uint16, np.int16):
        raise TypeError(
            f"float16, or bfloat16 as uint16, is needed, but the array holds {array.dtype}"
        )
    return np.ascontiguousarray(array).view(np.uint16)


def _like(bits: np.ndarray, array: Any) -> Any:
    """uint16 as an array or a tensor of another one's type."""
    if torch := _torch_of(array):
        return torch.from_numpy(bits.view(np.int16)).view(array.dtype)
    return bits.view(array.dtype)
