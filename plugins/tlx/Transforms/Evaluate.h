//===- Evaluate.h - Integer arithmetic at compile time ----------*- C++ -*-===//

#ifndef TLX_TRANSFORMS_EVALUATE_H
#define TLX_TRANSFORMS_EVALUATE_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>

namespace tlx {

/// The number of a constant as `evaluate` takes it: an i1 is 0 or 1. Nothing
/// for other values.
std::optional<int64_t> getConstantNumber(mlir::Value value);

/// The result of an op on scalar integers of up to 64 bits, whose operands have
/// these values; nothing where the op or the result is not known.
std::optional<int64_t> evaluate(mlir::Operation *op,
                                llvm::ArrayRef<int64_t> operands);

} // namespace tlx

#endif // TLX_TRANSFORMS_EVALUATE_H
