"""What attention's kernels on Hopper share: copies of rows of one head, masks, addresses."""

from __future__ import annotations

import triton
import triton.language as tl
from triton.tools.ragged_tma import to_ragged_indices

import triton_plugins.tlx as tlx


@triton.jit
def count_tiles(row, len_q, len_k, ROWS: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    """How many tiles of keys ROWS queries need, and how many of them, the first, need no mask.

    The last one needs a mask, and there is one even if no query sees a key.
    """
    keys = len_k
    free = len_k // BN
    if CAUSAL:
        # The last row sees all keys.
        seen = row + len_k - len_q + 1
        keys = tl.minimum(keys, seen + ROWS - 1)
        free = tl.maximum(seen, 0) // BN
    tiles = tl.maximum(tl.cdiv(keys, BN), 1)
    return tiles, tl.minimum(free, tiles - 1)


@triton.jit
def locate_rows(
    tile, cu_q, cu_k, heads, max_q, max_k,
    BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr, RAGGED: tl.constexpr,
):  # fmt: skip
    """Where a tile is: its batch, head, first row, sequences, and tiles of keys."""
    blocks = tl.cdiv(max_q, BM)
    block = tile % blocks
    if CAUSAL:
        # The rows with the most keys first, so that short tiles fill the gaps at the end.
        block = blocks - 1 - block
    head = tile // blocks % heads
    batch = tile // blocks // heads
    row = block * BM
    if RAGGED:
        start_q, start_k = tl.load(cu_q + batch), tl.load(cu_k + batch)
        len_q = tl.load(cu_q + batch + 1) - start_q
        len_k = tl.load(cu_k + batch + 1) - start_k
    else:
        start_q, start_k, len_q, len_k = 0, 0, max_q, max_k
    tiles, _ = count_tiles(row, len_q, len_k, BM, BN, CAUSAL)
    return batch, head, row, start_q, len_q, start_k, len_k, tiles


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
def let_pass(k_full, k_empty, v_full, v_empty, tiles, stage, phase, STAGES: tl.constexpr):
    """Releases tiles of keys that only other groups need."""
    for _ in tl.range(0, tiles):
        tlx.barrier_wait(k_full[stage], phase)
        tlx.barrier_arrive(k_empty[stage])
        tlx.barrier_wait(v_full[stage], phase)
        tlx.barrier_arrive(v_empty[stage])
        stage += 1
        phase = tl.where(stage == STAGES, phase ^ 1, phase)
        stage = tl.where(stage == STAGES, 0, stage)
    return stage, phase


@triton.jit
def add_rows(
    dq, desc, buffer, batch, head, row, start, length, COLUMN: tl.constexpr, RAGGED: tl.constexpr,
):  # fmt: skip
    """Adds dQ of one column part up in memory, once the copy before it has left its buffer."""
    tlx.async_descriptor_store_wait(0)
    tlx.local_store(buffer[0], dq)
    tlx.fence("async_shared")
    store_rows(desc, buffer[0], batch, head, row, start, length, COLUMN, RAGGED, "add")


@triton.jit
def unknown_zero():
    """A zero that LLVM does not know.

    Added to a buffer's number, it keeps LLVM from computing the descriptors of a loop's products
    ahead of the loop: there are more than registers.
    """
    return tl.inline_asm_elementwise(
        "mov.u32 $0, 0;", "=r", [], dtype=tl.int32, is_pure=False, pack=1
    )


@triton.jit
def uniform(value):
    """An int32 that all threads of a warp agree on, in a register that they share.

    The assembler does not see that they agree on what comes from memory, and would keep all that
    follows from it once a thread (PTX ISA, "redux.sync").
    """
    return tl.inline_asm_elementwise(
        "redux.sync.max.s32 $0, $1, 0xffffffff;", "=r,r", [value], dtype=tl.int32, is_pure=True,
        pack=1,
    )  # fmt: skip


@triton.jit
def mask_scores(scores, row, key, len_q, len_k, CAUSAL: tl.constexpr):
    """Scores that a row may not see become -inf; `row` and `key` are those of the first element.

    A thread has columns of every group of eight, so groups are compared with constants, and what
    differs from thread to thread is on the other side: few registers.
    """
    ROWS: tl.constexpr = scores.shape[0]
    BN: tl.constexpr = scores.shape[1]
    if CAUSAL:
        last = row + tl.arange(0, ROWS)[:, None] + (len_k - len_q - key)
    else:
        last = len_k - 1 - key
    room = last - tl.arange(0, 8)[None, :]
    groups = 8 * tl.arange(0, BN // 8)[None, :, None]
    seen = groups <= room[:, None, :]
    parts = tl.where(seen, tl.reshape(scores, (ROWS, BN // 8, 8)), float("-inf"))
    return tl.reshape(parts, (ROWS, BN))


@triton.jit
def pack_pairs(x):
    """Two 16-bit elements of a row in each int32.

    LLVM keeps each element that a branch may change in a register of its own, but not so pairs.
    """
    even, odd = tl.split(tl.reshape(x, (x.shape[0], x.shape[1] // 2, 2)))
    return tl.inline_asm_elementwise(
        "mov.b32 $0, {$1, $2};", "=r,h,h", [even, odd], dtype=tl.int32, is_pure=True, pack=1
    )


@triton.jit
def unpack_pairs(pairs, DTYPE: tl.constexpr):
    """The elements that `pack_pairs` has packed."""
    even, odd = tl.inline_asm_elementwise(
        "mov.b32 {$0, $1}, $2;",
        "=h,=h,r",
        [pairs],
        dtype=(DTYPE.value, DTYPE.value),
        is_pure=True,
        pack=1,
    )
    return tl.reshape(tl.join(even, odd), (pairs.shape[0], 2 * pairs.shape[1]))


@triton.jit
def mask_keys(s, key, row, len_q, len_k, CAUSAL: tl.constexpr):
    """S' of keys that a query may not see becomes -inf; like `mask_scores`, in few registers."""
    KEYS: tl.constexpr = s.shape[0]
    BM: tl.constexpr = s.shape[1]
    keys = key + tl.arange(0, KEYS)
    # A key is seen from this query of the tile on.
    begin = tl.where(keys < len_k, keys - (len_k - len_q) - row if CAUSAL else 0, BM)
    begin = begin[:, None] - tl.arange(0, 8)[None, :]
    seen = 8 * tl.arange(0, BM // 8)[None, :, None] >= begin[:, None, :]
    parts = tl.where(seen, tl.reshape(s, (KEYS, BM // 8, 8)), float("-inf"))
    return tl.reshape(parts, (KEYS, BM))


@triton.jit
def make_ds(p, dp, delta):
    """P' (dP' - delta), of the rounded P'.

    In the assembler's words, because LLVM would unpack P' where it is made, and keep every element
    in a register of its own until here.
    """
    NAME: tl.constexpr = "bf16" if p.dtype == tl.bfloat16 else "f16"
    TEXT: tl.constexpr = f"""{{
        .reg .b16 low, high;
        .reg .f32 first, second, p;
        mov.b32 {{low, high}}, $1;
        sub.f32 first, $2, $4;
        cvt.f32.{NAME} p, low;
        mul.f32 first, first, p;
        sub.f32 second, $3, $5;
        cvt.f32.{NAME} p, high;
        mul.f32 second, second, p;
        cvt.rn.{NAME}x2.f32 $0, second, first;
    }}"""
    return tl.inline_asm_elementwise(
        TEXT, "=r,r,r,r,r,r", [p, dp, delta], dtype=p.dtype, is_pure=True, pack=2
    )


@triton.jit
def multiply(a, a_tail, a_index, b, b_tail, b_index, D1: tl.constexpr):
    """Begins A B' of a head's columns."""
    product = tlx.async_dot(a[a_index], tlx.local_trans(b[b_index]))
    if D1:
        product = tlx.async_dot(a_tail[a_index], tlx.local_trans(b_tail[b_index]), product)
    return product


@triton.jit
def multiply_ds(ds, half, keys, zero, PART: tl.constexpr, IN_TAIL: tl.constexpr):
    """Begins a part of dS K: rows and columns as `dq_part` tells, dS' and keys of both groups."""
    KEYS: tl.constexpr = keys.shape[0]
    COLUMN: tl.constexpr = 0 if IN_TAIL else PART[2]
    first = tlx.local_trans(tlx.local_slice(ds[half], [0, PART[0]], [KEYS, PART[1]]))
    dq = tlx.async_dot(first, tlx.local_slice(keys[zero], [0, COLUMN], [KEYS, PART[3]]))
    second = tlx.local_trans(tlx.local_slice(ds[half + 1], [0, PART[0]], [KEYS, PART[1]]))
    return tlx.async_dot(second, tlx.local_slice(keys[zero + 1], [0, COLUMN], [KEYS, PART[3]]), dq)
