//===- TiedValues.h - Values that share one layout --------------*- C++ -*-===//
//
// A layout chosen for one value holds for all values that it flows through:
// loop-carried values, results of branches, captures of partitions, views,
// accumulators.
//
//===----------------------------------------------------------------------===//

#ifndef TLX_TRANSFORMS_TIEDVALUES_H
#define TLX_TRANSFORMS_TIEDVALUES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SetVector.h"

namespace tlx {

/// The operands whose values become `value`: the inits and yields of control
/// flow, the captures of a partition, the source of a view, the accumulator of
/// a product, the input of a wait. Empty where the value is made anew.
llvm::SmallVector<mlir::OpOperand *> getSources(mlir::Value value);

/// The values that the operand's value becomes; the inverse of getSources.
llvm::SmallVector<mlir::Value> getDestinations(mlir::OpOperand &operand);

/// All values that `seed` is tied to, itself included. A source that is made
/// anew by an op of another dialect (a constant, say) is not part of it: the
/// caller converts such operands.
llvm::SetVector<mlir::Value> collectTied(mlir::Value seed);

} // namespace tlx

#endif // TLX_TRANSFORMS_TIEDVALUES_H
