#include "mlir/IR/Matchers.h"
#include "plugins/tlx/Transforms/Passes.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"
#include "triton_plugin/DiagnosticRecorder.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace tlx {

#define GEN_PASS_DEF_TLXCHECKNAMEDBARRIERS
#include "plugins/tlx/Transforms/Passes.h.inc"

namespace {

/// The hardware has barriers 0 to 15 for a block (PTX ISA, "bar").
constexpr unsigned numBarriers = 16;
/// Triton's barrier of the first partition's threads. Those before it are the
/// kernel's and the one at which partitions begin and end.
constexpr unsigned firstOfPartitions = 2;

/// The barriers at which the threads of partitions wait for each other. A
/// single warp needs none.
llvm::SmallSet<unsigned, numBarriers> collectUsedBarriers(ModuleOp module) {
  llvm::SmallSet<unsigned, numBarriers> used;
  module.walk([&](ttg::WarpSpecializeOp op) {
    for (auto [index, warps] : llvm::enumerate(op.getPartitionNumWarps()))
      if (warps > 1)
        used.insert(firstOfPartitions + index);
  });
  return used;
}

struct CheckNamedBarriers
    : impl::TLXCheckNamedBarriersBase<CheckNamedBarriers> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    triton_plugin::DiagnosticRecorder recorder(module, getArgument());
    markAllAnalysesPreserved();
    auto used = collectUsedBarriers(module);
    unsigned firstFree = numBarriers;
    while (firstFree > 0 && !used.contains(firstFree - 1))
      --firstFree;
    WalkResult walk = module.walk([&](triton::ElementwiseInlineAsmOp op) {
      StringRef text = op.getAsmString();
      APInt barrier;
      if (!(text.starts_with("bar.sync $1") ||
            text.starts_with("bar.arrive $1")) ||
          !matchPattern(op.getOperand(0), m_ConstantInt(&barrier)) ||
          !used.contains(barrier.getZExtValue()))
        return WalkResult::advance();
      InFlightDiagnostic error = op.emitError("named barrier ");
      error << barrier.getZExtValue() << " is the one at which threads of task "
            << barrier.getZExtValue() - firstOfPartitions + 1
            << " wait for each other; ";
      if (firstFree < numBarriers)
        error << "use one from " << firstFree << " to " << numBarriers - 1;
      else
        error << "with so many tasks all are taken: use fewer, or barriers in "
                 "memory (alloc_warp_barrier)";
      return WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace tlx
