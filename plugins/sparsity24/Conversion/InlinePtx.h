//===- InlinePtx.h - PTX instructions with tied accumulators ----*- C++ -*-===//

#ifndef SPARSITY24_CONVERSION_INLINEPTX_H
#define SPARSITY24_CONVERSION_INLINEPTX_H

#include "mlir/IR/Builders.h"

namespace sparsity24 {

/// A comma-separated list of `count` operands from number `first` on.
std::string operandList(unsigned first, unsigned count);

/// Emits PTX that adds to accumulators in place.
///
/// In the text, operands 0 to n-1 are the n accumulators; `inputs` follow from
/// number 2n on, with one letter of `constraints` each.
llvm::SmallVector<mlir::Value>
emitAccumulating(mlir::OpBuilder &builder, mlir::Location loc,
                 llvm::StringRef text, mlir::ArrayRef<mlir::Value> accumulators,
                 mlir::ArrayRef<mlir::Value> inputs,
                 llvm::StringRef constraints);

} // namespace sparsity24

#endif // SPARSITY24_CONVERSION_INLINEPTX_H
