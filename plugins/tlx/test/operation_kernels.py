"""One kernel for each row of the table of operations (operations.py)."""

import triton
import triton.language as tl

import triton_plugins.tlx as tlx


@triton.jit
def buffers(src, dst):
    """Reads a matrix by columns from a buffer that was written by rows."""
    rows, cols = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    bufs = tlx.local_alloc((64, 64), tlx.dtype_of(src), 2)
    view = tlx.local_view(bufs, 1)
    tlx.local_store(tlx.local_slice(view, [0, 0], [64, 64]), tl.load(src + rows * 64 + cols))
    words = tlx.local_load(tlx.local_reinterpret(tlx.local_trans(view), tl.int32))
    tl.store(dst + rows * 64 + cols, words.to(tl.float32, bitcast=True))


@triton.jit
def shared_memory(src, dst):
    """Two buffers in one memory, one used after the other."""
    offsets = tl.arange(0, 512)
    storage = tlx.storage_alias_spec()
    first = tlx.local_alloc((512,), tl.float32, 1, reuse=storage)
    second = tlx.local_alloc((512,), tl.float32, 1, reuse=storage)
    storage.set_buffer_overlap(tlx.reuse_group(first, second))
    tlx.local_store(first[0], tl.load(src + offsets))
    values = tlx.local_load(first[0])
    tlx.local_store(second[0], values + 1)
    tl.store(dst + offsets, tlx.local_load(second[0]))


@triton.jit
def layouts(src, dst):
    """A buffer and tensors in layouts that the kernel names."""
    offsets = tl.arange(0, 32)[:, None] * 64 + tl.arange(0, 64)[None, :]
    swizzled: tl.constexpr = tlx.swizzled_shared_layout_encoding.make_default(rank=2)
    buf = tlx.local_alloc((32, 64), tl.float32, 1, layout=swizzled)[0]
    tlx.local_store(buf, tl.load(src + offsets))
    LANES: tl.constexpr = 64 if tlx.is_hip() else 32
    REST: tl.constexpr = 512 // LANES
    mine: tl.constexpr = tlx.layout(shape=((LANES, 4), (REST,)), stride=((1, 512), (LANES,)))
    value = tlx.require_layout(tlx.local_load(buf), mine)
    tlx.assert_same_layout(value, value)
    tl.store(dst + offsets, tlx.release_layout(value + tlx.zeros((32, 64), tl.float32, mine)))


@triton.jit
def copies(src, dst, n):
    """Copies through a buffer; what the mask leaves out is zero."""
    offsets = tl.arange(0, 1024)
    buf = tlx.local_alloc((1024,), tl.float32, 1)[0]
    token = tlx.async_load(src + offsets, buf, mask=offsets < n)
    tlx.async_load_commit_group([token])
    tlx.async_load_wait_group(0)
    tl.store(dst + offsets, tlx.local_load(buf))


@triton.jit
def bulk_load(src, dst):
    """Loads a buffer's bytes."""
    buf = tlx.local_alloc((1024,), tl.float32, 1)[0]
    bar = tlx.alloc_barriers(1)[0]
    tlx.barrier_expect_bytes(bar, 4096)
    tlx.async_load(src, buf, bulk=True, barrier=bar)
    tlx.barrier_wait(bar, 0)
    tl.store(dst + tl.arange(0, 1024), tlx.local_load(buf))


@triton.jit
def bulk_store(src, dst):
    """Stores a buffer's bytes."""
    offsets = tl.arange(0, 1024)
    buf = tlx.local_alloc((1024,), tl.float32, 1)[0]
    tlx.local_store(buf, tl.load(src + offsets))
    tlx.async_store(dst, buf, 4096)
    tlx.async_descriptor_store_wait(0)


@triton.jit
def descriptors(desc):
    """Copies a block of a tensor to the next one."""
    buf = tlx.local_alloc((64, 64), tl.float16, 1)[0]
    bar = tlx.alloc_barriers(1)[0]
    tlx.async_descriptor_prefetch_tensor(desc, [0, 0])
    tlx.barrier_expect_bytes(bar, 8192)
    tlx.async_descriptor_load(desc, buf, [0, 0], bar)
    tlx.barrier_wait(bar, 0)
    tlx.async_descriptor_store(desc, buf, [0, 64])
    tlx.async_descriptor_store_wait(0)


@triton.jit
def descriptor_slots(src, n):
    """Makes a descriptor for a task that finds it in a slot."""
    slot = tlx.allocate_tensor_descriptor(1)[0]
    buf = tlx.local_alloc((64, 64), tl.float16, 1)[0]
    tlx.make_tensor_descriptor(slot, src, [n, 64], [64, 1], [64, 64])
    desc = tlx.reinterpret_tensor_descriptor(slot, [64, 64], tl.float16)
    tlx.local_store(buf, tl.zeros((64, 64), tl.float16))
    tlx.fence("async_shared")
    tlx.async_descriptor_store(desc, buf, [0, 0])
    tlx.async_descriptor_store_wait(0)


@triton.jit
def made_descriptors(src, n):
    """Adds one to a block of a tensor, through a descriptor that the kernel makes."""
    desc = tlx.make_tensor_descriptor(None, src, [n, 64], [64, 1], [64, 64])
    desc.store([0, 0], desc.load([0, 0]) + 1)


@triton.jit
def prefetches(src, dst):
    """Brings what is read next into the L2 cache."""
    tlx.prefetch(src + tl.arange(0, 128) * 8)
    tl.store(dst, tl.load(src))


@triton.jit
def products(src, dst):
    """A product of a matrix with itself."""
    offsets = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    buf = tlx.local_alloc((64, 64), tl.float16, 1)[0]
    tlx.async_load(src + offsets, buf)
    tlx.async_load_commit_group()
    tlx.async_load_wait_group(0)
    product = tlx.async_dot_wait(0, tlx.async_dot(buf, buf))
    tl.store(dst + offsets, product.to(tl.float16))


@triton.jit
def barriers(src, dst):
    """One task hands a value to another."""
    buf = tlx.local_alloc((128,), tl.float32, 1)[0]
    full = tlx.alloc_barriers(1)[0]
    read = tlx.alloc_barriers(1)[0]
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.local_store(buf, tl.load(src + tl.arange(0, 128)))
            tlx.barrier_arrive(full)
            tlx.barrier_wait(read, 0)
        with tlx.async_task(num_warps=4):
            tlx.barrier_wait(full, 0)
            tl.store(dst + tl.arange(0, 128), tlx.local_load(buf))
            tlx.barrier_arrive(read)


@triton.jit
def warp_barriers(src, dst):
    """The same, but each warp arrives by itself."""
    buf = tlx.local_alloc((128,), tl.float32, 1)[0]
    full = tlx.alloc_warp_barrier(1, num_warps=4)[0]
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.local_store(buf, tl.load(src + tl.arange(0, 128)))
            tlx.barrier_arrive(full)
        with tlx.async_task(num_warps=4):
            tlx.barrier_wait(full, 0)
            tl.store(dst + tl.arange(0, 128), tlx.local_load(buf))


@triton.jit
def expected_bytes():
    """Announces that nothing comes."""
    bar = tlx.alloc_barriers(1)[0]
    tlx.barrier_expect_bytes(bar, 0)
    tlx.barrier_wait(bar, 0)


@triton.jit
def named_barriers(src, dst):
    """One task waits for another."""
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.store(dst, tl.load(src))
            tlx.named_barrier_arrive(8, 256)
        with tlx.async_task(num_warps=4):
            tlx.named_barrier_wait(8, 256)
            tl.store(dst + 1, tl.load(dst))


@triton.jit
def tasks(src, dst):
    """Three groups of warps copy a block each."""
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.store(dst + tl.arange(0, 128), tl.load(src + tl.arange(0, 128)))
        with tlx.async_task(num_warps=4, replicate=2):
            block: tl.constexpr = tlx.async_task_replica_id() + 1
            offsets = block * 128 + tl.arange(0, 128)
            tl.store(dst + offsets, tl.load(src + offsets) + tlx.num_warps())


@triton.jit
def registers(src, dst):
    """A task with registers of its own."""
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tl.store(dst, tl.load(src))
        with tlx.async_task(num_warps=4, registers=120):
            tl.store(dst + 1, tl.load(src + 1))


@triton.jit
def fences(src, dst):
    """A value that the rest of the GPU sees before the next."""
    tl.store(dst, tl.load(src))
    tlx.fence("gpu")
    tl.store(dst + 1, 1.0)


@triton.jit
def proxy_fences(src, dst):
    """What was written to a buffer is there for asynchronous reads."""
    buf = tlx.local_alloc((128,), tl.float32, 1)[0]
    tlx.local_store(buf, tl.load(src + tl.arange(0, 128)))
    tlx.fence_async_shared()
    tl.store(dst + tl.arange(0, 128), tlx.local_load(buf))


@triton.jit
def clusters(dst):
    """Where the block is in its cluster."""
    tl.store(dst, tlx.cluster_cta_rank() * tlx.cluster_size_1d())


@triton.jit
def other_blocks(dst):
    """Two blocks of a cluster wait for each other, in two ways."""
    bar = tlx.alloc_barriers(1)[0]
    tlx.fence_mbarrier_init_cluster()
    tlx.barrier_arrive(tlx.remote_view(bar, tlx.cluster_cta_rank() ^ 1))
    tlx.barrier_wait(bar, 0)
    tl.store(dst, 1.0)
    tlx.cluster_barrier()
    tl.store(dst + 1, 1.0)


@triton.jit
def multicasts(desc):
    """Copies one block of a tensor into the buffers of two blocks of a cluster."""
    buf = tlx.local_alloc((64, 64), tl.float16, 1)[0]
    bar = tlx.alloc_barriers(1)[0]
    tlx.barrier_expect_bytes(bar, 16384)
    tlx.async_descriptor_load(desc, buf, [0, 0], bar, multicast_targets=[0, 1])
    tlx.barrier_wait(bar, 0)


@triton.jit
def remote_stores(src, dst):
    """Fills buffers of a block of the cluster, first at once and then with a barrier."""
    tlx.cluster_barrier()
    bufs = tlx.local_alloc((128,), tl.float32, 2)
    full = tlx.alloc_barriers(1)[0]
    value = tl.load(src + tl.arange(0, 128))
    tlx.barrier_expect_bytes(full, 512)
    tlx.remote_shmem_store(bufs[0], value, 0)
    tlx.async_remote_shmem_store(bufs[1], value, 0, full)
    tlx.barrier_wait(full, 0)
    tl.store(dst + tl.arange(0, 128), tlx.local_load(bufs[1]))


@triton.jit
def threads(dst):
    """What a thread asks its GPU."""
    seen = tlx.clock64() + tlx.thread_id(0)
    seen += tlx.vote_ballot_sync(0xFFFFFFFF, tl.load(dst) > 0)
    values = tl.load(dst + tl.arange(0, 128)).to(tl.float32)
    seen += tlx.vote_any(values > 0)
    tl.store(dst + tl.arange(0, 128), tlx.warp_redux(values, "max").to(tl.int64) + seen)


@triton.jit
def buffer_accesses(src, dst):
    """Accesses through one pointer and offsets."""
    offsets = tl.arange(0, 1024)
    buf = tlx.local_alloc((1024,), tl.float32, 1)[0]
    tlx.buffer_load_to_local(buf, src, offsets, contiguity=4)
    tlx.async_load_commit_group()
    tlx.async_load_wait_group(0)
    value = tlx.local_load(buf) + tlx.buffer_load(src, offsets, contiguity=4)
    tlx.buffer_store(value, dst, offsets, contiguity=4)
    tlx.buffer_atomic_add(dst, offsets, value)


@triton.jit
def schedules(src, dst):
    """Hints to LLVM's scheduler."""
    offsets = tl.arange(0, 512)
    tlx.amd_iglp_opt(1)
    value = tl.load(src + offsets)
    tlx.amd_sched_barrier(0)
    tl.store(dst + offsets, value)
    tlx.amd_sched_group_barrier(1, 1)


@triton.jit
def stages(src, dst, n):
    """A loop whose stages two halves of the block's waves run in turns."""
    offsets = tl.arange(0, 512)
    value = tl.zeros((512,), tl.float32)
    for i in tl.range(0, n, num_stages=0):
        with tlx.warp_pipeline_stage("load", priority=1):
            loaded = tl.load(src + i * 512 + offsets)
        with tlx.warp_pipeline_stage("add", priority=0):
            value += loaded
    tl.store(dst + offsets, value)


@triton.jit
def _doubled(value):
    return value * 2


@triton.jit
def register_hints(src, dst):
    """Hints about registers, which change nothing of what it computes."""
    rows = tlx.rematerialized_range(0, 64, identity=1)
    offsets = rows[:, None] * 64 + tl.arange(0, 64)[None, :]
    left = tlx.amd_register_resident(tl.load(src + offsets))
    right = tlx.amd_register_class_anchor(tl.load(src + offsets))
    acc = tl.zeros((64, 64), tl.float32)
    product = tlx.amd_scheduled_mfma(left, right, acc, "persistent", initialize=True)
    product = tlx.amd_mfma_commit(product)
    product = tlx.warp_predicate(tlx.warp_any(rows > 0), product, _doubled)
    tl.store(dst + offsets, product.to(tl.float16))


@triton.jit
def parts(src, dst):
    """A part of a tensor, through a pointer that is the same in all threads."""
    rows, cols = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    first = tlx.assume_uniform(tl.load(dst).to(tl.int32))
    part = tlx.extract_slice(tl.load(src + first + rows * 64 + cols), (32, 64), (32, 0))
    tl.store(dst + tl.arange(0, 32)[:, None] * 64 + cols, part)


@triton.jit
def questions(src, dst):
    """What is known at compile time, and the place in a ring."""
    buf, phase = tlx.get_bufidx_phase(tl.program_id(0), 3)
    is_8_bits: tl.constexpr = tlx.size_of(tlx.dtype_of(src)) == 1
    name: tl.constexpr = tlx.get_fp8_format_name(tl.float8e5)
    tl.static_assert(name == "e5m2")
    if tlx.is_hip() and is_8_bits:
        tl.store(dst, 0.0)
    tl.store(dst + buf, phase.to(tl.float32))


@triton.jit
def scaled_product(src):
    """What only Blackwell has."""
    tlx.async_dot_scaled(src, src)
