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
    """The packed tensor has the values first, then metadata in an order that only the library
    knows. Its product with the identity says where each value belongs: values are replaced by their
    numbers, digit by digit, since a 16-bit float holds few integers exactly."""
    rows, columns = tensor.shape
    count = rows * columns // 2
    packed = tensor.packed.contiguous().view(rows, -1)
    base = 1 << (10 if packed.dtype == torch.float16 else 7)
    numbers = torch.arange(count, device=packed.device)
    identity = torch.eye(columns, dtype=packed.dtype, device=packed.device)
    numbered = packed.clone()
    order = torch.zeros((rows, columns), dtype=torch.int64, device=packed.device)
    scale = 1
    while scale < count:
        # From 1 on, since 0 stands where there is no value.
        numbered.view(-1)[:count] = (numbers // scale % base + 1).to(packed.dtype)
        digits = torch._cslt_sparse_mm(numbered, identity).to(torch.int64)
        order += (digits - 1) * scale
        scale *= base
    groups = (digits > 0).view(rows, columns // 4, 4)
    if not (groups.sum(-1) == 2).all():
        raise RuntimeError(
            "cuSPARSELt does not keep two values of every group on this GPU in the order that "
            "PyTorch documents; convert with tensor.to_dense() and compress()"
        )
    values = packed.view(-1)[order[digits > 0]].view(rows, columns // 2)
    places = groups.nonzero()[:, 2].view(rows, columns // 4, 2)
    nibbles = (places[..., 0] | places[..., 1] << 2).view(rows, columns // 16, 4)
    shifts = torch.arange(0, 16, 4, device=nibbles.device)
    words = gpu.make_words(rows, columns, values.device)
    meta = words[: columns // 16, :rows].t()
    meta.copy_((nibbles << shifts).sum(-1).to(torch.int16))
    return Compressed(values, meta, words)
