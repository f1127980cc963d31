#include "plugins/sparsity24/Transforms/Passes.h"
#include "triton_plugin/DiagnosticRecorder.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;
namespace ttng = mlir::triton::nvidia_gpu;

namespace sparsity24 {

#define GEN_PASS_DEF_SPARSITY24INSERTFENCES
#include "plugins/sparsity24/Transforms/Passes.h.inc"

namespace {

bool isMemoryView(Operation *op) {
  return op->hasTrait<OpTrait::MemDescViewTrait>();
}

/// Whether a thread's own stores, or its cp.async, may write the memory.
bool isWrittenByThreads(Value memory) {
  SmallVector<Value> worklist = {memory};
  while (!worklist.empty()) {
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      if (isa<ttg::LocalStoreOp, ttg::AsyncCopyGlobalToLocalOp>(user))
        return true;
      if (isMemoryView(user))
        llvm::append_range(worklist, user->getResults());
    }
  }
  return false;
}

bool needsFence(Value operand) {
  Operation *op = operand.getDefiningOp();
  while (op && isMemoryView(op)) {
    operand = op->getOperand(0);
    op = operand.getDefiningOp();
  }
  auto alloc = dyn_cast_or_null<ttg::LocalAllocOp>(op);
  return !alloc || alloc.getSrc() || isWrittenByThreads(operand);
}

struct InsertFences : impl::Sparsity24InsertFencesBase<InsertFences> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    triton_plugin::DiagnosticRecorder recorder(module, getArgument());
    module.walk([](AsyncSparseDotOp dot) {
      if (!needsFence(dot.getValues()) && !needsFence(dot.getB()))
        return;
      OpBuilder builder(dot);
      ttng::FenceAsyncSharedOp::create(builder, dot.getLoc(),
                                       /*bCluster=*/false);
    });
  }
};

} // namespace
} // namespace sparsity24
