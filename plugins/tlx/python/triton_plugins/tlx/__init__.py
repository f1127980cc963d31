"""TLX: explicit memory and asynchronous operations for Triton kernels.

    import triton
    import triton.language as tl
    import triton_plugins.tlx as tlx

    @triton.jit
    def kernel(a_ptr, ...):
        buffers = tlx.local_alloc((128, 64), tlx.dtype_of(a_ptr), 3)
        ...

Importing it loads the plugin's library. Kernels that use an operation are compiled with
`tlx.PIPELINE`, and no others are.
"""

import triton_plugins

from .amd import (
    amd_iglp_opt,
    amd_sched_barrier,
    amd_sched_group_barrier,
    assume_uniform,
    extract_slice,
    warp_pipeline_stage,
)
from .barriers import (
    alloc_barriers,
    barrier_arrive,
    barrier_expect_bytes,
    barrier_wait,
    fence,
    fence_async_shared,
)
from .blackwell import (
    CLCPipelineContext,
    DummyTMEMLayoutEncoding,
    async_dot_scaled,
    clc_consumer,
    clc_create_context,
    clc_producer,
    clc_response,
    clc_response_type,
    stoch_round,
    subslice,
    tcgen05_commit,
    tensor_memory_layout_encoding,
    tensor_memory_scales_layout_encoding,
    tmem_copy,
)
from .buffer_ops import buffer_atomic_add, buffer_load, buffer_load_to_local, buffer_store
from .caches import prefetch
from .clusters import (
    async_remote_shmem_store,
    cluster_barrier,
    fence_mbarrier_init_cluster,
    remote_shmem_store,
    remote_view,
)
from .copies import async_load, async_load_commit_group, async_load_wait_group, async_store
from .descriptors import (
    async_descriptor_load,
    async_descriptor_prefetch_tensor,
    async_descriptor_store,
    async_descriptor_store_wait,
)
from .device_descriptors import (
    allocate_tensor_descriptor,
    make_tensor_descriptor,
    reinterpret_tensor_descriptor,
)
from .dot import async_dot, async_dot_wait
from .hints import (
    amd_mfma_commit,
    amd_register_class_anchor,
    amd_register_resident,
    amd_scheduled_mfma,
    rematerialized_range,
    warp_any,
    warp_predicate,
)
from .layouts import (
    layout,
    layout_encoding,
    nv_mma_shared_layout_encoding,
    padded_shared_layout_encoding,
    shared_layout_encoding,
    shared_linear_layout_encoding,
    swizzled_layout,
    swizzled_shared_layout_encoding,
)
from .memory import (
    local_alloc,
    local_load,
    local_reinterpret,
    local_slice,
    local_store,
    local_trans,
    local_view,
)
from .pipeline import PIPELINE
from .register_layouts import (
    amd_mfma_layout,
    assert_same_layout,
    dot_operand_layout,
    release_layout,
    require_layout,
    slice_layout,
    zeros,
)
from .resources import SharedMemoryError
from .storage import (
    reuse_group,
    reuse_group_type,
    storage_alias_spec,
    storage_alias_spec_type,
    storage_kind,
)
from .tasks import async_task, async_task_replica_id, async_tasks, get_bufidx_phase, num_warps
from .types import (
    async_token,
    buffered_tensor,
    buffered_tensor_type,
    mbarrier,
    mbarrier_type,
    remote_buffer,
    tensor_descriptor_ptr,
    tensor_descriptor_ptr_type,
)
from .utility import dtype_of, get_fp8_format_name, is_hip, size_of
from .warps import (
    alloc_warp_barrier,
    clock64,
    cluster_cta_rank,
    cluster_size_1d,
    named_barrier_arrive,
    named_barrier_wait,
    thread_id,
    vote_any,
    vote_ballot_sync,
    warp_redux,
)

__all__ = [
    "CLCPipelineContext",
    "DummyTMEMLayoutEncoding",
    "PIPELINE",
    "SharedMemoryError",
    "alloc_barriers",
    "alloc_warp_barrier",
    "allocate_tensor_descriptor",
    "amd_iglp_opt",
    "amd_mfma_commit",
    "amd_mfma_layout",
    "amd_register_class_anchor",
    "amd_register_resident",
    "amd_sched_barrier",
    "amd_sched_group_barrier",
    "amd_scheduled_mfma",
    "assert_same_layout",
    "assume_uniform",
    "async_descriptor_load",
    "async_descriptor_prefetch_tensor",
    "async_descriptor_store",
    "async_descriptor_store_wait",
    "async_dot",
    "async_dot_scaled",
    "async_dot_wait",
    "async_load",
    "async_load_commit_group",
    "async_load_wait_group",
    "async_remote_shmem_store",
    "async_store",
    "async_task",
    "async_task_replica_id",
    "async_tasks",
    "async_token",
    "barrier_arrive",
    "barrier_expect_bytes",
    "barrier_wait",
    "buffer_atomic_add",
    "buffer_load",
    "buffer_load_to_local",
    "buffer_store",
    "buffered_tensor",
    "buffered_tensor_type",
    "clc_consumer",
    "clc_create_context",
    "clc_producer",
    "clc_response",
    "clc_response_type",
    "clock64",
    "cluster_barrier",
    "cluster_cta_rank",
    "cluster_size_1d",
    "dot_operand_layout",
    "dtype_of",
    "extract_slice",
    "fence",
    "fence_async_shared",
    "fence_mbarrier_init_cluster",
    "get_bufidx_phase",
    "get_fp8_format_name",
    "is_hip",
    "layout",
    "layout_encoding",
    "local_alloc",
    "local_load",
    "local_reinterpret",
    "local_slice",
    "local_store",
    "local_trans",
    "local_view",
    "make_tensor_descriptor",
    "mbarrier",
    "mbarrier_type",
    "named_barrier_arrive",
    "named_barrier_wait",
    "num_warps",
    "nv_mma_shared_layout_encoding",
    "padded_shared_layout_encoding",
    "prefetch",
    "reinterpret_tensor_descriptor",
    "release_layout",
    "rematerialized_range",
    "remote_buffer",
    "remote_shmem_store",
    "remote_view",
    "require_layout",
    "reuse_group",
    "reuse_group_type",
    "shared_layout_encoding",
    "shared_linear_layout_encoding",
    "size_of",
    "slice_layout",
    "stoch_round",
    "storage_alias_spec",
    "storage_alias_spec_type",
    "storage_kind",
    "subslice",
    "swizzled_layout",
    "swizzled_shared_layout_encoding",
    "tcgen05_commit",
    "tensor_descriptor_ptr",
    "tensor_descriptor_ptr_type",
    "tensor_memory_layout_encoding",
    "tensor_memory_scales_layout_encoding",
    "thread_id",
    "tmem_copy",
    "vote_any",
    "vote_ballot_sync",
    "warp_any",
    "warp_pipeline_stage",
    "warp_predicate",
    "warp_redux",
    "zeros",
]

triton_plugins.load("tlx")
