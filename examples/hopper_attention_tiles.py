"""What attention's kernels on Hopper share: copies of rows of one head, and the mask of a tile."""

from __future__ import annotations

import triton
import triton.language as tl
from triton.tools.ragged_tma import to_ragged_indices

import triton_plugins.tlx as tlx


@triton.jit
def load_rows(
    desc, tail_desc, ring, tail_ring, index, barrier, batch, head, row, start, length,
    D0: tl.constexpr, D1: tl.constexpr, RAGGED: tl.constexpr,
):  # fmt: skip
    """Copies rows of one head into a buffer of a ring; rows past the sequence's end are zeros."""
    if RAGGED:
        outer, end, inner = to_ragged_indices(start, length, row)
        tlx.async_descriptor_load(desc, ring[index], [outer, end, head, inner, 0], barrier)
        if D1:
            tlx.async_descriptor_load(
                tail_desc, tail_ring[index], [outer, end, head, inner, D0], barrier
            )
    else:
        tlx.async_descriptor_load(desc, ring[index], [batch, head, row, 0], barrier)
        if D1:
            tlx.async_descriptor_load(tail_desc, tail_ring[index], [batch, head, row, D0], barrier)


@triton.jit
def store_rows(
    desc, buffer, batch, head, row, start, length, COLUMN: tl.constexpr, RAGGED: tl.constexpr,
    REDUCE: tl.constexpr = "",
):  # fmt: skip
    """Copies rows of one head back, or adds them; rows past the sequence's end are left out."""
    if RAGGED:
        outer, end, inner = to_ragged_indices(start, length, row)
        coordinates = [outer, end, head, inner, COLUMN]
        tlx.async_descriptor_store(desc, buffer, coordinates, store_reduce=REDUCE)
    else:
        tlx.async_descriptor_store(desc, buffer, [batch, head, row, COLUMN], store_reduce=REDUCE)


@triton.jit
def mask_scores(scores, row, key, len_q, len_k, CAUSAL: tl.constexpr):
    """Scores that a row may not see become -inf; `row` and `key` are those of the first element."""
    rows = row + tl.arange(0, scores.shape[0])
    keys = key + tl.arange(0, scores.shape[1])
    if CAUSAL:
        seen = keys[None, :] <= (rows + (len_k - len_q))[:, None]
    else:
        seen = keys[None, :] < len_k
    return tl.where(seen, scores, float("-inf"))
