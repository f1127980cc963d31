//===- TripCounts.h - How often ops run at most -----------------*- C++ -*-===//

#ifndef TLX_TRANSFORMS_TRIPCOUNTS_H
#define TLX_TRANSFORMS_TRIPCOUNTS_H

#include "mlir/IR/Operation.h"
#include <cstdint>
#include <limits>

namespace tlx {

constexpr uint64_t anyNumber = std::numeric_limits<uint64_t>::max();

/// How often a region of `op` runs at most each time that `op` does;
/// `anyNumber` where that is not known.
uint64_t getMostTrips(mlir::Operation *op);

/// How often `op` runs at most in one run of its function.
uint64_t getMostRuns(mlir::Operation *op);

} // namespace tlx

#endif // TLX_TRANSFORMS_TRIPCOUNTS_H
