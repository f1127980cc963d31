"""Kernels with tasks that the tests compile: right and wrong."""

import triton
import triton.language as tl

import triton_plugins.tlx as tlx


@triton.jit
def copies(src, dst, BLOCK: tl.constexpr, WARPS: tl.constexpr, REGISTERS: tl.constexpr):
    """Three tasks copy a block each; the range is made outside."""
    offsets = tl.arange(0, BLOCK)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.store(dst + offsets, tl.load(src + offsets))
        with tlx.async_task(num_warps=WARPS, registers=REGISTERS, replicate=2):
            replica: tl.constexpr = tlx.async_task_replica_id()
            first = (replica + 1) * BLOCK
            tl.store(dst + first + offsets, tl.load(src + first + offsets) * 2)


@triton.jit
def shapes(src, dst, WARPS: tl.constexpr):
    """A task changes shapes, reduces and multiplies, on warps of another number."""
    with tlx.async_tasks():
        with tlx.async_task(num_warps=WARPS):
            rows, columns = tl.arange(0, 32), tl.arange(0, 64)
            tile = tl.load(src + rows[:, None] * 64 + columns[None, :])
            product = tl.dot(tile, tl.trans(tile), input_precision="ieee")
            sums = tl.sum(tl.reshape(product, (16, 64)), axis=0)
            pairs = tl.join(sums, tl.cumsum(sums, 0))
            low, high = tl.split(tl.reshape(tl.trans(pairs), (64, 2)))
            tl.store(dst + columns, low - high + tl.flip(low))


@triton.jit
def _scale(src, dst, offsets, BLOCK: tl.constexpr):
    view = tlx.local_view(tlx.local_alloc((BLOCK,), tlx.dtype_of(src), 1), 0)
    tlx.async_load(src + offsets, view)
    tlx.async_load_commit_group()
    tlx.async_load_wait_group(0)
    tl.store(dst + offsets, tlx.local_load(view) * (tlx.async_task_replica_id() + 3))


@triton.jit
def functions(src, dst, n, BLOCK: tl.constexpr):
    """In a loop, tasks call a function with TLX operations that asks which replica it is in."""
    for i in range(0, n):
        offsets = i * BLOCK + tl.arange(0, BLOCK)
        with tlx.async_tasks():
            with tlx.async_task("default", replicate=2):
                _scale(src, dst, offsets + tlx.async_task_replica_id() * n * BLOCK, BLOCK)
            with tlx.async_task(num_warps=1):
                for j in range(0, 2):
                    if j != i:
                        _scale(src, dst, (j + 2) * n * BLOCK + offsets, BLOCK)


@triton.jit
def several(src, dst, BLOCK: tl.constexpr):
    """Two groups after one another, tasks chosen at compile time, and one default task alone."""
    offsets = tl.arange(0, BLOCK)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.store(dst + offsets, tl.load(src + offsets))
    with tlx.async_tasks():
        if BLOCK > 128:
            with tlx.async_task(num_warps=2):
                tl.store(dst + BLOCK + offsets, tl.load(src + BLOCK + offsets))
        else:
            with tlx.async_task(num_warps=8):
                tl.store(dst + BLOCK + offsets, tl.load(src + offsets))
        with tlx.async_task("default"):
            tl.store(dst + offsets, tl.load(src + offsets))
    with tlx.async_tasks():
        with tlx.async_task(num_warps=4):
            tl.store(dst + 2 * BLOCK + offsets, tl.load(src + 2 * BLOCK + offsets))
        with tlx.async_task(num_warps=1):
            tl.store(dst + 3 * BLOCK + offsets, tl.load(src + 3 * BLOCK + offsets))


@triton.jit
def products(a, b, c, N: tl.constexpr, K: tl.constexpr):
    """Two tasks multiply from the buffers that the kernel filled."""
    rows, columns, depth = tl.arange(0, 64), tl.arange(0, N), tl.arange(0, K)
    lefts = tlx.local_alloc((64, K), tlx.dtype_of(a), 2)
    right = tlx.local_view(tlx.local_alloc((K, N), tlx.dtype_of(b), 1), 0)
    for i in tl.static_range(2):
        left = tlx.local_view(lefts, i)
        tlx.async_load(a + (rows[:, None] + i * 64) * K + depth[None, :], left)
    tlx.async_load(b + depth[:, None] * N + columns[None, :], right)
    tlx.async_load_commit_group()
    tlx.async_load_wait_group(0)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            pass
        with tlx.async_task(num_warps=4, replicate=2, registers=160):
            replica: tl.constexpr = tlx.async_task_replica_id()
            product = tlx.async_dot(tlx.local_view(lefts, replica), right)
            product = tlx.async_dot_wait(0, product)
            tl.store(c + (rows[:, None] + replica * 64) * N + columns[None, :], product)


@triton.jit
def requests(
    DEFAULT: tl.constexpr,
    REGISTERS: tl.constexpr,
    WARPS: tl.constexpr,
    REPLICATE: tl.constexpr,
    START: tl.constexpr,
):
    """Tasks that only ask."""
    with tlx.async_tasks():
        with tlx.async_task("default", registers=DEFAULT):
            tl.debug_barrier()
        with tlx.async_task(
            num_warps=WARPS,
            num_regs=REGISTERS,
            replicate=REPLICATE,
            warp_group_start_id=START,
        ):
            tl.debug_barrier()


@triton.jit
def captured_tensor(src, dst):
    """Uses a tensor in the registers of other warps."""
    values = tl.load(src + tl.arange(0, 128))
    with tlx.async_tasks():
        with tlx.async_task(num_warps=4):
            tl.store(dst + tl.arange(0, 128), values)


@triton.jit
def leaving_value(src, dst):
    """Uses what a task defined."""
    with tlx.async_tasks():
        with tlx.async_task("default"):
            values = tl.load(src)
    tl.store(dst, values)


@triton.jit
def returning(src, dst):
    """Returns from a task."""
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.store(dst, tl.load(src))
            return


@triton.jit
def nested(src, dst):
    """A task in a task."""
    with tlx.async_tasks():
        with tlx.async_task("default"):
            with tlx.async_tasks():
                tl.store(dst, tl.load(src))


@triton.jit
def _copy_in_task(src, dst):
    with tlx.async_tasks():
        with tlx.async_task(num_warps=1):
            tl.store(dst, tl.load(src))


@triton.jit
def nested_by_function(src, dst):
    """A task in a function that a task calls."""
    with tlx.async_tasks():
        with tlx.async_task("default"):
            _copy_in_task(src, dst)
        with tlx.async_task(num_warps=1):
            tl.store(dst + 1, tl.load(src))


@triton.jit
def no_group(src, dst):
    """A task by itself."""
    with tlx.async_task("default"):
        tl.store(dst, tl.load(src))


@triton.jit
def under_branch(src, dst):
    """A task that starts only sometimes."""
    with tlx.async_tasks():
        if tl.load(src) > 0:
            with tlx.async_task(num_warps=1):
                tl.store(dst, tl.load(src))


@triton.jit
def between(src, dst):
    """A statement between tasks."""
    with tlx.async_tasks():
        tl.store(dst, tl.load(src))
        with tlx.async_task(num_warps=1):
            tl.store(dst, tl.load(src))


@triton.jit
def two_defaults(src, dst):
    """Two default tasks."""
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.store(dst, tl.load(src))
        with tlx.async_task("default"):
            tl.store(dst + 1, tl.load(src))


@triton.jit
def numbered(src, dst):
    """A task with a number."""
    with tlx.async_tasks():
        with tlx.async_task([0]):
            tl.store(dst, tl.load(src))


@triton.jit
def no_replica(dst):
    """Asks for its replica outside of a task."""
    tl.store(dst, tlx.async_task_replica_id())


@triton.jit(noinline=True)
def _not_inlined(src, dst):
    tl.store(dst, tl.load(src))


@triton.jit
def calling(src, dst):
    """Calls a function that stays a function."""
    with tlx.async_tasks():
        with tlx.async_task(num_warps=1):
            _not_inlined(src, dst)


@triton.jit
def turns(dst, BAR: tl.constexpr, THREADS: tl.constexpr):
    """One task waits for the other at a named barrier, and asks its GPU things."""
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.named_barrier_arrive(BAR, THREADS)
        with tlx.async_task(num_warps=4):
            tlx.named_barrier_wait(BAR, THREADS)
            seen = tlx.thread_id(0) + tlx.cluster_cta_rank() + tlx.cluster_size_1d()
            tl.store(dst, seen + tlx.clock64())
