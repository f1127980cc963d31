//===- Lowering.h - From TLX ops to stock ops -------------------*- C++ -*-===//
//
// tlx-lower calls one function for each theme of ops, in the order below. The
// types of buffers and accumulators are set by then, so an operand that is a
// buffer has another type than the op's accessor expects: take it by number.
//
//===----------------------------------------------------------------------===//

#ifndef TLX_TRANSFORMS_LOWERING_H
#define TLX_TRANSFORMS_LOWERING_H

#include "mlir/IR/Builders.h"
#include "plugins/tlx/IR/TLX.h"

namespace tlx {

/// Goes first: which allocations and copies concern the cluster is seen by the
/// TLX ops.
mlir::LogicalResult lowerClusters(mlir::triton::FuncOp function);

mlir::LogicalResult lowerMemory(mlir::triton::FuncOp function);
mlir::LogicalResult lowerLayouts(mlir::triton::FuncOp function);
mlir::LogicalResult lowerBarriers(mlir::triton::FuncOp function);
mlir::LogicalResult lowerDescriptors(mlir::triton::FuncOp function);
mlir::LogicalResult lowerDots(mlir::triton::FuncOp function);

/// True in the first warp of the task, or of the kernel outside of tasks.
mlir::Value createIsFirstWarp(mlir::OpBuilder &builder, mlir::Location loc);

/// Replaces every op of one kind in the function, those in nested regions
/// included, by the op that `lower` makes of it at its place. The replacement
/// has the same results, perhaps with more behind them.
template <typename OpTy>
void replaceEach(
    mlir::triton::FuncOp function,
    llvm::function_ref<mlir::Operation *(mlir::OpBuilder &, OpTy)> lower) {
  llvm::SmallVector<OpTy> ops;
  function.walk([&](OpTy op) { ops.push_back(op); });
  for (OpTy op : ops) {
    mlir::OpBuilder builder(op);
    mlir::Operation *lowered = lower(builder, op);
    op->replaceAllUsesWith(
        lowered->getResults().take_front(op->getNumResults()));
    op->erase();
  }
}

} // namespace tlx

#endif // TLX_TRANSFORMS_LOWERING_H
