// Everything that libtlx.so exports.

#include "triton_plugin/Plugin.h"
#include "plugins/tlx/IR/Builders.h"
#include "plugins/tlx/IR/TLX.h"
#include "plugins/tlx/Transforms/Passes.h"
#include "triton_plugin/Bridge.h"

namespace {

using triton_plugin::dialect;
using triton_plugin::op;
using triton_plugin::pass;

constexpr const char *architectures[] = {"sm_80", "sm_89", "sm_90a", "gfx942",
                                         "gfx950"};

constexpr triton_plugin::DialectInfo dialects[] = {
    dialect<"tlx", tlx::TLXDialect>(),
};

constexpr triton_plugin::PassInfo passes[] = {
    pass<"tlx_check_async_groups", tlx::createTLXCheckAsyncGroups>(),
    pass<"tlx_check_barrier_phases", tlx::createTLXCheckBarrierPhases>(),
    pass<"tlx_check_barrier_progress", tlx::createTLXCheckBarrierProgress>(),
    pass<"tlx_check_barrier_waits", tlx::createTLXCheckBarrierWaits>(),
    pass<"tlx_check_expected_bytes", tlx::createTLXCheckExpectedBytes>(),
    pass<"tlx_check_releases", tlx::createTLXCheckReleases>(),
    pass<"tlx_check_target", tlx::createTLXCheckTarget>(),
    pass<"tlx_enter_ttgpuir", triton_plugin::bridgeEnter<"tlx">>(),
    pass<"tlx_exit_ttgpuir", triton_plugin::bridgeExit<"tlx">>(),
    pass<"tlx_separate_programs", tlx::createTLXSeparatePrograms>(),
    pass<"tlx_lower_tasks", tlx::createTLXLowerTasks>(),
    pass<"tlx_lower", tlx::createTLXLower>(),
    pass<"tlx_drain_copies", tlx::createTLXDrainCopies>(),
    pass<"tlx_lower_waits", tlx::createTLXLowerWaits>(),
    pass<"tlx_legalize_async_copy", tlx::createTLXLegalizeAsyncCopy>(),
    pass<"tlx_check_layouts", tlx::createTLXCheckLayouts>(),
    pass<"tlx_check_votes", tlx::createTLXCheckVotes>(),
    pass<"tlx_check_named_barriers", tlx::createTLXCheckNamedBarriers>(),
    pass<"tlx_report_shared_memory", tlx::createTLXReportSharedMemory>(),
    pass<"tlx_join_cluster_barriers", tlx::createTLXJoinClusterBarriers>(),
    pass<"tlx_insert_proxy_fences", tlx::createTLXInsertProxyFences>(),
    pass<"tlx_to_llvm", tlx::createTLXToLLVM>(),
    pass<"tlx_swizzle_buffers", tlx::createTLXSwizzleBuffers>(),
    pass<"tlx_make_buffer_ops", tlx::createTLXMakeBufferOps>(),
};

constexpr triton_plugin::OpInfo ops[] = {
    // Memory.
    op<"tlx_local_alloc", tlx::buildLocalAlloc>(),
    op<"tlx_storage_alias_spec", tlx::buildStorageAliasSpec>(),
    op<"tlx_set_buffer_overlap", tlx::buildSetBufferOverlap>(),
    op<"tlx_local_view", tlx::buildLocalView>(),
    op<"tlx_local_slice", tlx::buildLocalSlice>(),
    op<"tlx_local_trans", tlx::buildLocalTrans>(),
    op<"tlx_local_reinterpret", tlx::buildLocalReinterpret>(),
    op<"tlx_local_load", tlx::buildLocalLoad>(),
    op<"tlx_local_store", tlx::buildLocalStore>(),
    op<"tlx_async_load", tlx::buildAsyncLoad>(),
    op<"tlx_async_bulk_load", tlx::buildAsyncBulkLoad>(),
    op<"tlx_async_store", tlx::buildAsyncStore>(),
    op<"tlx_async_commit", tlx::buildAsyncCommit>(),
    op<"tlx_async_wait", tlx::buildAsyncWait>(),
    // Layouts.
    op<"tlx_require_layout", tlx::buildRequireLayout>(),
    op<"tlx_assert_same_layout", tlx::buildAssertSameLayout>(),
    // Barriers.
    op<"tlx_alloc_barriers", tlx::buildAllocBarriers>(),
    op<"tlx_barrier_wait", tlx::buildBarrierWait>(),
    op<"tlx_barrier_arrive", tlx::buildBarrierArrive>(),
    op<"tlx_barrier_expect", tlx::buildBarrierExpect>(),
    op<"tlx_fence_async_shared", tlx::buildFenceAsyncShared>(),
    // Clusters.
    op<"tlx_cluster_barrier", tlx::buildClusterBarrier>(),
    op<"tlx_fence_mbarrier_init_cluster", tlx::buildFenceMbarrierInitCluster>(),
    op<"tlx_remote_arrive", tlx::buildRemoteArrive>(),
    op<"tlx_remote_store", tlx::buildRemoteStore>(),
    op<"tlx_remote_load", tlx::buildRemoteLoad>(),
    // Descriptors.
    op<"tlx_alloc_descriptors", tlx::buildAllocDescriptors>(),
    op<"tlx_descriptor_slot", tlx::buildDescriptorSlot>(),
    op<"tlx_make_descriptor", tlx::buildMakeDescriptor>(),
    op<"tlx_reinterpret_descriptor", tlx::buildReinterpretDescriptor>(),
    op<"tlx_async_descriptor_load", tlx::buildAsyncDescriptorLoad>(),
    op<"tlx_async_descriptor_store", tlx::buildAsyncDescriptorStore>(),
    op<"tlx_async_descriptor_store_wait", tlx::buildAsyncDescriptorStoreWait>(),
    op<"tlx_async_descriptor_prefetch", tlx::buildAsyncDescriptorPrefetch>(),
    op<"tlx_prefetch_descriptor", tlx::buildPrefetchDescriptor>(),
    // Matrix products.
    op<"tlx_async_dot", tlx::buildAsyncDot>(),
    op<"tlx_async_dot_wait", tlx::buildAsyncDotWait>(),
    // Tasks.
    op<"tlx_async_tasks", tlx::enterAsyncTasks>(),
    op<"tlx_async_task", tlx::enterAsyncTask>(),
    op<"tlx_task_replica", tlx::buildTaskReplica>(),
    // Warps.
    op<"tlx_vote_any", tlx::buildVoteAny>(),
    // AMD.
    op<"tlx_sched_barrier", tlx::buildSchedBarrier>(),
    op<"tlx_sched_group_barrier", tlx::buildSchedGroupBarrier>(),
    op<"tlx_iglp_opt", tlx::buildIglpOpt>(),
    op<"tlx_warp_pipeline_border", tlx::buildWarpPipelineBorder>(),
    op<"tlx_read_first_lane", tlx::buildReadFirstLane>(),
};

constexpr triton_plugin::Definition plugin = {
    .name = "tlx",
    .version = "0.1.0",
    .architectures = architectures,
    .dialects = dialects,
    .passes = passes,
    .ops = ops,
};

} // namespace

TRITON_PLUGIN_EXPORT(plugin)
