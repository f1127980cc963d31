"""Kernels for clusters of blocks that the tests compile and run."""

import triton
import triton.language as tl

import triton_plugins.tlx as tlx


@triton.jit
def ranks(dst):
    """Where each program finds itself, a row each: its number, how many there are, its rank in the
    cluster and the cluster's size. The rows are (programs, 4) int32."""
    row = dst + tl.program_id(0) * 4
    tl.store(row, tl.program_id(0))
    tl.store(row + 1, tl.num_programs(0))
    tl.store(row + 2, tlx.cluster_cta_rank())
    tl.store(row + 3, tlx.cluster_size_1d())


@triton.jit
def turns(order, ROUNDS: tl.constexpr):
    """The blocks of each cluster of two take turns: each waits for its own barrier and arrives at
    the other's. `order` counts in global memory, (clusters, 1) int32, starting at 0; the value at
    the end is right only if no turn overlaps another."""
    bars = tlx.alloc_barriers(1)
    rank = tlx.cluster_cta_rank()
    other = tlx.remote_view(bars[0], rank ^ 1)
    place = order + tl.program_id(0) // 2
    for i in range(ROUNDS):
        # Block 0 begins; afterwards each waits for the other's i-th arrival.
        tlx.barrier_wait(bars[0], (i ^ 1 ^ rank) & 1, pred=(i + rank) > 0)
        count = tl.load(place, volatile=True)
        tl.store(place, count * 3 + rank)
        tlx.barrier_arrive(other)


@triton.jit
def barriers(words, seen, ROUNDS: tl.constexpr, TASKS: tl.constexpr):
    """Each block of a cluster of two writes a word, waits for the cluster and reads the other's.
    With TASKS the kernel has tasks besides. Both are (programs, ROUNDS) int32."""
    program = tl.program_id(0)
    if TASKS:
        buffer = tlx.local_alloc((128,), tl.int32, 1)
        with tlx.async_tasks():
            with tlx.async_task("default"):
                tlx.local_store(buffer[0], tl.arange(0, 128))
            with tlx.async_task(num_warps=1):
                tl.store(words + program * ROUNDS, program + 1)
            with tlx.async_task(num_warps=2):
                tl.store(words + program * ROUNDS + 1, program + 1)
    for i in range(ROUNDS):
        tl.store(words + program * ROUNDS + i, program * i + 1)
        tlx.cluster_barrier()
        other = tl.load(words + (program ^ 1) * ROUNDS + i, volatile=True)
        tl.store(seen + program * ROUNDS + i, other)


@triton.jit
def shared_rows(src, dst, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Each block of a cluster of two loads one half of a tile and sends it to both; each stores the
    tile it got. `src` is (programs * ROWS, COLUMNS), `dst` (programs * 2 * ROWS, COLUMNS)."""
    tile = tlx.local_alloc((ROWS, COLUMNS), tlx.dtype_of(src), 2)
    bars = tlx.alloc_barriers(1)
    rank = tlx.cluster_cta_rank()
    program = tl.program_id(0)
    tlx.barrier_expect_bytes(bars[0], 2 * ROWS * COLUMNS * tlx.size_of(tlx.dtype_of(src)))
    tlx.cluster_barrier()
    tlx.async_descriptor_load(
        src, tile[rank], [program * ROWS, 0], bars[0], multicast_targets=[0, 1]
    )
    tlx.barrier_wait(bars[0], 0)
    for half in tl.static_range(2):
        tlx.async_descriptor_store(dst, tile[half], [(program * 2 + half) * ROWS, 0])
    tlx.async_descriptor_store_wait(0)


@triton.jit
def gemm(
    a_desc,
    b_desc,
    c,
    M,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    STAGES: tl.constexpr,
):
    """c = a @ b. The blocks of a cluster of two have the same columns: each loads one half of the
    tile of b and sends it to both.

    a is (M, K), b (K, N) and c (M, N), of float16; M is a multiple of 2 * BM. The descriptors'
    blocks are (BM, BK) and (BK, BN // 2)."""
    dtype: tl.constexpr = tlx.dtype_of(a_desc)
    a_tiles = tlx.local_alloc((BM, BK), dtype, STAGES)
    b_tiles = tlx.local_alloc((BK, BN), dtype, STAGES)
    full = tlx.alloc_barriers(STAGES)
    # A producer writes to both blocks, so both blocks' consumers have to release a slot.
    empty = tlx.alloc_barriers(STAGES, 2)
    rank = tlx.cluster_cta_rank()
    rows = (tl.program_id(0) % (M // BM)) * BM
    columns = (tl.program_id(0) // (M // BM)) * BN
    with tlx.async_tasks():
        with tlx.async_task("default"):
            acc = tl.zeros((BM, BN), tl.float32)
            for step in range(tl.cdiv(K, BK)):
                slot, phase = tlx.get_bufidx_phase(step, STAGES)
                tlx.barrier_wait(full[slot], phase)
                acc = tlx.async_dot(a_tiles[slot], b_tiles[slot], acc)
                acc = tlx.async_dot_wait(0, acc)
                for block in tl.static_range(2):
                    tlx.barrier_arrive(empty[slot], remote_cta_rank=block, relaxed=True)
            m = rows + tl.arange(0, BM)[:, None]
            n = columns + tl.arange(0, BN)[None, :]
            tl.store(c + m * N + n, acc.to(dtype), mask=(m < M) & (n < N))
        with tlx.async_task(num_warps=1):
            for step in range(tl.cdiv(K, BK)):
                slot, phase = tlx.get_bufidx_phase(step, STAGES)
                tlx.barrier_wait(empty[slot], phase ^ 1)
                tlx.barrier_expect_bytes(full[slot], (BM + BN) * BK * tlx.size_of(dtype))
                tlx.async_descriptor_load(a_desc, a_tiles[slot], [rows, step * BK], full[slot])
                if rank == 0:
                    half = tlx.local_slice(b_tiles[slot], [0, 0], [BK, BN // 2])
                else:
                    half = tlx.local_slice(b_tiles[slot], [0, BN // 2], [BK, BN // 2])
                tlx.async_descriptor_load(
                    b_desc,
                    half,
                    [step * BK, columns + rank * (BN // 2)],
                    full[slot],
                    multicast_targets=[0, 1],
                )


@triton.jit
def exchange(src, dst, ROWS: tl.constexpr, COLUMNS: tl.constexpr, HOW: tl.constexpr):
    """Each block of a cluster of two gets the other's tile. Both are (programs * ROWS, COLUMNS)."""
    dtype: tl.constexpr = tlx.dtype_of(src)
    tile = tlx.local_alloc((ROWS, COLUMNS), dtype, 1)
    bars = tlx.alloc_barriers(1)
    other = tlx.cluster_cta_rank() ^ 1
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    places = rows[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    value = tl.load(src + places)
    if HOW == "async":
        tlx.barrier_expect_bytes(bars[0], ROWS * COLUMNS * tlx.size_of(dtype))
        tlx.async_remote_shmem_store(tile[0], value, other, bars[0])
        tlx.barrier_wait(bars[0], 0)
        got = tlx.local_load(tile[0])
    elif HOW == "store":
        tlx.remote_shmem_store(tile[0], value, other)
        tlx.barrier_arrive(bars[0], remote_cta_rank=other)
        tlx.barrier_wait(bars[0], 0)
        got = tlx.local_load(tile[0])
    else:
        tlx.local_store(tile[0], value)
        tlx.cluster_barrier()
        got = tlx.local_load(tlx.remote_view(tile[0], other))
    tl.store(dst + places, got)
