"""Attention forward in stock Triton, best of a few configurations: the baseline for plugins."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping

import torch
import triton
import triton.language as tl


@triton.jit
def steps(
    acc, total, highest, q, k_desc, v_desc, base, begin, end, row, scale,
    BM: tl.constexpr, BN: tl.constexpr, MASKED: tl.constexpr, SPECIALIZED: tl.constexpr,
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
    q_ptr, k_ptr, v_ptr, o_ptr, scale, rows, length,
    BM: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr,
    SPECIALIZED: tl.constexpr,
):  # fmt: skip
    """One tile of rows a program; sequences of whole tiles. `scale` includes log2(e)."""
    # Made here, since stock Triton's warp specialization splits no descriptor that comes from the
    # host.
    q_desc = tl.make_tensor_descriptor(q_ptr, [rows, D], [D, 1], [BM, BD])
    k_desc = tl.make_tensor_descriptor(k_ptr, [rows, D], [D, 1], [BN, BD])
    v_desc = tl.make_tensor_descriptor(v_ptr, [rows, D], [D, 1], [BN, BD])
    o_desc = tl.make_tensor_descriptor(o_ptr, [rows, D], [D, 1], [BM, BD])
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
        BM, BN, False, SPECIALIZED,
    )  # fmt: skip
    if CAUSAL:
        acc, total, highest = steps(
            acc, total, highest, q, k_desc, v_desc, base, row, row + BM, row, scale,
            BM, BN, True, False,
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
    stock_attention[(length // bm, batch * heads)](
        q, k, v, out, math.log2(math.e) / head_dim**0.5, batch * heads * length, length,
        BM=bm, BN=bn, BD=bd, D=head_dim, CAUSAL=causal, SPECIALIZED=specialized,
        num_warps=num_warps, num_stages=num_stages,
    )  # fmt: skip
    return out


def _allocate(size: int, alignment: int, stream: int | None) -> torch.Tensor:
    """Memory for the descriptors that the kernels make."""
    return torch.empty(size, device="cuda", dtype=torch.int8)


def candidates(causal: bool) -> Mapping[str, Callable[..., torch.Tensor]]:
    """Stock configurations worth trying, by name; each takes contiguous q, k and v.

    Lengths must be multiples of 128.
    """
    configs = [((128, 64), 4, 3, False), ((128, 128), 8, 2, False)]
    if not causal:
        # With a second loop, for the mask, stock Triton's warp specialization fails.
        configs.append(((128, 64), 4, 2, True))
    triton.set_allocator(_allocate)
    return {
        f"{'x'.join(map(str, tile))}, {warps} warps, {stages} stages"
        + (", warp-specialized" if specialized else ""): functools.partial(
            _run, causal=causal, tile=tile, num_warps=warps, num_stages=stages,
            specialized=specialized,
        )
        for tile, warps, stages, specialized in configs
    }  # fmt: skip
