"""Attention and its gradients in float64, and how far correct code may be off."""

from __future__ import annotations

import dataclasses

import torch


@dataclasses.dataclass(frozen=True)
class Expected:
    """A result in float64, and each element's bound on a correct result's error."""

    value: torch.Tensor
    bound: torch.Tensor

    def worst(self, result: torch.Tensor) -> float:
        """The largest error over its bound; NaN where an element was not written."""
        if result.numel() == 0:
            return 0.0
        result = result.detach().double()
        same = result == self.value
        errors = (result - self.value).abs() / self.bound
        return float(errors.masked_fill(same, 0.0).max())


def seen(queries: int, keys: int, causal: bool, device: torch.device) -> torch.Tensor:
    """Which query sees which key: bool (queries, keys), the last query seeing all."""
    mask = torch.ones(queries, keys, dtype=torch.bool, device=device)
    return mask.tril(keys - queries) if causal else mask


def expand(x: torch.Tensor, heads: int) -> torch.Tensor:
    """Keys or values in float64, once for every head of the queries."""
    return x.double().repeat_interleave(heads // x.shape[1], dim=1)


def forward(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool, scale: float
) -> tuple[Expected, Expected]:
    """Expected output and lse of (batch, heads, length, head_dim) tensors.

    P and the output are rounded to the inputs' type, half a unit in the last place each; a quarter
    more is for float32 arithmetic and the approximate exponential.
    """
    weights, lse, values = _weights(q, k, v, causal, scale)
    eps = torch.finfo(q.dtype).eps
    bound = 1.25 * eps * (weights @ values.abs()) + torch.finfo(q.dtype).tiny
    # Scores are float32 sums, and lse is as large as they are; of no keys it is -inf.
    longest = k.double().norm(dim=-1).flatten(1)
    longest = longest.amax(1) if longest.numel() else longest.new_zeros(len(k))
    scores = scale * q.double().norm(dim=-1) * longest[:, None, None]
    return Expected(weights @ values, bound), Expected(lse, 1e-5 * (1 + scores))


def backward(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    grad: torch.Tensor,
    causal: bool,
    scale: float,
) -> tuple[Expected, Expected, Expected]:
    """Expected gradients of q, k and v.

    What is rounded to the inputs' type: P, dS, the output that delta is made from, the results.
    """
    heads, kv_heads = q.shape[1], k.shape[1]
    eps = torch.finfo(q.dtype).eps
    tiny = torch.finfo(q.dtype).tiny
    weights, _, values = _weights(q, k, v, causal, scale)
    keys, queries, grads = expand(k, heads), q.double(), grad.double()
    products = grads @ values.mT
    delta = (weights * products).sum(-1, keepdim=True)
    ds = weights * (products - delta)
    delta_error = eps * (grads.abs() * (weights @ values.abs())).sum(-1, keepdim=True)
    # dS is rounded, and so are the sums that cancel in it.
    magnitude = weights * (grads.abs() @ values.abs().mT)
    ds_error = eps * ds.abs() + weights * delta_error + 1e-5 * magnitude

    def per_kv_head(x: torch.Tensor) -> torch.Tensor:
        return x.unflatten(1, (kv_heads, heads // kv_heads)).sum(2)

    def expected(value: torch.Tensor, error: torch.Tensor) -> Expected:
        return Expected(value, 1.25 * (error + eps * value.abs()) + tiny)

    return (
        expected(scale * ds @ keys, scale * ds_error @ keys.abs()),
        expected(
            per_kv_head(scale * ds.mT @ queries), per_kv_head(scale * ds_error.mT @ queries.abs())
        ),
        expected(per_kv_head(weights.mT @ grads), per_kv_head(eps * weights.mT @ grads.abs())),
    )


def _weights(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool, scale: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """P, lse, and the values of every head; a row that sees no key is zero."""
    heads = q.shape[1]
    scores = scale * q.double() @ expand(k, heads).mT
    scores.masked_fill_(~seen(q.shape[2], k.shape[2], causal, q.device), float("-inf"))
    lse = scores.logsumexp(-1)
    weights = (scores - lse[..., None]).exp().nan_to_num(0.0)
    return weights, lse, expand(v, heads)
