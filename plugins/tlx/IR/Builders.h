//===- Builders.h - The DSL ops of TLX --------------------------*- C++ -*-===//
//
// One function for each op of triton_plugins.tlx. The Python side passes the
// arguments by the names used here.
//
//===----------------------------------------------------------------------===//

#ifndef TLX_IR_BUILDERS_H
#define TLX_IR_BUILDERS_H

#include "triton_plugin/OpCall.h"

namespace tlx {

// Memory.
mlir::Value buildLocalAlloc(triton_plugin::OpCall &call);
mlir::Value buildStorageAliasSpec(triton_plugin::OpCall &call);
mlir::Value buildSetBufferOverlap(triton_plugin::OpCall &call);
mlir::Value buildLocalView(triton_plugin::OpCall &call);
mlir::Value buildLocalSlice(triton_plugin::OpCall &call);
mlir::Value buildLocalTrans(triton_plugin::OpCall &call);
mlir::Value buildLocalReinterpret(triton_plugin::OpCall &call);
mlir::Value buildLocalLoad(triton_plugin::OpCall &call);
mlir::Value buildLocalStore(triton_plugin::OpCall &call);
mlir::Value buildAsyncLoad(triton_plugin::OpCall &call);
mlir::Value buildAsyncBulkLoad(triton_plugin::OpCall &call);
mlir::Value buildAsyncStore(triton_plugin::OpCall &call);
mlir::Value buildAsyncCommit(triton_plugin::OpCall &call);
mlir::Value buildAsyncWait(triton_plugin::OpCall &call);

// Layouts.
mlir::Value buildRequireLayout(triton_plugin::OpCall &call);
mlir::Value buildAssertSameLayout(triton_plugin::OpCall &call);

// Barriers.
mlir::Value buildAllocBarriers(triton_plugin::OpCall &call);
mlir::Value buildBarrierWait(triton_plugin::OpCall &call);
mlir::Value buildBarrierArrive(triton_plugin::OpCall &call);
mlir::Value buildBarrierExpect(triton_plugin::OpCall &call);
mlir::Value buildFenceAsyncShared(triton_plugin::OpCall &call);

// Clusters.
mlir::Value buildClusterBarrier(triton_plugin::OpCall &call);
mlir::Value buildFenceMbarrierInitCluster(triton_plugin::OpCall &call);
mlir::Value buildRemoteArrive(triton_plugin::OpCall &call);
mlir::Value buildRemoteStore(triton_plugin::OpCall &call);
mlir::Value buildRemoteLoad(triton_plugin::OpCall &call);

// Descriptors.
mlir::Value buildAllocDescriptors(triton_plugin::OpCall &call);
mlir::Value buildDescriptorSlot(triton_plugin::OpCall &call);
mlir::Value buildMakeDescriptor(triton_plugin::OpCall &call);
mlir::Value buildReinterpretDescriptor(triton_plugin::OpCall &call);
mlir::Value buildAsyncDescriptorLoad(triton_plugin::OpCall &call);
mlir::Value buildAsyncDescriptorStore(triton_plugin::OpCall &call);
mlir::Value buildAsyncDescriptorStoreWait(triton_plugin::OpCall &call);
mlir::Value buildAsyncDescriptorPrefetch(triton_plugin::OpCall &call);
mlir::Value buildPrefetchDescriptor(triton_plugin::OpCall &call);

// Matrix products.
mlir::Value buildAsyncDot(triton_plugin::OpCall &call);
mlir::Value buildAsyncDotWait(triton_plugin::OpCall &call);

/// These two leave the builder in the body of the op that they create.
mlir::Value enterAsyncTasks(triton_plugin::OpCall &call);
mlir::Value enterAsyncTask(triton_plugin::OpCall &call);
mlir::Value buildTaskReplica(triton_plugin::OpCall &call);

// Warps.
mlir::Value buildVoteAny(triton_plugin::OpCall &call);

// AMD.
mlir::Value buildSchedBarrier(triton_plugin::OpCall &call);
mlir::Value buildSchedGroupBarrier(triton_plugin::OpCall &call);
mlir::Value buildIglpOpt(triton_plugin::OpCall &call);
mlir::Value buildWarpPipelineBorder(triton_plugin::OpCall &call);
mlir::Value buildReadFirstLane(triton_plugin::OpCall &call);

} // namespace tlx

#endif // TLX_IR_BUILDERS_H
