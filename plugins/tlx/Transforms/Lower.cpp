#include "plugins/tlx/Transforms/Layouts.h"
#include "plugins/tlx/Transforms/Lowering.h"
#include "plugins/tlx/Transforms/Passes.h"
#include "triton_plugin/DiagnosticRecorder.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace tlx {

#define GEN_PASS_DEF_TLXLOWER
#include "plugins/tlx/Transforms/Passes.h.inc"

namespace {

constexpr LogicalResult (*lowerings[])(triton::FuncOp) = {
    lowerMemory, lowerLayouts, lowerBarriers, lowerDescriptors, lowerDots,
};

LogicalResult checkTarget(ModuleOp module) {
  StringRef target;
  if (auto attr = module->getAttrOfType<StringAttr>(ttg::AttrTargetName))
    target = attr.getValue();
  if (target == "cuda:90")
    return success();
  WalkResult walk = module.walk([&](Operation *op) -> WalkResult {
    if (isa<AsyncDotOp>(op))
      return op->emitError("async_dot needs wgmma, which sm_90a has and ")
             << target << " has not; use tl.dot on tlx.local_load there";
    if (isa<AllocBarriersOp>(op) && target.starts_with("hip"))
      return op->emitError("alloc_barriers needs barriers in memory, which ")
             << target
             << " has not; wait for groups of copies "
                "(async_load_wait_group), or let halves of a block's waves "
                "alternate (warp_pipeline_stage)";
    return WalkResult::advance();
  });
  return success(!walk.wasInterrupted());
}

struct Lower : impl::TLXLowerBase<Lower> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    triton_plugin::DiagnosticRecorder recorder(module, getArgument());
    if (failed(checkTarget(module)) || failed(planStorage(module)) ||
        failed(setAccumulatorLayouts(module)) ||
        failed(setBufferLayouts(module)) ||
        failed(setDescriptorLayouts(module)))
      return signalPassFailure();
    for (auto function : module.getOps<triton::FuncOp>())
      for (auto lower : lowerings)
        if (failed(lower(function)))
          return signalPassFailure();
  }
};

} // namespace
} // namespace tlx
