//===- RunningProducts.h - Which matrix products have ended -----*- C++ -*-===//
//
// Products end in the order in which they were started, so a wait that leaves
// n of them running has ended every one that n others were started after.
//
//===----------------------------------------------------------------------===//

#ifndef TLX_TRANSFORMS_RUNNINGPRODUCTS_H
#define TLX_TRANSFORMS_RUNNINGPRODUCTS_H

#include "plugins/tlx/IR/TLX.h"
#include "llvm/ADT/DenseSet.h"

namespace tlx {

/// True if the product that made the wait's input has ended after the wait,
/// whichever way the kernel took between them.
bool endsProduct(AsyncDotWaitOp wait);

} // namespace tlx

#endif // TLX_TRANSFORMS_RUNNINGPRODUCTS_H
