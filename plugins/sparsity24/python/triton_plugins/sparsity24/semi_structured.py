"""To and from PyTorch's semi-structured sparse tensors, with every bit of the values.

PyTorch has two forms: CUTLASS's, values and reordered metadata, and cuSPARSELt's, whose metadata
only that library knows.
"""

from __future__ import annotations

import torch
from torch.sparse import (
    SparseSemiStructuredTensor,
    SparseSemiStructuredTensorCUSPARSELT,
    SparseSemiStructuredTensorCUTLASS,
)
from torch.sparse._semi_structured_conversions import _calculate_meta_reordering_scatter_offsets

from . import gpu
from .compressed import Compressed, check, decompress


def to_cutlass(matrix: Compressed) -> SparseSemiStructuredTensorCUTLASS:
    """Makes a tensor of CUTLASS's form; M a multiple of 32 and K of 64, as PyTorch wants it."""
    check(matrix)
    rows, words = matrix.meta.shape
    meta = matrix.meta.contiguous()
    offsets = _calculate_meta_reordering_scatter_offsets(rows, words, meta.dtype, meta.device)
    reordered = torch.empty_like(meta).view(-1).scatter_(0, offsets, meta.view(-1))
    return SparseSemiStructuredTensorCUTLASS(
        torch.Size(matrix.shape),
        packed=matrix.values.contiguous(),
        meta=reordered.view(rows, words),
        packed_t=None,
        meta_t=None,
        compressed_swizzled_bitmask=None,
    )


def to_cusparselt(matrix: Compressed) -> SparseSemiStructuredTensorCUSPARSELT:
    """Makes a tensor of cuSPARSELt's form; M and K as PyTorch wants them.

    cuSPARSELt compresses the dense matrix itself, and takes negative zeros for zeros.
    """
    return SparseSemiStructuredTensorCUSPARSELT.from_dense(decompress(matrix))


def from_semi_structured(tensor: SparseSemiStructuredTensor) -> Compressed:
    """Takes the values and the metadata out of PyTorch's tensor.

    Raises:
        TypeError: It is neither of PyTorch's two forms, or not float16 or bfloat16.
        SparsityError: The metadata is illegal.
    """
    if tensor.dtype not in (torch.float16, torch.bfloat16):
        raise TypeError(f"float16 or bfloat16 is needed, but the tensor holds {tensor.dtype}")
    if isinstance(tensor, SparseSemiStructuredTensorCUTLASS):
        matrix = _from_cutlass(tensor)
    elif isinstance(tensor, SparseSemiStructuredTensorCUSPARSELT):
        matrix = _from_cusparselt(tensor)
    else:
        raise TypeError(f"a semi-structured sparse tensor is needed, not {type(tensor).__name__}")
    check(matrix)
    return matrix


def _from_cutlass(tensor: SparseSemiStructuredTensorCUTLASS) -> Compressed:
    reordered = tensor.meta
    rows, words = reordered.shape
    offsets = _calculate_meta_reordering_scatter_offsets(
        rows, words, reordered.dtype, reordered.device
    )
    meta = reordered.reshape(-1).gather(0, offsets).view(rows, words)
    return Compressed(tensor.packed, meta)


def _from_cusparselt(tensor: SparseSemiStructuredTensorCUSPARSELT) -> Compressed:
    rows, columns = tensor.shape
    count = rows * columns // 2
    packed = tensor.packed.reshape(-1)
    values = packed[:count].view(rows, columns // 2)
    # The library alone knows its metadata, but says where values go: the product of ones and twos
    # with the identity has a one in the place of each first value and a two in that of the second.
    numbered = packed.clone()
    numbered[:count] = torch.tensor([1, 2], dtype=packed.dtype, device=packed.device).repeat(
        count // 2
    )
    identity = torch.eye(columns, dtype=packed.dtype, device=packed.device)
    places = torch._cslt_sparse_mm(numbered, identity).view(rows, columns // 4, 4)
    first = (places == 1).to(torch.int32).argmax(-1)
    second = (places == 2).to(torch.int32).argmax(-1)
    nibbles = (first | second << 2).view(rows, columns // 16, 4)
    shifts = torch.arange(0, 16, 4, device=nibbles.device)
    words = gpu.make_words(rows, columns, values.device)
    meta = words[: columns // 16, :rows].t()
    meta.copy_((nibbles << shifts).sum(-1).to(torch.int16))
    return Compressed(values, meta, words)
