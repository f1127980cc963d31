"""Attention forward on CDNA3 and CDNA4, with TLX.

Each program computes BM rows of one head. While a tile of K and V is worked on, the next one is
under way: directly to LDS on gfx950 (DIRECT), in registers on gfx942.

A head dimension is the sum of two powers of two, D0 and D1: 96 is 64 and 32, for which no product
is larger than it has to be. D1 is 0 for 64 and 128.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import triton
import triton.language as tl

import triton_plugins.tlx as tlx
from examples.amd_gemm_kernel import consecutive_on_xcd

if TYPE_CHECKING:
    import torch


@triton.jit
def _fill(buffers, slot, ptr, offsets, mask, DIRECT: tl.constexpr):
    """Starts to load a tile; what is in registers meanwhile."""
    tile = offsets
    if DIRECT:
        tlx.buffer_load_to_local(tlx.local_view(buffers, slot), ptr, offsets, mask=mask)
    else:
        tile = tlx.buffer_load(ptr, offsets, mask=mask, other=0.0)
    return tile


@triton.jit
def _finish(buffers, slot, tile, DIRECT: tl.constexpr):
    """Puts a tile that is in registers into its buffer."""
    if not DIRECT:
        tlx.local_store(tlx.local_view(buffers, slot), tile)


@triton.jit
def amd_attention(
    q_ptr, k_ptr, v_ptr, o_ptr, Q_LEN, KV_LEN, heads, scale,
    stride_qb, stride_qh, stride_qm, stride_kb, stride_kh, stride_kn,
    stride_vb, stride_vh, stride_vn, stride_ob, stride_oh, stride_om,
    BM: tl.constexpr, BN: tl.constexpr, D0: tl.constexpr, D1: tl.constexpr,
    CAUSAL: tl.constexpr, HEADS_PER_KV: tl.constexpr, DIRECT: tl.constexpr, XCDS: tl.constexpr,
):  # fmt: skip
    # A tile in registers needs no buffer of its own.
    NUM_BUFFERS: tl.constexpr = 2 if DIRECT else 1
    tiles_m = tl.cdiv(Q_LEN, BM)
    # The programs of one head read the same K and V.
    pid = consecutive_on_xcd(tl.program_id(0), tl.num_programs(0), XCDS)
    # Causal rows near the end have the most columns: they start first.
    tile_m = tiles_m - 1 - pid % tiles_m
    head = pid // tiles_m % heads
    batch = (pid // tiles_m // heads).to(tl.int64)
    kv_head = head // HEADS_PER_KV

    q_ptr += batch * stride_qb + head * stride_qh + (tile_m * BM).to(tl.int64) * stride_qm
    o_ptr += batch * stride_ob + head * stride_oh + (tile_m * BM).to(tl.int64) * stride_om
    k_ptr += batch * stride_kb + kv_head * stride_kh
    v_ptr += batch * stride_vb + kv_head * stride_vh

    rows, cols = tl.arange(0, BM), tl.arange(0, BN)
    dims0 = tl.arange(0, D0)
    row_mask = rows[:, None] < Q_LEN - tile_m * BM
    q0 = tlx.buffer_load(q_ptr, rows[:, None] * stride_qm + dims0[None, :], row_mask, other=0.0)
    k0_offsets = dims0[:, None] + cols[None, :] * stride_kn
    # gfx942 transposes V on its way to LDS, in registers, for which a thread needs several rows.
    # Loads of 8 elements give it only one of some tiles, or two that it stores with bank conflicts.
    SHORT_LOADS: tl.constexpr = not DIRECT and D0 == 64
    v_dims0 = tl.max_contiguous(dims0, 4) if SHORT_LOADS else dims0
    v0_offsets = cols[:, None] * stride_vn + v_dims0[None, :]
    k0_bufs = tlx.local_alloc((D0, BN), tlx.dtype_of(k_ptr), NUM_BUFFERS)
    v0_bufs = tlx.local_alloc((BN, D0), tlx.dtype_of(v_ptr), NUM_BUFFERS)
    acc0 = tl.zeros((BM, D0), tl.float32)
    if D1 > 0:
        dims1 = D0 + tl.arange(0, D1)
        q1 = tlx.buffer_load(q_ptr, rows[:, None] * stride_qm + dims1[None, :], row_mask, other=0.0)
        k1_offsets = dims1[:, None] + cols[None, :] * stride_kn
        v_dims1 = tl.max_contiguous(dims1, 2) if SHORT_LOADS else dims1
        v1_offsets = cols[:, None] * stride_vn + v_dims1[None, :]
        k1_bufs = tlx.local_alloc((D1, BN), tlx.dtype_of(k_ptr), NUM_BUFFERS)
        v1_bufs = tlx.local_alloc((BN, D1), tlx.dtype_of(v_ptr), NUM_BUFFERS)
        acc1 = tl.zeros((BM, D1), tl.float32)

    # Row i sees columns up to i + KV_LEN - Q_LEN.
    first_masked = KV_LEN // BN
    end = tl.cdiv(KV_LEN, BN)
    last_col = rows[:, None] + tile_m * BM + (KV_LEN - Q_LEN)
    if CAUSAL:
        seen = tile_m * BM + KV_LEN - Q_LEN
        first_masked = tl.minimum(first_masked, tl.maximum(seen + 1, 0) // BN)
        end = tl.minimum(end, tl.cdiv(tl.maximum(seen + BM, 0), BN))

    left = cols < KV_LEN
    k0 = _fill(k0_bufs, 0, k_ptr, k0_offsets, left[None, :], DIRECT)
    v0 = _fill(v0_bufs, 0, v_ptr, v0_offsets, left[:, None], DIRECT)
    _finish(k0_bufs, 0, k0, DIRECT)
    _finish(v0_bufs, 0, v0, DIRECT)
    if D1 > 0:
        k1 = _fill(k1_bufs, 0, k_ptr, k1_offsets, left[None, :], DIRECT)
        v1 = _fill(v1_bufs, 0, v_ptr, v1_offsets, left[:, None], DIRECT)
        _finish(k1_bufs, 0, k1, DIRECT)
        _finish(v1_bufs, 0, v1, DIRECT)
    tlx.async_load_commit_group()

    # In units of log2, which exp2 wants.
    scale *= 1.4426950408889634
    highest = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    # Whole tiles first, then those with columns that some row does not see.
    for masked in tl.static_range(2):
        first, last = (first_masked, end) if masked else (0, first_masked)
        for n in tl.range(first, last, num_stages=0):
            tlx.async_load_wait_group(0)
            slot, other = n % NUM_BUFFERS, (n + 1) % NUM_BUFFERS
            k_ptr += BN * stride_kn
            v_ptr += BN * stride_vn
            left = cols < KV_LEN - (n + 1) * BN
            k0 = _fill(k0_bufs, other, k_ptr, k0_offsets, left[None, :], DIRECT)
            v0 = _fill(v0_bufs, other, v_ptr, v0_offsets, left[:, None], DIRECT)
            if D1 > 0:
                k1 = _fill(k1_bufs, other, k_ptr, k1_offsets, left[None, :], DIRECT)
                v1 = _fill(v1_bufs, other, v_ptr, v1_offsets, left[:, None], DIRECT)
            tlx.async_load_commit_group()

            scores = tl.dot(q0, tlx.local_load(tlx.local_view(k0_bufs, slot)))
            if D1 > 0:
                scores = tl.dot(q1, tlx.local_load(tlx.local_view(k1_bufs, slot)), scores)
            scores *= scale
            if masked:
                col = n * BN + cols[None, :]
                visible = col < KV_LEN
                if CAUSAL:
                    visible &= col <= last_col
                scores = tl.where(visible, scores, float("-inf"))

            # A row that has seen nothing yet has no maximum to subtract.
            maximum = tl.maximum(highest, tl.max(scores, 1))
            shift = tl.where(maximum == float("-inf"), 0.0, maximum)
            weights = tl.exp2(scores - shift[:, None])
            shrink = tl.exp2(highest - shift)
            total = total * shrink + tl.sum(weights, 1)
            highest = maximum
            weights = weights.to(tlx.dtype_of(v_ptr))
            acc0 *= shrink[:, None]
            acc0 = tl.dot(weights, tlx.local_load(tlx.local_view(v0_bufs, slot)), acc0)
            if D1 > 0:
                acc1 *= shrink[:, None]
                acc1 = tl.dot(weights, tlx.local_load(tlx.local_view(v1_bufs, slot)), acc1)

            if not DIRECT:
                # Stores that the scheduler moved up would wait for their loads.
                tlx.amd_sched_barrier(0)
            _finish(k0_bufs, other, k0, DIRECT)
            _finish(v0_bufs, other, v0, DIRECT)
            if D1 > 0:
                _finish(k1_bufs, other, k1, DIRECT)
                _finish(v1_bufs, other, v1, DIRECT)

    share = 1.0 / tl.where(total == 0.0, 1.0, total)[:, None]
    o_offsets = rows[:, None] * stride_om + dims0[None, :]
    tlx.buffer_store((acc0 * share).to(tlx.dtype_of(o_ptr)), o_ptr, o_offsets, row_mask)
    if D1 > 0:
        o_offsets = rows[:, None] * stride_om + dims1[None, :]
        tlx.buffer_store((acc1 * share).to(tlx.dtype_of(o_ptr)), o_ptr, o_offsets, row_mask)


# The parts of each head dimension.
PARTS = {64: (64, 0), 96: (64, 32), 128: (128, 0)}
# The columns of a step: as many as registers leave room for with two waves on a SIMD.
COLUMNS = {"gfx942": {64: 64, 96: 32, 128: 32}, "gfx950": {64: 128, 96: 64, 128: 64}}


def settings(arch: str, head_dim: int) -> tuple[dict[str, int], dict[str, int]]:
    """The kernel's constants and options for a GPU ("gfx942", "gfx950") and a head dimension.

    Two waves share a SIMD: one has products to do while the other one is in its softmax. A tile of
    K and V that waits in registers leaves less of them on gfx942.

    Raises:
        ValueError: There is none.
    """
    if head_dim not in PARTS or arch not in COLUMNS:
        raise ValueError(
            f"attention takes a head dimension of 64, 96 or 128 on gfx942 or gfx950, but they are "
            f"{head_dim} and {arch}"
        )
    direct = arch == "gfx950"
    constants = {"BM": 128, "BN": COLUMNS[arch][head_dim], "XCDS": 8}
    constants |= {"D0": PARTS[head_dim][0], "D1": PARTS[head_dim][1], "DIRECT": direct}
    options = {"num_warps": 4, "matrix_instr_nonkdim": 32}
    # Elsewhere registers leave room for two waves anyhow, and the compiler orders them worse.
    if direct or head_dim == 64:
        options["waves_per_eu"] = 2
    return constants, options


def attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    *,
    causal: bool = False,
    scale: float | None = None,
    out: torch.Tensor | None = None,
) -> torch.Tensor:
    """Computes softmax(q @ k^T * scale) @ v on a CDNA GPU.

    Args:
        q: float16 or bfloat16 of shape (batch, heads, length, head_dim), the last dimension
            contiguous; head_dim is 64, 96 or 128.
        k, v: Of shape (batch, kv_heads, kv_length, head_dim); heads is a multiple of kv_heads.
        causal: Row i sees columns up to i + kv_length - length. A row that sees none is zero.
        scale: 1 / sqrt(head_dim) by default.
        out: Where the result goes, of q's shape; a new tensor by default.

    Raises:
        ValueError: Shapes or dtypes don't fit.
    """
    batch, heads, length, head_dim = q.shape
    kv_heads, kv_length = k.shape[1:3]
    fits = k.shape == v.shape == (batch, kv_heads, kv_length, head_dim) and heads % kv_heads == 0
    if not fits or not q.dtype == k.dtype == v.dtype:
        raise ValueError(
            "attention does not fit: " + ", ".join(f"{x.dtype} {tuple(x.shape)}" for x in (q, k, v))
        )
    o = q.new_empty(q.shape) if out is None else out
    if any(x.stride(-1) != 1 for x in (q, k, v, o)):
        raise ValueError("attention needs the last dimension of every tensor to be contiguous")
    arch = triton.runtime.driver.active.get_current_target().arch
    constants, options = settings(arch, head_dim)
    scale = head_dim**-0.5 if scale is None else scale
    grid = (triton.cdiv(length, constants["BM"]) * heads * batch,)
    strides = [stride for x in (q, k, v, o) for stride in x.stride()[:3]]
    amd_attention[grid](
        q, k, v, o, length, kv_length, heads, scale, *strides,
        CAUSAL=causal, HEADS_PER_KV=heads // kv_heads, **constants, **options,
    )  # fmt: skip
    return o
