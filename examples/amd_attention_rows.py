"""What the attention kernels of CDNA3 and CDNA4 have in common.

A row's weights are relative to its largest score among the first columns, not to the largest one so
far: softmax is the same for any reference, and neither a maximum nor a rescaled result is left in
the loop. Weights that grow too large are found at the end, in their sums; `exact_rows` computes
these rows again.
"""

from __future__ import annotations

import triton
import triton.language as tl

import triton_plugins.tlx as tlx
from examples.amd_gemm_kernel import consecutive_on_xcd

# Classes of instructions for the compiler's scheduler.
VECTOR, SCALAR, MATRIX, MEMORY_READ = (tl.constexpr(2**bit) for bit in (1, 2, 3, 5))
LDS_READ, LDS_WRITE, TRANSCENDENTAL = (tl.constexpr(2**bit) for bit in (8, 9, 10))

# The sums that a row has: of the columns that are as far behind a multiple of SUMS. A product of 32
# rows leaves a thread four columns of each eight.
SUMS = tl.constexpr(8)


@triton.jit
def locate_rows(programs, Q_LEN, heads, BM: tl.constexpr, XCDS: tl.constexpr):
    """A program's tile of rows, its head and its batch."""
    tiles_m = tl.cdiv(Q_LEN, BM)
    # The programs of one head read the same K and V.
    pid = consecutive_on_xcd(tl.program_id(0), programs, XCDS)
    # Causal rows near the end have the most columns: they start first.
    tile_m = tiles_m - 1 - pid % tiles_m
    # Where heads begin may be past what int32 has room for.
    head = (pid // tiles_m % heads).to(tl.int64)
    return tile_m, head, (pid // tiles_m // heads).to(tl.int64)


@triton.jit
def count_tiles(
    tile_m, rows, Q_LEN, KV_LEN, BM: tl.constexpr, BN: tl.constexpr, STEP: tl.constexpr,
    AHEAD: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    """The ends of three kinds of tiles of columns, and each row's last column.

    Tiles of the first kind need no mask, nor do those that are loaded in their turn: AHEAD later,
    K's another STEP columns. Tiles of the second kind need none, and those of the third one do.
    """
    # Row i sees columns up to i + KV_LEN - Q_LEN.
    first_masked = KV_LEN // BN
    end = tl.cdiv(KV_LEN, BN)
    last_col = rows[:, None] + tile_m * BM + (KV_LEN - Q_LEN)
    if CAUSAL:
        seen = tile_m * BM + KV_LEN - Q_LEN
        first_masked = tl.minimum(first_masked, tl.maximum(seen + 1, 0) // BN)
        end = tl.minimum(end, tl.cdiv(tl.maximum(seen + BM, 0), BN))
    first_partial_load = tl.maximum((KV_LEN - STEP) // BN - AHEAD, 0)
    return (0, tl.minimum(first_partial_load, first_masked), first_masked, end), last_col


@triton.jit
def can_see(col, last_col, KV_LEN, CAUSAL: tl.constexpr):
    """Which columns each row sees."""
    visible = col < KV_LEN
    if CAUSAL:
        visible &= col <= last_col
    return visible


@triton.jit
def store_part(ptr, acc, share, rows, dims, stride, mask):
    """Stores a part of the result's dimensions."""
    offsets = rows[:, None] * stride + dims[None, :]
    tlx.buffer_store((acc * share).to(tlx.dtype_of(ptr)), ptr, offsets, mask)


@triton.jit
def load_q(ptr, rows, dims, stride, mask, BM: tl.constexpr, D: tl.constexpr, LAYOUT: tl.constexpr):
    """Loads a part of Q; what it takes of LDS is free again behind it."""
    buffer = tlx.local_view(tlx.local_alloc((BM, D), tlx.dtype_of(ptr), 1, layout=LAYOUT), 0)
    offsets = rows[:, None] * stride + dims[None, :]
    tlx.local_store(buffer, tlx.buffer_load(ptr, offsets, mask, other=0.0))
    return tlx.local_load(buffer)


@triton.jit
def get_reference(scores, scale, cols, last_col, KV_LEN, CAUSAL: tl.constexpr):
    """What each row's weights are relative to: its largest score among the first columns."""
    visible = can_see(cols[None, :], last_col, KV_LEN, CAUSAL)
    highest = tl.max(tl.where(visible, scores, float("-inf")), 1) * scale
    # A row that sees none of the first columns sees none at all.
    return tl.where(highest == float("-inf"), 0.0, highest)


@triton.jit
def get_weights(
    scores, scale, reference, col, last_col, KV_LEN, MASKED: tl.constexpr, CAUSAL: tl.constexpr
):
    """The weights of some columns, before they are divided by their sum."""
    weights = scores * scale - reference[:, None]
    if MASKED:
        visible = can_see(col, last_col, KV_LEN, CAUSAL)
        weights = tl.where(visible, weights, float("-inf"))
    return tl.exp2(weights)


@triton.jit
def add_sums(sums, weights, BM: tl.constexpr, BN: tl.constexpr):
    """Adds weights to SUMS sums of each row; a thread adds up what it has, no other one's."""
    return sums + tl.sum(tl.reshape(weights, (BM, BN // SUMS, SUMS)), 1)


@triton.jit
def read_beside_exponentials(
    COUNT: tl.constexpr, PAIRS: tl.constexpr, LOADS: tl.constexpr, VECTORS: tl.constexpr
):
    """Orders a stage: an exponential keeps the vector unit for several turns.

    Meanwhile its wave reads LDS, twice beside each of the first PAIRS of COUNT exponentials, and
    starts a load beside each of the first LOADS. VECTORS other instructions come between two.
    """
    tlx.amd_sched_group_barrier(VECTOR, 4)
    for i in tl.static_range(COUNT):
        tlx.amd_sched_group_barrier(TRANSCENDENTAL, 1)
        tlx.amd_sched_group_barrier(LDS_READ, 2 if i < PAIRS else 1)
        if i < LOADS:
            tlx.amd_sched_group_barrier(MEMORY_READ, 1)
        tlx.amd_sched_group_barrier(VECTOR, VECTORS)


# Sums that are no larger have no weight in them that is too large for float16.
LARGEST_SUM = tl.constexpr(2.0**15)


@triton.jit
def need_exact_rows(sums):
    """1 if a sum is too large, or no number: weights have grown past what their type holds."""
    return tlx.assume_uniform(tl.max((sums <= LARGEST_SUM).to(tl.int32) ^ 1))


@triton.jit
def exact_rows(
    q0, q1, k_ptr, v_ptr, KV_LEN, last_col, scale, steps, stride_kn, stride_vn, zero,
    BM: tl.constexpr, BN: tl.constexpr, D0: tl.constexpr, D1: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    """The result and its weights' sums, with weights relative to the largest score so far.

    For rows whose scores grow too far past the first ones, which is rare: it does not hurry. `zero`
    is 0, which the compiler does not know, or registers would hold offsets that are equal to the
    main loop's ones through that loop.
    """
    cols, dims0 = zero + tl.arange(0, BN), zero + tl.arange(0, D0)
    acc0 = tl.zeros((BM, D0), tl.float32)
    acc1 = acc0
    if D1 > 0:
        dims1 = zero + D0 + tl.arange(0, D1)
        acc1 = tl.zeros((BM, D1), tl.float32)
    highest = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    for n in tl.range(0, steps, num_stages=0):
        col = n * BN + cols[None, :]
        left = cols < KV_LEN - n * BN
        k_offsets, v_offsets = cols[None, :] * stride_kn, cols[:, None] * stride_vn
        k = tlx.buffer_load(k_ptr, k_offsets + dims0[:, None], left[None, :], other=0.0)
        scores = tl.dot(q0, k)
        if D1 > 0:
            k = tlx.buffer_load(k_ptr, k_offsets + dims1[:, None], left[None, :], other=0.0)
            scores = tl.dot(q1, k, scores)
        visible = can_see(col, last_col, KV_LEN, CAUSAL)
        scores = tl.where(visible, scores * scale, float("-inf"))
        # A row that has seen nothing yet has no maximum to subtract.
        maximum = tl.maximum(highest, tl.max(scores, 1))
        shift = tl.where(maximum == float("-inf"), 0.0, maximum)
        weights = tl.exp2(scores - shift[:, None])
        shrink = tl.exp2(highest - shift)
        total = total * shrink + tl.sum(weights, 1)
        highest = maximum
        weights = weights.to(tlx.dtype_of(v_ptr))
        v = tlx.buffer_load(v_ptr, v_offsets + dims0[None, :], left[:, None], other=0.0)
        acc0 = tl.dot(weights, v, acc0 * shrink[:, None])
        if D1 > 0:
            v = tlx.buffer_load(v_ptr, v_offsets + dims1[None, :], left[:, None], other=0.0)
            acc1 = tl.dot(weights, v, acc1 * shrink[:, None])
        k_ptr += BN * stride_kn
        v_ptr += BN * stride_vn
    return acc0, acc1, total
