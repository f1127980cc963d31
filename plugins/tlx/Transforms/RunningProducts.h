//===- RunningProducts.h - Which matrix products have ended -----*- C++ -*-===//
//
// Products end in the order in which they were started, so a wait that leaves
// n of them running has ended every one that n others were started after.
//
//===----------------------------------------------------------------------===//

#ifndef TLX_TRANSFORMS_RUNNINGPRODUCTS_H
#define TLX_TRANSFORMS_RUNNINGPRODUCTS_H

#include "plugins/tlx/IR/TLX.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tlx {

/// True if the product that made the wait's input has ended after the wait,
/// whichever way the kernel took between them.
bool endsProduct(AsyncDotWaitOp wait);

/// Visits products that run on when `op` is reached in a way that the kernel
/// may take, through one turn of each loop, with the value that `index` had in
/// the turn in which the product was started. Products that only some ways
/// start or end are left out.
void visitRunningProducts(
    mlir::Operation *op, mlir::Value index,
    llvm::function_ref<void(AsyncDotOp, mlir::Value index)> visit);

} // namespace tlx

#endif // TLX_TRANSFORMS_RUNNINGPRODUCTS_H
