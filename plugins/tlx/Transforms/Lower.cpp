#include "plugins/tlx/Transforms/Layouts.h"
#include "plugins/tlx/Transforms/Lowering.h"
#include "plugins/tlx/Transforms/Passes.h"
#include "triton_plugin/DiagnosticRecorder.h"

using namespace mlir;

namespace tlx {

#define GEN_PASS_DEF_TLXLOWER
#include "plugins/tlx/Transforms/Passes.h.inc"

namespace {

constexpr LogicalResult (*lowerings[])(triton::FuncOp) = {
    lowerClusters, lowerMemory,      lowerLayouts,
    lowerBarriers, lowerDescriptors, lowerDots,
};

struct Lower : impl::TLXLowerBase<Lower> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    triton_plugin::DiagnosticRecorder recorder(module, getArgument());
    if (failed(planStorage(module)) || failed(setAccumulatorLayouts(module)) ||
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
