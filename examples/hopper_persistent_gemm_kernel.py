"""C = A @ B on Hopper, with TLX: persistent programs of a producer and two or three consumers.

The producer, one warp, keeps a ring of buffers filled by TMA; mbarriers say which buffers are full
and which are free again. Consumers, warp groups, multiply. They share a tile, each with as many of
its rows (cooperative), or two take turns with tiles of their own (PINGPONG), so that one multiplies
while the other stores. Turns are barriers too: the parity of a full buffer's phase does not tell a
consumer its own round from an earlier one. The result goes through shared memory to TMA in slices
of columns; cooperative consumers write a slice during each of the first MMAs of their next tile.

Consumers that share a tile wait for each MMA: meanwhile the others' MMAs run, and the buffer is
free at once. One that multiplies alone keeps one MMA in flight, and releases buffers a step later.

Two programs of a cluster work on tiles below each other (CLUSTER_M = 2), which need the same tile
of B, or beside each other (CLUSTER_N = 2), which need the same tile of A. Each loads one half of it
and sends that to both, so a buffer is free once the consumers of both programs have released it.

A tile's columns are one strip, or several if they are not a power of two (`hopper_gemm_strips`).

Where programs are more than tiles, or a last wave of tiles would fill only some of them, the first
tiles' steps are shared by cooperative programs (`hopper_shared_tiles`), before each goes on with
tiles of its own.
"""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

import triton_plugins.tlx as tlx
from examples import hopper_shared_tiles as shares
from examples.hopper_gemm_configs import widths_of
from examples.hopper_gemm_strips import (
    load_b,
    prefetch_b,
    rings_of_b,
    slices_of,
    start_products,
    wait_for_products,
    zeros,
)
from examples.hopper_gemm_tiles import (
    CONSUMER_WARPS,
    next_buffer,
    place_of,
    previous_buffer,
    release,
    steps_of,
    store_slice,
    store_tile,
    work_of,
)


@triton.jit(do_not_specialize=["M", "N", "K", "shared", "sharers"])
def hopper_persistent_gemm(
    a_desc, b_descs, c_desc, row_scale_ptr, col_scale_ptr, parts_ptr, flags_ptr,
    M, N, K, shared, sharers,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    GROUP_M: tl.constexpr, SPLITS: tl.constexpr, NUM_STAGES: tl.constexpr, SLICES: tl.constexpr,
    C_BUFFERS: tl.constexpr, CLUSTER_M: tl.constexpr, CLUSTER_N: tl.constexpr,
    CONSUMERS: tl.constexpr, REGISTERS: tl.constexpr, PINGPONG: tl.constexpr,
    STORE_LATE: tl.constexpr, ONE_ROW: tl.constexpr,
    A_BY_COLUMNS: tl.constexpr, B_BY_COLUMNS: tl.constexpr,
):  # fmt: skip
    # A warp group multiplies ROWS rows of a tile, and each of PARTS buffers holds that many of A.
    PARTS: tl.constexpr = 1 if PINGPONG else CONSUMERS
    ROWS: tl.constexpr = BM // PARTS
    PRODUCER_REGISTERS: tl.constexpr = 40 if CONSUMERS == 2 else 32
    A_SHAPE: tl.constexpr = (BK, ROWS) if A_BY_COLUMNS else (ROWS, BK)
    WIDTHS: tl.constexpr = widths_of(BN)
    C_COLS: tl.constexpr = BN // SLICES
    DTYPE: tl.constexpr = tlx.dtype_of(a_desc)
    STAGE_BYTES: tl.constexpr = (BM + BN) * BK * tlx.size_of(DTYPE)
    # MMAs that run on when the next step begins. A ring of one buffer is filled again only when
    # nothing reads it.
    PENDING: tl.constexpr = 1 if PINGPONG and NUM_STAGES > 1 else 0
    CLUSTER: tl.constexpr = CLUSTER_M * CLUSTER_N
    SHARED: tl.constexpr = parts_ptr is not None
    # What is read once does not push out of the L2 cache what all programs read.
    A_EVICT: tl.constexpr = "evict_last" if ONE_ROW else ""
    B_EVICT: tl.constexpr = "evict_first" if ONE_ROW else ""
    # What the programs of a cluster compute together.
    TILE_M: tl.constexpr = BM * CLUSTER_M
    TILE_N: tl.constexpr = BN * CLUSTER_N
    tiles_m, tiles_n, steps = tl.cdiv(M, TILE_M), tl.cdiv(N, TILE_N), tl.cdiv(K, BK)
    rank = tlx.cluster_cta_rank() if CLUSTER > 1 else 0
    # What a tile is away from the first one of its cluster.
    row_in_cluster = rank * BM if CLUSTER_M > 1 else 0
    col_in_cluster = rank * BN if CLUSTER_N > 1 else 0
    cluster = tl.program_id(0) // CLUSTER
    clusters = tl.num_programs(0) // CLUSTER
    # An item has a step, and as many as slices are stored late. Those past K's end read zeros.
    steps = tl.maximum(steps, SLICES if STORE_LATE else SPLITS)
    # The first item of work, and the first one whose result this program stores.
    share = shares.share_of(cluster, shared, sharers, steps) if SHARED else (0, 0)
    first_item, first_stored = shares.first_items(cluster, clusters, share, shared, steps, SHARED)
    tile, begin, end = work_of(first_item, first_item, share, shared, steps, SPLITS, SHARED)
    # The first loads go to DRAM. What they bring is on its way while barriers are made and tasks
    # start.
    first_m, first_n = place_of(tile, tiles_m, tiles_n, GROUP_M)
    first_row = first_m * TILE_M + row_in_cluster
    first_col = first_n * TILE_N + col_in_cluster
    first_k = begin * BK
    for index in tl.static_range(PARTS):
        a_row = first_row + index * ROWS
        tlx.async_descriptor_prefetch_tensor(
            a_desc, [first_k, a_row] if A_BY_COLUMNS else [a_row, first_k],
            pred=(a_row < M) & (first_k < K), eviction_policy=A_EVICT,
        )  # fmt: skip
    prefetch_b(b_descs, first_col, first_k, N, K, rank, WIDTHS, CLUSTER_M, B_BY_COLUMNS, B_EVICT)
    # Work is a part of K for a tile. With more than one part, C holds all parts below each other.
    items = tiles_m * tiles_n * SPLITS

    a_bufs = tlx.local_alloc(A_SHAPE, DTYPE, NUM_STAGES * PARTS)
    b_bufs = rings_of_b(WIDTHS, BK, DTYPE, NUM_STAGES, B_BY_COLUMNS)
    # For each consumer's slices: with two buffers one is stored while the other is written.
    c_bufs = tlx.local_alloc((ROWS, C_COLS), tlx.dtype_of(c_desc), CONSUMERS * C_BUFFERS)
    full = tlx.alloc_barriers(NUM_STAGES)
    free = tlx.alloc_warp_barrier(
        NUM_STAGES, num_warps=CONSUMER_WARPS, num_arrivals=PARTS * CLUSTER
    )
    if PINGPONG:
        turns = tlx.alloc_warp_barrier(2, num_warps=CONSUMER_WARPS)

    with tlx.async_tasks():
        with tlx.async_task("default", registers=REGISTERS, replicate=CONSUMERS):
            consumer: tl.constexpr = tlx.async_task_replica_id()
            part: tl.constexpr = 0 if PINGPONG else consumer
            # Of a program's work, a consumer takes every or every second item.
            first, stride = first_item, clusters
            buf, phase, fill, turn = 0, 0, 0, 1 - consumer
            tile_m, tile_n = 0, 0
            # A tile's first MMA does not read what is in its accumulators.
            accs = zeros(ROWS, WIDTHS)
            # The tile that is to be stored late.
            row, col = 0, 0
            slices = (tl.zeros((ROWS, C_COLS), tlx.dtype_of(c_desc)),) * SLICES
            if PINGPONG:
                if consumer == 1:
                    begin, end = steps_of(first, steps, SPLITS)
                    fill = end - begin
                    first += stride
                stride *= 2
            for item in tl.range(first, items, stride):
                tile, begin, end = work_of(item, first_item, share, shared, steps, SPLITS, SHARED)
                if PINGPONG:
                    # The ring also carries the other consumer's work, which is next.
                    buf, phase = fill % NUM_STAGES, fill // NUM_STAGES & 1
                    begin_of_next, end_of_next = steps_of(item + stride // 2, steps, SPLITS)
                    fill += end - begin + end_of_next - begin_of_next
                    tlx.barrier_wait(turns[consumer], turn)
                    turn ^= 1
                if row_scale_ptr is not None:
                    # There is no room for accumulators that are kept beside their scaled values.
                    accs = zeros(ROWS, WIDTHS)
                for step in tl.range(begin, end):
                    tlx.barrier_wait(full[buf], phase)
                    a = a_bufs[buf * PARTS + part]
                    a = tlx.local_trans(a) if A_BY_COLUMNS else a
                    accs = start_products(a, b_bufs, buf, accs, step > begin, B_BY_COLUMNS)
                    if STORE_LATE:
                        if (item > first_stored) & (step < begin + SLICES):
                            for index in tl.static_range(SLICES):
                                if step == begin + index:
                                    store_slice(
                                        c_desc, c_bufs, slices, consumer, row, col, index, C_BUFFERS
                                    )
                    if step == end - 1:
                        # The MMA hides the divisions.
                        tile_m, tile_n = place_of(tile, tiles_m, tiles_n, GROUP_M)
                    # After the wait the buffers of this step, or of the previous one, are free.
                    accs = wait_for_products(accs, PENDING)
                    if PENDING == 0:
                        release(free, buf, rank, CLUSTER)
                    elif step > begin:
                        release(free, previous_buffer(buf, NUM_STAGES), rank, CLUSTER)
                    buf, phase = next_buffer(buf, phase, NUM_STAGES)
                accs = wait_for_products(accs, 0)
                if PENDING > 0:
                    release(free, previous_buffer(buf, NUM_STAGES), rank, CLUSTER)
                if PINGPONG:
                    tlx.barrier_arrive(turns[1 - consumer])

                if SHARED and end < steps:
                    group = (cluster * CLUSTER + rank) * CONSUMERS + consumer
                    shares.hand_over(parts_ptr, flags_ptr, group, accs)
                    # Nothing is stored late of it: no registers keep what was there.
                    slices = (tl.zeros((ROWS, C_COLS), tlx.dtype_of(c_desc)),) * SLICES
                else:
                    if SHARED and begin > 0:
                        first_giver = shares.sharer_of(tile * steps, shared, sharers, steps)
                        for giver in tl.range(first_giver, cluster):
                            group = (giver * CLUSTER + rank) * CONSUMERS + consumer
                            accs = shares.add_part(parts_ptr, flags_ptr, group, accs)
                    row = tile_m * TILE_M + row_in_cluster + part * ROWS
                    col = tile_n * TILE_N + col_in_cluster
                    slices = slices_of(
                        accs, row, col, row_scale_ptr, col_scale_ptr, M, N,
                        C_COLS, tlx.dtype_of(c_desc),
                    )  # fmt: skip
                    row += item % SPLITS * tiles_m * TILE_M
                    if not STORE_LATE:
                        store_tile(c_desc, c_bufs, slices, consumer, row, col, C_BUFFERS)
            if STORE_LATE and first < items:
                if not SHARED or first_stored < items:
                    store_tile(c_desc, c_bufs, slices, consumer, row, col, C_BUFFERS)
            # Not sooner: programs that start while this kernel leaves multiprocessors idle all go
            # there, and two then share a path to L2 where each could have its own.
            gdc_launch_dependents()
            tlx.async_descriptor_store_wait(0)

        with tlx.async_task(num_warps=1, registers=PRODUCER_REGISTERS):
            # The first round finds all buffers free: the phase before a barrier's first counts as
            # over.
            buf, phase = 0, 1
            tile_m, tile_n = first_m, first_n
            # Up to here a program may run beside the kernel in front of it in the stream. All that
            # is read or written elsewhere comes after an MMA, so after a load. Every program waits:
            # the kernel behind takes it that all before this one are over as well.
            gdc_wait()
            for item in tl.range(first_item, items, clusters):
                row = tile_m * TILE_M + row_in_cluster
                col = tile_n * TILE_N + col_in_cluster
                tile, begin, end = work_of(item, first_item, share, shared, steps, SPLITS, SHARED)
                for step in tl.range(begin, end):
                    k = step * BK
                    tlx.barrier_wait(free[buf], phase)
                    tlx.barrier_expect_bytes(full[buf], STAGE_BYTES)
                    if CLUSTER_N == 1:
                        for part in tl.static_range(PARTS):
                            a_row = row + part * ROWS
                            a_place = [k, a_row] if A_BY_COLUMNS else [a_row, k]
                            a_buf = a_bufs[buf * PARTS + part]
                            tlx.async_descriptor_load(
                                a_desc, a_buf, a_place, full[buf], eviction_policy=A_EVICT
                            )
                    else:
                        # Each program has one of the two parts.
                        a_row = row + rank * ROWS
                        a_place = [k, a_row] if A_BY_COLUMNS else [a_row, k]
                        a_buf = a_bufs[buf * PARTS + rank]
                        tlx.async_descriptor_load(
                            a_desc, a_buf, a_place, full[buf],
                            eviction_policy=A_EVICT, multicast_targets=[0, 1],
                        )  # fmt: skip
                    load_b(
                        b_descs, b_bufs, buf, full, col, k, rank,
                        WIDTHS, CLUSTER_M, B_BY_COLUMNS, B_EVICT,
                    )  # fmt: skip
                    buf, phase = next_buffer(buf, phase, NUM_STAGES)
                after = work_of(item + clusters, first_item, share, shared, steps, SPLITS, SHARED)
                tile_m, tile_n = place_of(after[0], tiles_m, tiles_n, GROUP_M)


@triton.jit(do_not_specialize=["M", "N", "parts_stride"])
def sum_parts(
    parts_ptr, c_ptr, M, N, parts_row, parts_stride, c_row,
    SPLITS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    """C = the sum of its parts, always in the same order."""
    gdc_wait()
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    places = rows[:, None].to(tl.int64) * parts_row + cols[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for split in tl.static_range(SPLITS):
        total += tl.load(parts_ptr + places + split * parts_stride, mask=mask, other=0.0)
    c_ptrs = c_ptr + rows[:, None].to(tl.int64) * c_row + cols[None, :]
    tl.store(c_ptrs, total.to(c_ptr.dtype.element_ty), mask=mask)
