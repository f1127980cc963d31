//===- Dots.h - Sparse products as machine instructions ---------*- C++ -*-===//

#ifndef SPARSITY24_CONVERSION_DOTS_H
#define SPARSITY24_CONVERSION_DOTS_H

#include "plugins/sparsity24/IR/Instructions.h"
#include "plugins/sparsity24/IR/Sparsity24.h"

namespace sparsity24 {

/// Each makes the LLVM ops before an op and returns its result as a value of
/// the op's type.
mlir::Value lowerToMma(mlir::OpBuilder &builder, SparseDotOp dot);
mlir::Value lowerToSmfmac(mlir::OpBuilder &builder, SparseDotOp dot,
                          const Instruction &instruction);
mlir::Value lowerToWgmma(mlir::OpBuilder &builder, AsyncSparseDotOp dot);
mlir::Value lowerHoldMeta(mlir::OpBuilder &builder, HoldMetaOp op);

} // namespace sparsity24

#endif // SPARSITY24_CONVERSION_DOTS_H
