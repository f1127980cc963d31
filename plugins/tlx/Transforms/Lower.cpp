#include "mlir/IR/Dominance.h"
#include "plugins/tlx/Transforms/Layouts.h"
#include "plugins/tlx/Transforms/Passes.h"
#include "plugins/tlx/Transforms/TiedValues.h"
#include "triton/Dialect/TritonGPU/Transforms/Utility.h"
#include "triton_plugin/DiagnosticRecorder.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;
namespace ttng = mlir::triton::nvidia_gpu;

namespace tlx {

#define GEN_PASS_DEF_TLXLOWER
#include "plugins/tlx/Transforms/Passes.h.inc"

namespace {

/// Replaces the TLX ops of one function, once the types of its buffers and
/// accumulators are set. Operands that are buffers have other types than the
/// ops' accessors expect by then, so they are taken by number.
class FunctionLowering {
public:
  explicit FunctionLowering(triton::FuncOp function)
      : function(function), dominance(function) {}

  void run() {
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) {
      // tlx-lower-waits takes the waits.
      if (isa_and_present<TLXDialect>(op->getDialect()) &&
          !isa<AsyncWaitOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      OpBuilder builder(op);
      Operation *lowered =
          llvm::TypeSwitch<Operation *, Operation *>(op)
              .Case<LocalAllocOp, LocalViewOp, LocalLoadOp, LocalStoreOp,
                    AsyncLoadOp, AsyncCommitOp, AsyncDotOp, AsyncDotWaitOp>(
                  [&](auto tlxOp) { return lower(builder, tlxOp); });
      op->replaceAllUsesWith(
          lowered->getResults().take_front(op->getNumResults()));
      op->erase();
    }
  }

private:
  Operation *lower(OpBuilder &b, LocalAllocOp op) {
    auto alloc =
        ttg::LocalAllocOp::create(b, op.getLoc(), op->getResult(0).getType());
    alloc->setAttr(managedAllocAttrName, b.getUnitAttr());
    allocations.push_back(alloc);
    return alloc;
  }

  Operation *lower(OpBuilder &b, LocalViewOp op) {
    return ttg::MemDescIndexOp::create(b, op.getLoc(),
                                       op->getResult(0).getType(),
                                       op->getOperand(0), op.getIndex());
  }

  Operation *lower(OpBuilder &b, LocalLoadOp op) {
    return ttg::LocalLoadOp::create(b, op.getLoc(), op.getType(),
                                    op->getOperand(0));
  }

  Operation *lower(OpBuilder &b, LocalStoreOp op) {
    return ttg::LocalStoreOp::create(b, op.getLoc(), op.getValue(),
                                     op->getOperand(1));
  }

  Operation *lower(OpBuilder &b, AsyncLoadOp op) {
    return ttg::AsyncCopyGlobalToLocalOp::create(
        b, op.getLoc(), op.getPointers(), op->getOperand(1), op.getMask(),
        op.getOther(), /*cachePolicy=*/Attribute(), op.getIsVolatile());
  }

  Operation *lower(OpBuilder &b, AsyncCommitOp op) {
    return ttg::AsyncCommitGroupOp::create(b, op.getLoc(), ValueRange());
  }

  Operation *lower(OpBuilder &b, AsyncDotOp op) {
    return ttng::WarpGroupDotOp::create(
        b, op.getLoc(), op.getAccumulator().getType(), op.getA(),
        op->getOperand(1), op.getAccumulator(), /*useC=*/Value(),
        op.getInputPrecision(), op.getMaxNumImpreciseAcc(), /*isAsync=*/true);
  }

  Operation *lower(OpBuilder &b, AsyncDotWaitOp op) {
    // An allocation is free after its last use, and the hardware reads until
    // the wait ends.
    SmallVector<Value> inputs = {op.getInput()};
    for (Value allocation : allocations)
      if (dominance.properlyDominates(allocation, op) &&
          isa<ttg::NVMMASharedEncodingAttr>(
              cast<ttg::MemDescType>(allocation.getType()).getEncoding()))
        inputs.push_back(allocation);
    return ttng::WarpGroupDotWaitOp::create(b, op.getLoc(), inputs,
                                            op.getPendings());
  }

  triton::FuncOp function;
  DominanceInfo dominance;
  SmallVector<Value> allocations;
};

LogicalResult checkTarget(ModuleOp module) {
  StringRef target;
  if (auto attr = module->getAttrOfType<StringAttr>(ttg::AttrTargetName))
    target = attr.getValue();
  if (target == "cuda:90")
    return success();
  WalkResult walk = module.walk([&](AsyncDotOp dot) -> WalkResult {
    return dot.emitError("async_dot needs wgmma, which sm_90a has and ")
           << target << " has not; use tl.dot on tlx.local_load there";
  });
  return success(!walk.wasInterrupted());
}

struct Lower : impl::TLXLowerBase<Lower> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    triton_plugin::DiagnosticRecorder recorder(module, getArgument());
    if (failed(checkTarget(module)) || failed(setAccumulatorLayouts(module)) ||
        failed(setBufferLayouts(module)))
      return signalPassFailure();
    for (auto function : module.getOps<triton::FuncOp>())
      FunctionLowering(function).run();
  }
};

} // namespace
} // namespace tlx
