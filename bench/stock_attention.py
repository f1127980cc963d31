"""Attention forward in stock Triton, best of a few configurations: the baseline for plugins."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def steps(
    acc, total, highest, q, k_desc, v_desc, base, begin, end, row, scale, length,
    BM: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr, MASKED: tl.constexpr,
    SPECIALIZED: tl.constexpr,
):  # fmt: skip
    for key in tl.range(begin, end, BN, warp_specialize=SPECIALIZED):
        k = k_desc.load([base + key, 0])
        s = tl.dot(q, k.T) * scale
        if MASKED:
            rows = row + tl.arange(0, BM)
            s = tl.where(rows[:, None] >= key + tl.arange(0, BN)[None, :], s, -1.0e6)
        new = tl.maximum(highest, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        shrink = tl.exp2(highest - new)
        total = total * shrink + tl.sum(p, 1)
        highest = new
        v = v_desc.load([base + key, 0])
        acc = tl.dot(p.to(v.dtype), v, acc * shrink[:, None])
    return acc, total, highest


@triton.jit
def stock_attention(
    q_desc, k_desc, v_desc, o_desc, scale, length,
    BM: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr, CAUSAL: tl.constexpr,
    SPECIALIZED: tl.constexpr,
):  # fmt: skip
    """One tile of rows a program; sequences of whole tiles. `scale` includes log2(e)."""
    base = tl.program_id(1) * length
    row = tl.program_id(0) * BM
    if CAUSAL:
        row = length - BM - row
    q = q_desc.load([base + row, 0])
    acc = tl.zeros((BM, BD), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    highest = tl.full((BM,), float("-inf"), tl.float32)
    acc, total, highest = steps(
        acc, total, highest, q, k_desc, v_desc, base, 0, row if CAUSAL else length, row, scale,
        length, BM, BN, BD, False, SPECIALIZED,
    )  # fmt: skip
    if CAUSAL:
        acc, total, highest = steps(
            acc, total, highest, q, k_desc, v_desc, base, row, row + BM, row, scale, length,
            BM, BN, BD, True, False,
        )  # fmt: skip
    o_desc.store([base + row, 0], (acc / total[:, None]).to(q.dtype))


def _run(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    *,
    causal: bool,
    tile: tuple[int, int],
    num_warps: int,
    num_stages: int,
    specialized: bool,
) -> torch.Tensor:
    batch, heads, length, head_dim = q.shape
    out = torch.empty_like(q)
    bm, bn = tile
    # Stock Triton's dimensions are powers of two: a head_dim of 96 costs what 128 costs.
    bd = triton.next_power_of_2(head_dim)
    descriptors = [
        TensorDescriptor.from_tensor(x.view(-1, head_dim), [rows, bd])
        for x, rows in ((q, bm), (k, bn), (v, bn), (out, bm))
    ]
    stock_attention[(length // bm, batch * heads)](
        *descriptors, math.log2(math.e) / head_dim**0.5, length,
        BM=bm, BN=bn, BD=bd, CAUSAL=causal, SPECIALIZED=specialized,
        num_warps=num_warps, num_stages=num_stages,
    )  # fmt: skip
    return out


def candidates(causal: bool) -> Mapping[str, Callable[..., torch.Tensor]]:
    """Stock configurations worth trying, by name; each takes contiguous q, k and v.

    Lengths must be multiples of 128.
    """
    configs = [((128, 64), 4, 3, False), ((128, 128), 8, 2, False), ((128, 64), 4, 2, True)]
    return {
        f"{'x'.join(map(str, tile))}, {warps} warps, {stages} stages"
        + (", warp-specialized" if specialized else ""): functools.partial(
            _run, causal=causal, tile=tile, num_warps=warps, num_stages=stages,
            specialized=specialized,
        )
        for tile, warps, stages, specialized in configs
    }  # fmt: skip
