//===- BarrierUses.h - Who waits for barriers and who signals ---*- C++ -*-===//

#ifndef TLX_TRANSFORMS_BARRIERUSES_H
#define TLX_TRANSFORMS_BARRIERUSES_H

#include "plugins/tlx/IR/TLX.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace tlx {

/// An op that waits for one barrier of an allocation or signals it.
struct BarrierUse {
  mlir::Operation *op;
  /// Which barrier it is; null where that is not known.
  mlir::Value index;

  /// True if it surely concerns another barrier of the allocation.
  bool isApartFrom(const BarrierUse &other) const;
};

/// Everything that happens to the barriers of one allocation.
struct BarrierUses {
  AllocBarriersOp allocation;
  llvm::SmallVector<BarrierUse> waits;
  /// Ops that count as arrivals. Those that expect bytes are among them.
  llvm::SmallVector<BarrierUse> arrivals;
  /// Copies that signal the bytes they have brought.
  llvm::SmallVector<BarrierUse> copies;
  /// False if something else uses the barriers, such as a function that is not
  /// inlined or another block of the cluster: then there may be more waits and
  /// signals.
  bool isComplete = true;
};

llvm::SmallVector<BarrierUses>
collectBarrierUses(mlir::triton::FuncOp function);

/// How many arrivals an op among `arrivals` makes each time that it runs.
uint64_t getArrivalCount(mlir::Operation *arrival);

/// The bytes that a copy brings, 0 for other ops; nothing where only the
/// running kernel knows.
std::optional<int64_t> getCopiedBytes(mlir::Operation *op);

/// The predicate of a wait, an arrival or a copy; null where it has none.
mlir::Value getPredicate(mlir::Operation *op);

} // namespace tlx

#endif // TLX_TRANSFORMS_BARRIERUSES_H
