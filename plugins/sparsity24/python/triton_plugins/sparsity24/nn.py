"""Layers with a 2:4 sparse weight, for training and inference, `torch.compile` included."""

from __future__ import annotations

import torch

from . import gpu
from .compressed import Compressed, compress, prune
from .gemm import matmul


@torch.library.custom_op("sparsity24::linear", mutates_args=())
def _linear(x: torch.Tensor, values: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
    out_features, in_features = values.shape[0], 2 * values.shape[1]
    x = x.reshape(-1, in_features)
    y = x.new_empty((x.shape[0], out_features))
    # (x @ W.T).T is W @ x.T: the sparse matrix is on the left, and nothing is copied.
    matmul(_compressed(values, words), x.t(), out=y.t())
    return y


@_linear.register_fake
def _(x: torch.Tensor, values: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
    torch._check(x.shape[-1] == 2 * values.shape[1])
    return x.new_empty((x.numel() // x.shape[-1], values.shape[0]))


@torch.library.custom_op("sparsity24::decompress", mutates_args=())
def _decompress(values: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
    return gpu.decompress(_compressed(values, words))


@_decompress.register_fake
def _(values: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
    return values.new_empty((values.shape[0], 2 * values.shape[1]))


def _compressed(values: torch.Tensor, words: torch.Tensor) -> Compressed:
    rows, columns = values.shape
    return Compressed(values, words[: columns // 8, :rows].t(), words)


def _columns(meta: torch.Tensor) -> torch.Tensor:
    """The place in its group of every value: (M, K // 2)."""
    shifts = torch.arange(0, 16, 2, device=meta.device)
    return (meta.to(torch.int64)[:, :, None] >> shifts & 3).flatten(1)


def _setup_context(ctx, inputs, output) -> None:
    ctx.save_for_backward(*inputs)


def _backward(ctx, grad: torch.Tensor):
    x, values, words = ctx.saved_tensors
    x_grad = values_grad = None
    if ctx.needs_input_grad[0]:
        x_grad = (grad @ _decompress(values, words)).view(x.shape)
    if ctx.needs_input_grad[1]:
        rows, half = values.shape
        weight_grad = grad.t() @ x.reshape(-1, 2 * half)
        columns = _columns(words[: half // 8, :rows].t())
        groups = weight_grad.view(rows, half // 2, 4)
        values_grad = groups.gather(2, columns.view(rows, half // 2, 2)).view(rows, half)
    return x_grad, values_grad, None


_linear.register_autograd(_backward, setup_context=_setup_context)


def linear(x: torch.Tensor, weight: Compressed, bias: torch.Tensor | None = None) -> torch.Tensor:
    """Computes `x @ weight.T + bias` on a GPU; differentiable with respect to `x`,
    `weight.values` and `bias`.

    Args:
        x: (..., in_features) of float16 or bfloat16.
        weight: (out_features, in_features) of the same dtype.
        bias: (out_features,).

    Returns:
        (..., out_features).
    """
    y = _linear(x, weight.values, gpu.words_of(weight)).view(*x.shape[:-1], weight.shape[0])
    return y if bias is None else y + bias


class Linear(torch.nn.Module):
    """`torch.nn.Linear` with a 2:4 sparse weight. The values are trained, their places stay.

    Attributes:
        values: Parameter of shape (out_features, in_features // 2).
        words: Buffer with the metadata, by columns and padded.
        bias: Parameter of shape (out_features,), or None.
    """

    def __init__(self, weight: Compressed, bias: torch.Tensor | None = None):
        """Args:
        weight: (out_features, in_features) of float16 or bfloat16 on a GPU.
        bias: (out_features,), or None.
        """
        super().__init__()
        self.out_features, self.in_features = weight.shape
        self.values = torch.nn.Parameter(weight.values)
        self.register_buffer("words", gpu.words_of(weight))
        self.bias = None if bias is None else torch.nn.Parameter(bias)

    @classmethod
    def from_dense(cls, dense: torch.nn.Linear) -> Linear:
        """Prunes the weight of a dense layer by magnitude."""
        bias = None if dense.bias is None else dense.bias.detach().clone()
        return cls(compress(prune(dense.weight.detach())), bias)

    @property
    def weight(self) -> Compressed:
        """The weight."""
        return _compressed(self.values, self.words)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Computes `x @ weight.T + bias`."""
        return linear(x, self.weight, self.bias)

    def extra_repr(self) -> str:
        """What `print` says."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )
