#include "plugins/tlx/Transforms/TripCounts.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "plugins/tlx/IR/TLX.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tlx {

uint64_t getMostTrips(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    auto trips = loop.getStaticTripCount();
    return trips ? trips->getZExtValue() : anyNumber;
  }
  if (isa<scf::IfOp, triton::FuncOp, AsyncTasksOp, AsyncTaskOp>(op))
    return 1;
  return anyNumber;
}

uint64_t getMostRuns(Operation *op) {
  uint64_t runs = 1;
  for (Operation *parent = op->getParentOp(); !isa<ModuleOp>(parent);
       parent = parent->getParentOp())
    runs = llvm::SaturatingMultiply(runs, getMostTrips(parent));
  return runs;
}

} // namespace tlx
