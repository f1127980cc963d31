#include "plugins/tlx/IR/TLX.h"
#include "plugins/tlx/Transforms/Passes.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"
#include "triton_plugin/DiagnosticRecorder.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace tlx {

#define GEN_PASS_DEF_TLXJOINCLUSTERBARRIERS
#include "plugins/tlx/Transforms/Passes.h.inc"

namespace {

/// A partition has a power of two of warps.
SmallVector<int32_t> splitWarps(int numWarps) {
  SmallVector<int32_t> parts;
  for (; numWarps; numWarps -= parts.back())
    parts.push_back(llvm::bit_floor(static_cast<unsigned>(numWarps)));
  return parts;
}

/// `numWarps` run the code around the barrier, and the tasks' are the rest.
void join(ClusterBarrierOp barrier, int numWarps, int totalWarps) {
  OpBuilder builder(barrier);
  Location loc = barrier.getLoc();
  SmallVector<int32_t> parts = splitWarps(totalWarps - numWarps);
  SmallVector<int32_t> starts;
  for (int32_t part : parts) {
    starts.push_back(numWarps);
    numWarps += part;
  }
  auto specialize = ttg::WarpSpecializeOp::create(
      builder, loc, /*resultTypes=*/TypeRange(), parts);
  specialize.setWarpGroupStartIds(starts);

  builder.createBlock(&specialize.getDefaultRegion());
  ClusterBarrierOp::create(builder, loc);
  ttg::WarpYieldOp::create(builder, loc, ValueRange());

  builder.createBlock(&specialize.getPartitionOpHolder());
  auto partitions = ttg::WarpSpecializePartitionsOp::create(
      builder, loc, /*captures=*/ValueRange(), parts.size());
  for (Region &region : partitions.getPartitionRegions()) {
    builder.createBlock(&region);
    ClusterBarrierOp::create(builder, loc);
    ttg::WarpReturnOp::create(builder, loc);
  }
  barrier.erase();
}

struct JoinClusterBarriers
    : impl::TLXJoinClusterBarriersBase<JoinClusterBarriers> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    triton_plugin::DiagnosticRecorder recorder(module, getArgument());
    auto total = module->getAttrOfType<IntegerAttr>("ttg.total-num-warps");
    int numWarps = ttg::lookupNumWarps(module);
    if (!total || total.getInt() == numWarps)
      return;
    SmallVector<ClusterBarrierOp> barriers;
    module.walk([&](ClusterBarrierOp op) { barriers.push_back(op); });
    for (ClusterBarrierOp barrier : barriers)
      join(barrier, numWarps, total.getInt());
  }
};

} // namespace
} // namespace tlx
