//===- Layouts.h - Register layouts of sparse products ----------*- C++ -*-===//

#ifndef SPARSITY24_TRANSFORMS_LAYOUTS_H
#define SPARSITY24_TRANSFORMS_LAYOUTS_H

#include "plugins/sparsity24/IR/Instructions.h"
#include "plugins/sparsity24/IR/Sparsity24.h"

namespace sparsity24 {

/// The accumulator's layout: that of the dense instruction with the same tile.
mlir::Attribute getAccumulatorLayout(const Instruction &instruction,
                                     SparseDotOp dot);

/// How many of an operand's neighbours along K a lane holds. A lane of v_smfmac
/// has two values for four rows of b (AMD CDNA3 ISA, "Sparse matrix fused
/// multiply-accumulate"), one of mma.sp two of either.
unsigned getValuesKWidth(const Instruction &instruction);
unsigned getBKWidth(const Instruction &instruction);

/// Gives every thread the words of metadata that its instructions read.
mlir::Attribute getMetaLayout(const Instruction &instruction,
                              mlir::RankedTensorType acc,
                              mlir::ArrayRef<int64_t> metaShape);

} // namespace sparsity24

#endif // SPARSITY24_TRANSFORMS_LAYOUTS_H
