#include "mlir/IR/Dominance.h"
#include "plugins/tlx/Transforms/Layouts.h"
#include "plugins/tlx/Transforms/Lowering.h"
#include "plugins/tlx/Transforms/TiedValues.h"
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

/// True if a matrix product reads the buffer or a view of it.
bool isReadByDot(Value buffer) {
  SmallVector<Value> buffers = {buffer};
  DenseSet<Value> seen(buffers.begin(), buffers.end());
  while (!buffers.empty())
    for (OpOperand &use : buffers.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (isa<ttng::WarpGroupDotOp>(user))
        return true;
      SmallVector<Value> next = getDestinations(use);
      if (user->hasTrait<OpTrait::MemDescViewTrait>())
        next.push_back(user->getResult(0));
      for (Value destination : next)
        if (seen.insert(destination).second)
          buffers.push_back(destination);
    }
  return false;
}

/// True if a partition beside the op captures the buffer.
bool isCapturedBeside(Operation *op, Value buffer) {
  auto tasks = op->getParentOfType<ttg::WarpSpecializeOp>();
  return tasks && llvm::is_contained(
                      tasks.getPartitionOp().getExplicitCaptures(), buffer);
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
    if (isReadByDot(alloc))
      operands.push_back(alloc);
  });
  DominanceInfo dominance(function);
  replaceEach<AsyncDotWaitOp>(function, [&](OpBuilder &b, AsyncDotWaitOp op) {
    // An allocation is free after its last use, and the hardware reads until
    // the wait ends.
    SmallVector<Value> inputs = {op.getInput()};
    for (ttg::LocalAllocOp alloc : operands)
      // Allocations that a partition captures live until all partitions and
      // the default task end. What a wait names costs stock analyses time.
      if (getIsolatedRegion(alloc) == getIsolatedRegion(op) &&
          !isCapturedBeside(op, alloc) &&
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
