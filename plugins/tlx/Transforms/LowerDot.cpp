#include "mlir/IR/Dominance.h"
#include "plugins/tlx/Transforms/Layouts.h"
#include "plugins/tlx/Transforms/Lowering.h"
#include "triton/Dialect/TritonNvidiaGPU/IR/Dialect.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;
namespace ttng = mlir::triton::nvidia_gpu;

namespace tlx {

namespace {

/// The region around the op whose ops use no values from outside.
Region *getIsolatedRegion(Operation *op) {
  Region *region = op->getParentRegion();
  while (!region->getParentOp()->hasTrait<OpTrait::IsIsolatedFromAbove>())
    region = region->getParentRegion();
  return region;
}

} // namespace

LogicalResult lowerDots(triton::FuncOp function) {
  replaceEach<AsyncDotOp>(function, [](OpBuilder &b, AsyncDotOp op) {
    auto dot = ttng::WarpGroupDotOp::create(
        b, op.getLoc(), op.getAccumulator().getType(), op.getA(),
        op->getOperand(1), op.getAccumulator(), op.getUseAccumulator(),
        op.getInputPrecision(), op.getMaxNumImpreciseAcc(), /*isAsync=*/true);
    dot->setAttr(explicitDotAttrName, b.getUnitAttr());
    return dot;
  });

  SmallVector<ttg::LocalAllocOp> operands;
  function.walk([&](ttg::LocalAllocOp alloc) {
    if (alloc->hasAttr(managedAllocAttrName) &&
        isa<ttg::NVMMASharedEncodingAttr>(alloc.getType().getEncoding()))
      operands.push_back(alloc);
  });
  DominanceInfo dominance(function);
  replaceEach<AsyncDotWaitOp>(function, [&](OpBuilder &b, AsyncDotWaitOp op) {
    // An allocation is free after its last use, and the hardware reads until
    // the wait ends.
    SmallVector<Value> inputs = {op.getInput()};
    for (ttg::LocalAllocOp alloc : operands)
      // Allocations that a partition captures live until all partitions end.
      if (getIsolatedRegion(alloc) == getIsolatedRegion(op) &&
          dominance.properlyDominates(alloc.getOperation(), op))
        inputs.push_back(alloc);
    auto wait = ttng::WarpGroupDotWaitOp::create(b, op.getLoc(), inputs,
                                                 op.getPendings());
    wait->setAttr(explicitDotAttrName, b.getUnitAttr());
    return wait;
  });
  return success();
}

} // namespace tlx
