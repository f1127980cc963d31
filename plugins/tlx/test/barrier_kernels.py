"""Kernels with barriers that the tests compile: right ones, and ones with a fault each."""

import triton
import triton.language as tl

import triton_plugins.tlx as tlx


@triton.jit
def ring(
    a_desc, b_desc, out, steps,
    SIZE: tl.constexpr, NUM: tl.constexpr, RELEASES: tl.constexpr, FIRST: tl.constexpr,
    TURN: tl.constexpr, BYTES: tl.constexpr, PENDING: tl.constexpr, DELAY: tl.constexpr,
):  # fmt: skip
    """The sum of `steps` products, whose operands one task loads and the other multiplies.

    Right with RELEASES=1, FIRST=1, TURN=1, BYTES=4*SIZE*SIZE and PENDING=DELAY of 0 or 1.
    """
    rows = tl.arange(0, SIZE)
    a_bufs = tlx.local_alloc((SIZE, SIZE), tlx.dtype_of(a_desc), NUM)
    b_bufs = tlx.local_alloc((SIZE, SIZE), tlx.dtype_of(b_desc), NUM)
    full = tlx.alloc_barriers(NUM)
    free = tlx.alloc_barriers(NUM, arrive_count=RELEASES)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            phase = FIRST
            for step in range(0, steps):
                buf = step % NUM
                tlx.barrier_wait(free[buf], phase)
                tlx.barrier_expect_bytes(full[buf], BYTES)
                tlx.async_descriptor_load(a_desc, a_bufs[buf], [0, step * SIZE], full[buf])
                tlx.async_descriptor_load(b_desc, b_bufs[buf], [step * SIZE, 0], full[buf])
                phase ^= TURN if buf == NUM - 1 else 0
        with tlx.async_task(num_warps=4):
            acc = tl.zeros((SIZE, SIZE), tl.float32)
            for step in range(0, steps):
                buf, phase = tlx.get_bufidx_phase(step, NUM)
                tlx.barrier_wait(full[buf], phase)
                acc = tlx.async_dot(a_bufs[buf], b_bufs[buf], acc)
                acc = tlx.async_dot_wait(PENDING, acc)
                if DELAY == 0:
                    tlx.barrier_arrive(free[buf])
                elif step > 0:
                    tlx.barrier_arrive(free[(step - 1) % NUM])
            acc = tlx.async_dot_wait(0, acc)
            tl.store(out + rows[:, None] * SIZE + rows[None, :], acc)


@triton.jit
def phases(desc, out, steps, ARMED: tl.constexpr, TURN: tl.constexpr):
    """Loads blocks into one buffer, `steps` times or once, and waits `steps` times.

    Right with ARMED and TURN both or neither.
    """
    rows = tl.arange(0, 64)
    buf = tlx.local_alloc((64, 64), tl.float16, 1)[0]
    full = tlx.alloc_barriers(1)[0]
    phase = 0
    if not ARMED:
        tlx.barrier_expect_bytes(full, 8192)
        tlx.async_descriptor_load(desc, buf, [0, 0], full)
    for step in range(0, steps):
        if ARMED:
            tlx.barrier_expect_bytes(full, 8192)
            tlx.async_descriptor_load(desc, buf, [0, step * 64], full)
        tlx.barrier_wait(full, phase)
        if TURN:
            phase ^= 1
        tl.store(out + step * 4096 + rows[:, None] * 64 + rows[None, :], tlx.local_load(buf))


@triton.jit
def no_arrival(PHASE: tl.constexpr):
    """Waits for what nobody signals."""
    bars = tlx.alloc_barriers(2)
    tlx.barrier_arrive(bars[0])
    tlx.barrier_wait(bars[1], PHASE)
