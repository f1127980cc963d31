"""softmax(scale Q K') V on Hopper GPUs: `attention`, with gradients.

    from examples.hopper_attention import attention
    out = attention(q, k, v, causal=True)

The kernels are in hopper_attention_kernel.py, hopper_attention_backward_kernel.py and
hopper_attention_statistics_kernel.py.
"""

from __future__ import annotations

import functools
import math

import torch
import triton
from torch.autograd.function import once_differentiable
from triton.tools.ragged_tma import create_ragged_descriptor
from triton.tools.tensor_descriptor import TensorDescriptor

from examples import (
    hopper_attention_backward_kernel,
    hopper_attention_kernel,
    hopper_attention_statistics_kernel,
)
from examples.hopper_attention_arguments import Batch, check, is_aligned, make_batch

LOG2E = math.log2(math.e)
# What CUDA allows along a grid's third axis.
MOST_SEQUENCES = 65535


def attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    *,
    causal: bool = False,
    scale: float | None = None,
    cu_seqlens: torch.Tensor | None = None,
    cu_seqlens_k: torch.Tensor | None = None,
    max_seqlen: int | None = None,
    max_seqlen_k: int | None = None,
    return_lse: bool = False,
) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
    """softmax(scale Q K') V, differentiable in q, k and v.

    Sequences of one length are (batch, heads, length, head_dim), of any strides with contiguous
    rows. With `cu_seqlens`, sequences of different lengths lie one after the other in
    (tokens, heads, head_dim).

    Args:
        q: Queries, float16 or bfloat16.
        k: Keys; their heads divide those of q (grouped-query attention).
        v: Values, shaped like k.
        causal: Query i of n sees the keys up to i + m - n of m: the last one sees all.
        scale: Positive; 1 / sqrt(head_dim) by default.
        cu_seqlens: int32 tensor (batch + 1,): where each sequence of q starts, and the last's end.
        cu_seqlens_k: The same of k and v; `cu_seqlens` by default.
        max_seqlen: Length of the longest sequence of q; without it, it is read from the GPU.
        max_seqlen_k: The same of k; `max_seqlen` by default if `cu_seqlens_k` is.
        return_lse: Whether the logarithm of each row's sum of exponentials is wanted too.

    Returns:
        A tensor like q; with `return_lse` also a float32 tensor (batch, heads, length), or
        (heads, tokens) of a ragged batch. A row that sees no key is 0, and its logarithm -inf.

    Raises:
        ValueError: A shape, dtype, stride or device that the kernels don't take.
    """
    batch = make_batch(q, k, cu_seqlens, cu_seqlens_k, max_seqlen, max_seqlen_k)
    check(q, k, v, batch)
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    if not scale > 0:
        raise ValueError(f"scale must be positive, but is {scale}")
    out, lse = _Attention.apply(q, k, v, batch, causal, scale)
    return (out, lse) if return_lse else out


class _Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, batch, causal, scale):
        # Triton launches on the current GPU, whatever the tensors are on.
        with torch.cuda.device(q.device):
            out, lse = forward(q, k, v, batch, causal, scale)
        ctx.save_for_backward(q, k, v, out, lse)
        ctx.batch, ctx.causal, ctx.scale = batch, causal, scale
        ctx.mark_non_differentiable(lse)
        return out, lse

    @staticmethod
    @once_differentiable
    def backward(ctx, grad, _):
        with torch.cuda.device(grad.device):
            gradients = backward(*ctx.saved_tensors, grad, ctx.batch, ctx.causal, ctx.scale)
        return *gradients, None, None, None


def forward(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, batch: Batch, causal: bool, scale: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """The output and the logarithm of each row's sum, of arguments that were checked."""
    heads = q.shape[-2] if batch.is_ragged else q.shape[1]
    kv_heads = k.shape[-2] if batch.is_ragged else k.shape[1]
    out = torch.empty_like(q)
    rows = (heads, q.shape[0]) if batch.is_ragged else (batch.count, heads, batch.max_q)
    lse = torch.empty(rows, dtype=torch.float32, device=q.device)
    if out.numel() == 0 or k.numel() == 0:
        # No row sees a key.
        return out.zero_(), lse.fill_(-math.inf)
    constants = hopper_attention_kernel.constants(q.shape[-1])
    head, tail = constants["D0"], constants["D1"]
    own = constants["BM"] // constants["GROUPS"]
    boxes = [(q, own), (k, constants["BN"]), (v, constants["BN"]), (out, own)]
    descriptors = [describe(tensor, height, head, batch) for tensor, height in boxes]
    tails = [describe(tensor, height, tail, batch) if tail else None for tensor, height in boxes]
    tiles = triton.cdiv(batch.max_q, constants["BM"]) * batch.count * heads
    programs = min(tiles, _multiprocessors(q.device))
    taken = torch.zeros(1, dtype=torch.int32, device=q.device)
    hopper_attention_kernel.attention_forward[(programs,)](
        *descriptors, *tails, lse, taken, batch.cu_q, batch.cu_k, scale * LOG2E, tiles, heads,
        heads // kv_heads, batch.max_q, batch.max_k, lse.shape[-1],
        CAUSAL=causal, RAGGED=batch.is_ragged, **constants, **hopper_attention_kernel.OPTIONS,
    )  # fmt: skip
    return out, lse


def backward(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    out: torch.Tensor,
    lse: torch.Tensor,
    grad: torch.Tensor,
    batch: Batch,
    causal: bool,
    scale: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The gradients of q, k and v; dq's last bits differ from run to run (float32 additions)."""
    kernels = hopper_attention_backward_kernel
    head_dim, heads = q.shape[-1], lse.shape[-2]
    kv_heads = k.shape[-2] if batch.is_ragged else k.shape[1]
    if head_dim > kernels.HEAD_DIMS[-1]:
        raise ValueError(
            f"gradients need a head_dim up to {kernels.HEAD_DIMS[-1]}, but it is {head_dim}"
        )
    if batch.count > MOST_SEQUENCES:
        raise ValueError(
            f"gradients need at most {MOST_SEQUENCES} sequences at a time, but there are "
            f"{batch.count}; split the batch"
        )
    if q.numel() == 0 or k.numel() == 0:
        return torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
    # What no sequence of a ragged batch owns is not written.
    new = torch.zeros_like if batch.is_ragged else torch.empty_like
    dk, dv = new(k), new(v)
    sums = torch.zeros(q.shape, dtype=torch.float32, device=q.device)
    grad = grad if is_aligned(grad) else grad.contiguous()
    constants = kernels.constants(head_dim)
    height, keys = constants["BM"], constants["BN"] // 2
    head, tail = constants["D0"], constants["D1"]
    tiles = triton.cdiv(batch.max_q, height)
    padded = (q.shape[0] // height + batch.count if batch.is_ragged else tiles) * height
    statistics = torch.empty(
        (2, heads, padded) if batch.is_ragged else (2, batch.count, heads, padded),
        dtype=torch.float32,
        device=q.device,
    )

    def strides(x: torch.Tensor) -> tuple[int, int, int]:
        """Of the batch, the heads and the rows."""
        return (0, x.stride(1), x.stride(0)) if batch.is_ragged else x.stride()[:3]

    hopper_attention_statistics_kernel.row_statistics[(tiles, heads, batch.count)](
        out, grad, lse, *statistics, batch.cu_q, heads, batch.max_q, head_dim, *strides(out),
        *strides(grad), lse.shape[-1], padded, BM=height, BD=triton.next_power_of_2(head_dim),
        RAGGED=batch.is_ragged,
    )  # fmt: skip
    boxes = [(q, height), (k, keys), (v, keys), (grad, height), (dk, keys), (dv, keys)]
    whole = [describe(tensor, rows, head, batch) for tensor, rows in boxes]
    tails = [describe(tensor, rows, tail, batch) if tail else None for tensor, rows in boxes]
    _, added, _, columns = kernels.dq_part(0, head, tail, height)
    whole.append(describe(sums, added, columns, batch))
    tails.append(describe(sums, added, tail, batch) if tail else None)
    kernels.attention_backward[(triton.cdiv(batch.max_k, 2 * keys), kv_heads, batch.count)](
        *whole, *tails, *statistics, batch.cu_q, batch.cu_k, scale * LOG2E, heads,
        heads // kv_heads, batch.max_q, batch.max_k, padded, CAUSAL=causal,
        RAGGED=batch.is_ragged, **constants, **kernels.OPTIONS,
    )  # fmt: skip
    dq = torch.empty_like(q)
    torch.mul(sums, scale, out=dq)
    return dq, dk, dv


def describe(tensor: torch.Tensor, height: int, width: int, batch: Batch) -> TensorDescriptor:
    """What the copies of `height` rows and `width` columns of one head go by.

    Rows past a sequence's end read as zeros and are not written, in a ragged batch too.
    """
    if batch.is_ragged:
        return create_ragged_descriptor(tensor.transpose(0, 1), [1, height, width], ragged_dim=1)
    # The stride of a dimension of one element is arbitrary, but copies want multiples of 16 bytes.
    strides = [
        stride if size > 1 else tensor.shape[-1]
        for size, stride in zip(tensor.shape[:-1], tensor.stride(), strict=False)
    ]
    return TensorDescriptor(tensor, list(tensor.shape), [*strides, 1], [1, 1, height, width])


@functools.cache
def _multiprocessors(device: torch.device) -> int:
    return torch.cuda.get_device_properties(device).multi_processor_count
