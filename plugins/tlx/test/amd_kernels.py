"""Kernels with AMD's operations that the tests compile, and run where there is such a GPU."""

import triton
import triton.language as tl

import triton_plugins.tlx as tlx


@triton.jit
def buffer_copy(src, dst, n, BLOCK: tl.constexpr, GROUP: tl.constexpr):
    """Copies n elements from registers; those behind them are one."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tlx.buffer_load(src, offsets, mask=offsets < n, other=1.0, contiguity=GROUP)
    tlx.buffer_store(value, dst, offsets)


@triton.jit
def buffer_copy_to_local(src, dst, rows, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Copies rows through a buffer; the rows behind the last are zero."""
    row, col = tl.arange(0, ROWS)[:, None], tl.arange(0, COLS)[None, :]
    view = tlx.local_view(tlx.local_alloc((ROWS, COLS), tlx.dtype_of(src), 1), 0)
    token = tlx.buffer_load_to_local(view, src, row * COLS + col, mask=row < rows)
    tlx.async_load_commit_group([token])
    tlx.async_load_wait_group(0)
    tlx.buffer_store(tlx.local_load(view), dst, row * COLS + col)


@triton.jit
def histogram(src, counts, n, BLOCK: tl.constexpr):
    """Counts values."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tlx.buffer_load(src, offsets, mask=offsets < n, other=0)
    tlx.buffer_atomic_add(counts, value, 1, mask=offsets < n, sem="relaxed")


@triton.jit
def through_table(table, dst, BLOCK: tl.constexpr):
    """Copies from the pointers that a table holds."""
    offsets = tl.arange(0, BLOCK)
    address = tl.load(table + tl.program_id(0))
    src = tlx.assume_uniform(address).to(tl.pointer_type(tl.float32))
    src = tl.multiple_of(src, 16)
    tlx.buffer_store(
        tlx.buffer_load(src, offsets), dst + tl.program_id(0) * BLOCK, offsets, contiguity=4
    )


@triton.jit
def scheduled(src, dst, BLOCK: tl.constexpr, MASK: tl.constexpr, VARIANT: tl.constexpr):
    """Hints that change nothing of what it computes."""
    offsets = tl.arange(0, BLOCK)
    tlx.amd_iglp_opt(VARIANT)
    value = tl.load(src + offsets)
    tlx.amd_sched_barrier(MASK)
    tl.store(dst + offsets, value)


@triton.jit
def grouped(src, dst, BLOCK: tl.constexpr, MASK: tl.constexpr, SIZE: tl.constexpr):
    """Two loads and what is made of them, with an order for the scheduler."""
    offsets = tl.arange(0, BLOCK)
    first, second = tl.load(src + offsets), tl.load(src + BLOCK + offsets)
    tl.store(dst + offsets, tl.exp2(first) + second)
    tlx.amd_sched_group_barrier(MASK, SIZE, 3)
    tlx.amd_sched_group_barrier(1024, 4, group=3)


@triton.jit
def staged(a, b, c, steps, BLOCK: tl.constexpr, K: tl.constexpr, PRIORITY: tl.constexpr):
    """A product whose loop is a pipeline of warps."""
    rows, depth = tl.arange(0, BLOCK), tl.arange(0, K)
    a_offsets = rows[:, None] * K + depth[None, :]
    b_offsets = depth[:, None] + rows[None, :] * K
    a_bufs = tlx.local_alloc((BLOCK, K), tlx.dtype_of(a), 3)
    b_bufs = tlx.local_alloc((K, BLOCK), tlx.dtype_of(b), 3)
    for step in tl.static_range(2):
        tlx.async_load(a + a_offsets, tlx.local_view(a_bufs, step), mask=step < steps)
        tlx.async_load(b + b_offsets, tlx.local_view(b_bufs, step), mask=step < steps)
        tlx.async_load_commit_group()
        a += BLOCK * K
        b += BLOCK * K
    tlx.async_load_wait_group(1)
    acc = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in tl.range(0, steps, num_stages=0):
        with tlx.warp_pipeline_stage("load", priority=PRIORITY):
            left = tlx.local_load(tlx.local_view(a_bufs, k % 3))
            right = tlx.local_load(tlx.local_view(b_bufs, k % 3))
        tlx.async_load_wait_group(0)
        with tlx.warp_pipeline_stage("multiply", priority=0):
            more = k + 2 < steps
            tlx.async_load(a + a_offsets, tlx.local_view(a_bufs, (k + 2) % 3), mask=more)
            tlx.async_load(b + b_offsets, tlx.local_view(b_bufs, (k + 2) % 3), mask=more)
            tlx.async_load_commit_group()
            a += BLOCK * K
            b += BLOCK * K
            acc = tl.dot(left, right, acc)
    tl.store(c + rows[:, None] * BLOCK + rows[None, :], acc)


@triton.jit
def slices(src, dst, ROW: tl.constexpr, COL: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Stores ROWS x COLS elements of a tensor of 64 x 64."""
    whole = tl.load(src + tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :])
    part = tlx.extract_slice(whole, (ROWS, COLS), (ROW, COL))
    tl.store(dst + tl.arange(0, ROWS)[:, None] * COLS + tl.arange(0, COLS)[None, :], part)


@triton.jit
def hinted(a, b, c, SIZE: tl.constexpr, ROLE: tl.constexpr, CLASS: tl.constexpr):
    """A product with every hint."""
    rows = tlx.rematerialized_range(0, SIZE, identity=1)
    cols = tl.arange(0, SIZE)
    offsets = rows[:, None] * SIZE + cols[None, :]
    left = tlx.amd_register_resident(tl.load(a + offsets), register_class=CLASS)
    right = tlx.amd_register_class_anchor(tl.load(b + offsets))
    acc = tl.full((SIZE, SIZE), 1.0, tl.float32)
    first = tlx.amd_scheduled_mfma(left, right, acc, ROLE, initialize=True)
    second = tlx.amd_scheduled_mfma(left, right, first, ROLE, resident_operand=1)
    first, second = tlx.amd_mfma_commit((first, second))
    if tlx.warp_any(rows >= 0):
        tl.store(c + offsets, first + second + tlx.num_warps())


@triton.jit
def copy_of_far_rows(src, dst, stride, rows, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Copies rows, which are any distance apart, through a buffer; the missing ones are zero."""
    row, col = tl.arange(0, ROWS)[:, None], tl.arange(0, COLS)[None, :]
    view = tlx.local_view(tlx.local_alloc((ROWS, COLS), tlx.dtype_of(src), 1), 0)
    tlx.async_load(src + row.to(tl.int64) * stride + col, view, mask=row < rows)
    tlx.async_load_commit_group()
    tlx.async_load_wait_group(0)
    tl.store(dst + row * COLS + col, tlx.local_load(view))


@triton.jit
def barrier_in_memory():
    """Asks for what AMD's GPUs lack."""
    tlx.barrier_wait(tlx.alloc_barriers(1)[0], 0)
