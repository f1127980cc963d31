#include "mlir/Pass/PassManager.h"
#include "plugins/tlx/Transforms/Passes.h"
#include "triton/Conversion/TritonGPUToLLVM/Passes.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"
#include "triton_plugin/DiagnosticRecorder.h"

using namespace mlir;

namespace tlx {

#define GEN_PASS_DEF_TLXALLOCATEWARPGROUPS
#include "plugins/tlx/Transforms/Passes.h.inc"

namespace {

struct AllocateWarpGroups
    : impl::TLXAllocateWarpGroupsBase<AllocateWarpGroups> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    triton_plugin::DiagnosticRecorder recorder(module, getArgument());
    if (module->hasAttr("ttg.total-num-warps")) {
      markAllAnalysesPreserved();
      return;
    }
    OpPassManager stock(ModuleOp::getOperationName());
    stock.addPass(triton::gpu::createTritonGPUAllocateWarpGroups());
    if (failed(runPipeline(stock, module)))
      signalPassFailure();
  }
};

} // namespace
} // namespace tlx
