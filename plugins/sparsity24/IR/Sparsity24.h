//===- Sparsity24.h - The sparsity24 dialect --------------------*- C++ -*-===//

#ifndef SPARSITY24_IR_SPARSITY24_H
#define SPARSITY24_IR_SPARSITY24_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"

#include "plugins/sparsity24/IR/Sparsity24Dialect.h.inc"

#define GET_OP_CLASSES
#include "plugins/sparsity24/IR/Sparsity24Ops.h.inc"

namespace sparsity24 {

struct Instruction;

/// The instruction that does a sparse product on the module's target, or an
/// error at the product that says what the target can do.
mlir::FailureOr<const Instruction *>
findInstruction(mlir::triton::DotOpInterface dot);

/// Metadata as wgmma takes it, two words a register: a row a thread, a column a
/// register.
mlir::RankedTensorType getMetaRegistersType(mlir::Operation *op,
                                            mlir::Value meta);

} // namespace sparsity24

#endif // SPARSITY24_IR_SPARSITY24_H
