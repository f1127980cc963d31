//===- Accumulators.h - Accumulator tiles of NVIDIA's layouts ---*- C++ -*-===//

#ifndef SPARSITY24_CONVERSION_ACCUMULATORS_H
#define SPARSITY24_CONVERSION_ACCUMULATORS_H

#include "plugins/sparsity24/Conversion/Registers.h"

namespace sparsity24 {

/// The 32-bit registers of one instruction's accumulators: rows 0 and 8, two
/// columns of every eight (PTX ISA, "Register fragments"). float16 accumulators
/// share a register by twos.
llvm::SmallVector<mlir::Value> getAccumulatorTile(mlir::OpBuilder &builder,
                                                  mlir::Location loc,
                                                  const Registers &acc,
                                                  int64_t row, int64_t column,
                                                  int64_t columns, bool isF16);

void setAccumulatorTile(mlir::OpBuilder &builder, mlir::Location loc,
                        Registers &acc, int64_t row, int64_t column,
                        int64_t columns, bool isF16,
                        mlir::ArrayRef<mlir::Value> tile);

} // namespace sparsity24

#endif // SPARSITY24_CONVERSION_ACCUMULATORS_H
