"""sparsity24: matrix products whose left operand is 2:4 sparse.

    import triton_plugins.sparsity24 as sp

    acc = sp.dot(values, meta, b, acc)              # in a @triton.jit kernel

    weight = sp.compress(sp.prune(dense))           # NumPy, or PyTorch on any device
    product = sp.matmul(weight, b)                  # PyTorch on a GPU

Importing it loads the plugin's library. Kernels that use an operation are compiled with
`sp.PIPELINE`, and no others are. What works on whole matrices needs
NumPy, on a GPU PyTorch, which operations of kernels do without.
"""

from typing import Any

import triton_plugins

from .compressed import Compressed, SparsityError, check, compress, decompress, prune
from .ops import compress_tile, decompress_tile, dot
from .pipeline import PIPELINE

__all__ = [
    "PIPELINE",
    "Compressed",
    "SparsityError",
    "check",
    "compress",
    "compress_tile",
    "decompress",
    "decompress_tile",
    "dot",
    "matmul",
    "prune",
]

triton_plugins.load("sparsity24")


def __getattr__(name: str) -> Any:
    """Imports PyTorch no sooner than it is needed."""
    if name == "matmul":
        from .gemm import matmul

        return matmul
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
