"""Kernels that call an operation wrongly, one each."""

import triton
import triton.language as tl

import triton_plugins.tlx as tlx


@triton.jit
def several_barriers(src):
    tlx.barrier_wait(tlx.alloc_barriers(2), 0)


@triton.jit
def no_barriers(src):
    tlx.alloc_barriers(0)


@triton.jit
def shape_of_a_number(src):
    tlx.local_alloc(64, tl.float16, 1)


@triton.jit
def empty_buffer(src):
    tlx.local_alloc((0, 64), tl.float16, 2)


@triton.jit
def third_phase(src):
    tlx.barrier_wait(tlx.alloc_barriers(1)[0], 2)


@triton.jit
def no_barrier(src):
    tlx.barrier_wait(src, 0)


@triton.jit
def no_token(src):
    tlx.async_load_commit_group([1])


@triton.jit
def unknown_fence(src):
    tlx.fence("cta")


@triton.jit
def several_pointers(src):
    offsets = tl.arange(0, 128)
    tlx.buffer_load(1, offsets)


@triton.jit
def other_without_mask(src):
    tlx.buffer_load(src, tl.arange(0, 128), other=0.0)


@triton.jit
def no_descriptor(src):
    buf = tlx.local_alloc((64, 64), tl.float32, 1)[0]
    tlx.async_descriptor_store(src, buf, [0, 0])


@triton.jit
def cached_copy(desc):
    buf = tlx.local_alloc((64, 64), tl.float16, 1)[0]
    bar = tlx.alloc_barriers(1)[0]
    tlx.async_descriptor_load(desc, buf, [0, 0], bar, cache_modifier=".cg")


@triton.jit
def unknown_policy(desc):
    buf = tlx.local_alloc((64, 64), tl.float16, 1)[0]
    tlx.async_descriptor_store(desc, buf, [0, 0], eviction_policy="never")


@triton.jit
def unknown_reduction(desc):
    buf = tlx.local_alloc((64, 64), tl.float16, 1)[0]
    tlx.async_descriptor_store(desc, buf, [0, 0], store_reduce="mul")


@triton.jit
def product_with_barriers(desc):
    buf = tlx.local_alloc((64, 64), tl.float16, 1)[0]
    tlx.async_dot(buf, buf, mBarriers=[tlx.alloc_barriers(1)[0]])


@triton.jit
def unknown_precision(desc):
    buf = tlx.local_alloc((64, 64), tl.float16, 1)[0]
    tlx.async_dot(buf, buf, input_precision="tf16")


@triton.jit
def _two(value):
    return value, value


@triton.jit
def two_for_one(src):
    tlx.warp_predicate(True, tl.arange(0, 128), _two)


@triton.jit
def unknown_register_class(src):
    tlx.amd_register_class_anchor(tl.arange(0, 128), register_class="sgpr")


@triton.jit
def spanning_layout(src):
    layout: tl.constexpr = tlx.swizzled_shared_layout_encoding(1, 1, 1, [0], 1, [2], [1], [0])
    tlx.local_alloc((128,), tl.float32, 1, layout=layout)


@triton.jit
def reused_number(src):
    tlx.local_alloc((128,), tl.float32, 1, reuse=1)


@triton.jit
def slice_of_several(src):
    tlx.local_slice(tlx.local_alloc((128,), tl.float32, 2), [0], [64])


@triton.jit
def view_of_a_view(src):
    tlx.local_view(tlx.local_alloc((128,), tl.float32, 2)[0], 0)


@triton.jit
def unknown_dimension(src):
    tlx.local_trans(tlx.local_alloc((64, 64), tl.float32, 2)[0], (0, 2))


@triton.jit
def copy_of_values(src):
    buf = tlx.local_alloc((128,), tl.int32, 1)[0]
    tlx.async_load(tl.arange(0, 128), buf)


@triton.jit
def store_to_a_number(src):
    tlx.async_store(tl.program_id(0), tlx.local_alloc((128,), tl.int32, 1)[0], 16)


@triton.jit
def storage_of_clusters(src):
    tlx.local_alloc((128,), tl.int32, 1, tlx.storage_kind.smemCluster)


@triton.jit
def overlap_of_a_buffer(src):
    storage = tlx.storage_alias_spec()
    storage.set_buffer_overlap(tlx.local_alloc((128,), tl.int32, 1, reuse=storage))


@triton.jit
def group_of_a_number(src):
    tlx.storage_alias_spec().set_buffer_overlap(tlx.reuse_group(1))


@triton.jit
def name_of_an_integer(src):
    tl.static_print(tlx.get_fp8_format_name(tl.int8))


@triton.jit
def nvidia_register(src):
    tl.store(src, tlx.thread_id(0))


@triton.jit
def nvidia_fence(src):
    tlx.fence("gpu")


@triton.jit
def cluster_rank(src):
    tl.store(src, tlx.cluster_cta_rank())


@triton.jit
def bulk_copy(src):
    tlx.async_store(src, tlx.local_alloc((128,), tl.float32, 1)[0], 16)


@triton.jit
def unknown_cache(src):
    buf = tlx.local_alloc((128,), tl.float32, 1)[0]
    tlx.async_load(src + tl.arange(0, 128), buf, cache_modifier=".wb")


@triton.jit
def size_of_a_copy(src):
    buf = tlx.local_alloc((128,), tl.float32, 1)[0]
    tlx.async_load(src + tl.arange(0, 128), buf, bulk_size=512)


@triton.jit
def operand_without_width(src):
    result: tl.constexpr = tlx.amd_mfma_layout(3, [16, 16, 16], True, [2, 2])
    operand: tl.constexpr = tlx.dot_operand_layout(0, result)
    tlx.require_layout(tl.zeros((64, 64), tl.float16), operand)


@triton.jit
def reduced_integers(src):
    tlx.warp_redux(tl.arange(0, 128), "max")


@triton.jit
def vote_about_a_number(src):
    tlx.vote_any(tl.load(src) > 0)


@triton.jit
def nvidia_vote(src):
    tlx.vote_any(tl.load(src + tl.arange(0, 128)) > 0)
