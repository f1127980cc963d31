"""C[i] = A[i] @ B[i] for a list of problems on Hopper, with TLX: one persistent launch for all.

Tiles of all problems are numbered in a row, and every program computes every so-many-th. Sizes and
addresses are in a table in global memory; the warp groups make TMA descriptors from it on the
device when they come to the next problem, so the host does nothing for each problem but fill in
the table. Inside, the kernel works as `hopper_persistent_gemm_kernel` does.
"""

from __future__ import annotations

import triton
import triton.language as tl

import triton_plugins.tlx as tlx
from examples.hopper_gemm_tiles import (
    column_slices,
    next_buffer,
    place_of,
    previous_buffer,
)

# A row of the table: addresses of A, B and C, the sizes M, N and K, elements from row to row.
FIELDS = tl.constexpr(9)


@triton.jit
def sizes_of(table_ptr, group, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Tiles down and across of a problem of the table, and its steps along K."""
    field = table_ptr + group * FIELDS
    m, n, k = tl.load(field + 3), tl.load(field + 4), tl.load(field + 5)
    tiles_m, tiles_n, steps = tl.cdiv(m, BM), tl.cdiv(n, BN), tl.cdiv(k, BK)
    return tiles_m.to(tl.int32), tiles_n.to(tl.int32), steps.to(tl.int32)


@triton.jit
def matrix_of(
    table_ptr, group, slot, ROWS_FIELD: tl.constexpr, COLS_FIELD: tl.constexpr,
    MATRIX: tl.constexpr, DTYPE: tl.constexpr, BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr,
):  # fmt: skip
    """Makes the descriptor of a problem's matrix in a slot, and returns it."""
    field = table_ptr + group * FIELDS
    rows, cols = tl.load(field + ROWS_FIELD).to(tl.int32), tl.load(field + COLS_FIELD).to(tl.int32)
    tlx.make_tensor_descriptor(
        desc_ptr=slot,
        base=tl.load(field + MATRIX).to(tl.pointer_type(DTYPE)),
        shape=[rows, cols],
        strides=[tl.load(field + 6 + MATRIX), 1],
        block_shape=[BLOCK_ROWS, BLOCK_COLS],
    )
    return tlx.reinterpret_tensor_descriptor(
        desc_ptr=slot, block_shape=[BLOCK_ROWS, BLOCK_COLS], dtype=DTYPE
    )


@triton.jit(do_not_specialize=["groups"])
def hopper_grouped_gemm(
    table_ptr, groups, DTYPE: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    GROUP_M: tl.constexpr, NUM_STAGES: tl.constexpr,
):  # fmt: skip
    ROWS: tl.constexpr = BM // 2
    SLICES: tl.constexpr = BN // 64
    STAGE_BYTES: tl.constexpr = (BM + BN) * BK * tlx.size_of(DTYPE)
    # A descriptor is used until the last load with it is over. That one is at most NUM_STAGES loads
    # behind, and every problem loads at least once.
    SLOTS: tl.constexpr = NUM_STAGES + 1

    a_bufs = tlx.local_alloc((ROWS, BK), DTYPE, NUM_STAGES * 2)
    b_bufs = tlx.local_alloc((BK, BN), DTYPE, NUM_STAGES)
    c_bufs = tlx.local_alloc((ROWS, 64), DTYPE, 4)
    full = tlx.alloc_barriers(NUM_STAGES)
    free = tlx.alloc_barriers(NUM_STAGES, arrive_count=2)
    a_slots = tlx.allocate_tensor_descriptor(SLOTS)
    b_slots = tlx.allocate_tensor_descriptor(SLOTS)
    c_slots = tlx.allocate_tensor_descriptor(2)

    with tlx.async_tasks():
        with tlx.async_task("default"):
            buf, phase = 0, 1
            # Of all problems' tiles: the next one of this program, and the first of the problem.
            tile = tl.program_id(0)
            first = 0
            used = 0
            for group in tl.range(0, groups):
                tiles_m, tiles_n, steps = sizes_of(table_ptr, group, BM, BN, BK)
                beyond = first + tiles_m * tiles_n
                if tile < beyond:
                    a_desc = matrix_of(
                        table_ptr, group, a_slots[used % SLOTS], 3, 5, 0, DTYPE, ROWS, BK
                    )
                    b_desc = matrix_of(
                        table_ptr, group, b_slots[used % SLOTS], 5, 4, 1, DTYPE, BK, BN
                    )
                    used += 1
                    for current in tl.range(tile, beyond, tl.num_programs(0)):
                        tile_m, tile_n = place_of(current - first, tiles_m, tiles_n, GROUP_M)
                        row, col = tile_m * BM, tile_n * BN
                        for step in tl.range(0, steps):
                            k = step * BK
                            tlx.barrier_wait(free[buf], phase)
                            tlx.barrier_expect_bytes(full[buf], STAGE_BYTES)
                            tlx.async_descriptor_load(a_desc, a_bufs[2 * buf], [row, k], full[buf])
                            tlx.async_descriptor_load(
                                a_desc, a_bufs[2 * buf + 1], [row + ROWS, k], full[buf]
                            )
                            tlx.async_descriptor_load(b_desc, b_bufs[buf], [k, col], full[buf])
                            buf, phase = next_buffer(buf, phase, NUM_STAGES)
                    tile += tl.cdiv(beyond - tile, tl.num_programs(0)) * tl.num_programs(0)
                first = beyond

        with tlx.async_task(num_warps=4, registers=232, replicate=2):
            consumer: tl.constexpr = tlx.async_task_replica_id()
            buf, phase = 0, 0
            tile = tl.program_id(0)
            first = 0
            for group in tl.range(0, groups):
                tiles_m, tiles_n, steps = sizes_of(table_ptr, group, BM, BN, BK)
                beyond = first + tiles_m * tiles_n
                if tile < beyond:
                    # The previous problem's last stores still use the descriptor.
                    tlx.async_descriptor_store_wait(0, read_only=False)
                    c_desc = matrix_of(
                        table_ptr, group, c_slots[consumer], 3, 4, 2, DTYPE, ROWS, 64
                    )
                    for current in tl.range(tile, beyond, tl.num_programs(0)):
                        acc = tl.zeros((ROWS, BN), tl.float32)
                        for step in tl.range(0, steps):
                            tlx.barrier_wait(full[buf], phase)
                            acc = tlx.async_dot(a_bufs[2 * buf + consumer], b_bufs[buf], acc)
                            acc = tlx.async_dot_wait(1, acc)
                            # This step's MMA runs on; the previous one is over.
                            if step > 0:
                                tlx.barrier_arrive(free[previous_buffer(buf, NUM_STAGES)])
                            buf, phase = next_buffer(buf, phase, NUM_STAGES)
                        acc = tlx.async_dot_wait(0, acc)
                        tlx.barrier_arrive(free[previous_buffer(buf, NUM_STAGES)])

                        tile_m, tile_n = place_of(current - first, tiles_m, tiles_n, GROUP_M)
                        slices = column_slices(acc, SLICES)
                        for index in tl.static_range(SLICES):
                            c = c_bufs[2 * consumer + index % 2]
                            tlx.async_descriptor_store_wait(1)
                            tlx.local_store(c, slices[index].to(DTYPE))
                            tlx.fence("async_shared")
                            tlx.async_descriptor_store(
                                c_desc,
                                c,
                                [tile_m * BM + consumer * ROWS, tile_n * BN + index * 64],
                            )
                    tile += tl.cdiv(beyond - tile, tl.num_programs(0)) * tl.num_programs(0)
                first = beyond
            tlx.async_descriptor_store_wait(0)


CONSTANTS = {"BM": 128, "BN": 256, "BK": 64, "GROUP_M": 8, "NUM_STAGES": 4}
OPTIONS = {"num_warps": 4}
