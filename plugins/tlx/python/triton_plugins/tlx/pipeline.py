"""The passes that TLX ops need, beside stock Triton's.

ttir                              the kernel's ops
ttgir  tlx_enter_ttgpuir          hide the ops from the conversion
       convert_to_ttgpuir         stock
       tlx_exit_ttgpuir
       ...                        no op of any plugin is hidden any more
       tlx_check_target           what the GPU cannot run is an error
       tlx_check_async_groups     as are waits that cannot wait
       tlx_check_barrier_waits    and those that last for ever,
       tlx_check_barrier_phases
       tlx_check_expected_bytes   bytes that nothing brings,
       tlx_check_releases         buffers released while they are read
       tlx_check_barrier_progress and tasks that wait for each other when they are run
       tlx_separate_programs      on NVIDIA: a cluster is no larger program
       tlx_lower_tasks            tasks have warps of their own
       tlx_lower                  only stock ops from here on, but for waits
       coalesce                   stock: the width of each thread's accesses
       tlx_legalize_async_copy    no copy is narrower than the hardware's
       accelerate_matmul, ...     stock: the layouts of dot operands
       tlx_swizzle_buffers        buffers are swizzled for their readers
       pipeline, ...              stock
       reduce_data_duplication    stock
       tlx_drain_copies           no copy outlives its buffer
       tlx_lower_waits            on NVIDIA
       tlx_make_buffer_ops        AMD: of what the kernel calls buffer accesses
       convert_to_buffer_ops      stock, AMD: counts the waits that it finds anew
       tlx_lower_waits            on AMD
       warp_pipeline              stock, AMD: marked stages become clusters
       tlx_check_layouts          what the kernel says about the final layouts holds
       tlx_check_votes            on NVIDIA: what warps do each by itself needs no other warp
       tlx_check_named_barriers   on NVIDIA: and the kernel's barriers are not Triton's
llir   allocate_warp_groups       stock
       tlx_join_cluster_barriers  on NVIDIA: the warps of tasks take part
       allocate_shared_memory     stock
       tlx_report_shared_memory   who takes what, where it is too much
       check_shared_memory        makes it an exception
       tlx_insert_proxy_fences    on NVIDIA: the stock pass, where it has something to do
       to_llvmir                  stock
       tlx_to_llvm                what has no stock counterpart, on NVIDIA
"""

from triton_plugins import Pipeline, on

from .resources import check_shared_memory

_CHECKS = (
    "tlx_check_target",
    "tlx_check_async_groups",
    "tlx_check_barrier_waits",
    "tlx_check_barrier_phases",
    "tlx_check_expected_bytes",
    "tlx_check_releases",
    "tlx_check_barrier_progress",
)
_AFTER_ALLOCATION = ("tlx_report_shared_memory", check_shared_memory)

PIPELINE = (
    Pipeline("tlx")
    .insert_before("ttgir", "convert_to_ttgpuir", "tlx_enter_ttgpuir")
    .insert_after("ttgir", "convert_to_ttgpuir", "tlx_exit_ttgpuir")
    .insert_before("ttgir", "coalesce", *_CHECKS, "tlx_lower_tasks", "tlx_lower")
    .insert_before("ttgir", "tlx_lower_tasks", "tlx_separate_programs", when=on("cuda"))
    .insert_after("ttgir", "coalesce", "tlx_legalize_async_copy")
    .insert_before("ttgir", "fuse_nested_loops", "tlx_swizzle_buffers")
    .insert_after("ttgir", "reduce_data_duplication", "tlx_drain_copies")
    .insert_after("ttgir", "tlx_drain_copies", "tlx_lower_waits", when=on("cuda"))
    .insert_after("ttgir", "move_up_prologue_loads", "tlx_make_buffer_ops", when=on("hip"))
    .append("ttgir", "tlx_lower_waits", "amd.ttgpuir.warp_pipeline", when=on("hip"))
    .append("ttgir", "tlx_check_layouts")
    .append("ttgir", "tlx_check_votes", "tlx_check_named_barriers", when=on("cuda"))
    .insert_after("llir", "allocate_warp_groups", "tlx_join_cluster_barriers", when=on("cuda"))
    .insert_after("llir", "allocate_shared_memory_nv", *_AFTER_ALLOCATION, when=on("cuda"))
    .replace("llir", "proxy_fence_insertion", "tlx_insert_proxy_fences", when=on("cuda"))
    .insert_after("llir", "to_llvmir", "tlx_to_llvm", when=on("cuda"))
    .insert_after("llir", "allocate_shared_memory", *_AFTER_ALLOCATION, when=on("hip"))
)
