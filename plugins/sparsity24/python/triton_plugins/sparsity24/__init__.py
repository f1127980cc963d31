"""sparsity24: matrix products whose left operand is 2:4 sparse."""

import triton_plugins

from .ops import compress_tile, decompress_tile, dot
from .pipeline import PIPELINE

__all__ = [
    "PIPELINE",
    "compress_tile",
    "decompress_tile",
    "dot",
]

triton_plugins.load("sparsity24")
