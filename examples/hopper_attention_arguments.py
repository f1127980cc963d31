"""What attention takes: sequences of one length or of many, and checks of its arguments."""

from __future__ import annotations

import dataclasses

import torch

from examples import hopper_attention_kernel

DTYPES = (torch.float16, torch.bfloat16)


@dataclasses.dataclass(frozen=True)
class Batch:
    """The sequences of a batch.

    Attributes:
        count: How many there are.
        max_q, max_k: Queries and keys of the longest one.
        cu_q, cu_k: Where each one starts in a ragged batch, and the last one's end: int32 tensors
            of shape (count + 1,). None if all have the same length.
    """

    count: int
    max_q: int
    max_k: int
    cu_q: torch.Tensor | None = None
    cu_k: torch.Tensor | None = None

    @property
    def is_ragged(self) -> bool:
        return self.cu_q is not None


def make_batch(
    q: torch.Tensor,
    k: torch.Tensor,
    cu_q: torch.Tensor | None,
    cu_k: torch.Tensor | None,
    max_q: int | None,
    max_k: int | None,
) -> Batch:
    """The batch that `attention` was given.

    Args:
        q, k: Queries and keys.
        cu_q, cu_k: Where sequences start, in a ragged batch; `cu_k` is `cu_q` by default.
        max_q, max_k: Lengths of the longest ones, if they are known.

    Raises:
        ValueError: Dimensions, dtypes or devices don't fit.
    """
    if cu_q is None:
        if cu_k is not None:
            raise ValueError("cu_seqlens_k needs cu_seqlens")
        if q.dim() != 4 or k.dim() != 4:
            raise ValueError(
                "q, k and v must be (batch, heads, length, head_dim), but q is "
                f"{tuple(q.shape)} and k is {tuple(k.shape)}; for (tokens, heads, head_dim) pass "
                "cu_seqlens"
            )
        return Batch(q.shape[0], q.shape[2], k.shape[2])
    if q.dim() != 3 or k.dim() != 3:
        raise ValueError(
            "with cu_seqlens, q, k and v must be (tokens, heads, head_dim), but q is "
            f"{tuple(q.shape)} and k is {tuple(k.shape)}"
        )

    def longest(starts: torch.Tensor) -> int:
        return int(starts.diff().max()) if len(starts) > 1 else 0

    for name, starts in (("cu_seqlens", cu_q), ("cu_seqlens_k", cu_q if cu_k is None else cu_k)):
        if starts.dtype != torch.int32 or starts.dim() != 1 or not starts.is_contiguous():
            raise ValueError(
                f"{name} must be a contiguous int32 tensor of one dimension, but is "
                f"{starts.dtype} {tuple(starts.shape)}"
            )
        if starts.device != q.device:
            raise ValueError(f"{name} must be on {q.device} like q, but is on {starts.device}")
    max_q = longest(cu_q) if max_q is None else max_q
    if cu_k is None:
        cu_k, max_k = cu_q, max_q if max_k is None else max_k
    max_k = longest(cu_k) if max_k is None else max_k
    if len(cu_q) != len(cu_k):
        raise ValueError(
            f"cu_seqlens has {len(cu_q) - 1} sequences, but cu_seqlens_k {len(cu_k) - 1}"
        )
    return Batch(len(cu_q) - 1, max_q, max_k, cu_q, cu_k)


def check(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, batch: Batch) -> None:
    """Checks what the kernels take.

    Raises:
        ValueError: A shape, dtype, stride or device that they don't take.
    """

    def sizes(x: torch.Tensor) -> tuple[int, ...]:
        """Batch, heads and head_dim."""
        return (1, *x.shape[1:]) if batch.is_ragged else (*x.shape[:2], x.shape[3])

    if k.shape != v.shape:
        raise ValueError(f"k is {tuple(k.shape)}, but v is {tuple(v.shape)}")
    if sizes(q)[0] != sizes(k)[0] or sizes(q)[2] != sizes(k)[2]:
        raise ValueError(
            f"q {tuple(q.shape)} and k {tuple(k.shape)} differ in their batch or head_dim"
        )
    if sizes(k)[1] == 0 or sizes(q)[1] % sizes(k)[1]:
        raise ValueError(f"{sizes(k)[1]} heads of k do not divide {sizes(q)[1]} heads of q")
    largest = hopper_attention_kernel.HEAD_DIMS[-1]
    if q.shape[-1] % 8 or not 0 < q.shape[-1] <= largest:
        raise ValueError(
            f"head_dim must be a multiple of 8 up to {largest}, but is {q.shape[-1]}; pad it"
        )
    for name, x in (("q", q), ("k", k), ("v", v)):
        if not x.is_cuda or x.device != q.device:
            raise ValueError(
                f"q, k and v must be on one GPU, but q is on {q.device} and {name} on {x.device}"
            )
        if x.dtype not in DTYPES or x.dtype != q.dtype:
            raise ValueError(
                f"q, k and v must all be float16 or all bfloat16, but {name} is {x.dtype}"
            )
        if not is_aligned(x):
            raise ValueError(
                f"{name} must have contiguous rows that start at multiples of 16 bytes, but has "
                f"strides {x.stride()} at address {x.data_ptr():#x}; call contiguous()"
            )


def is_aligned(x: torch.Tensor) -> bool:
    """Whether the rows are contiguous and start at multiples of 16 bytes."""
    outer = zip(x.shape[:-1], x.stride(), strict=False)
    odd = any(size > 1 and stride % 8 for size, stride in outer)
    return x.stride(-1) == 1 and not odd and x.data_ptr() % 16 == 0
