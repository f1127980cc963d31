//===- BarrierSimulation.h - What a kernel does with barriers ---*- C++ -*-===//

#ifndef TLX_TRANSFORMS_BARRIERSIMULATION_H
#define TLX_TRANSFORMS_BARRIERSIMULATION_H

#include "plugins/tlx/IR/TLX.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace tlx {

/// A barrier as the hardware has it (PTX ISA, "mbarrier").
struct SimulatedBarrier {
  int64_t arriveCount;
  int64_t pendingArrivals;
  int64_t pendingBytes = 0;
  int64_t phase = 0;
};

/// A wait that lasts for ever, with its barrier at that time.
struct LastWait {
  BarrierWaitOp op;
  SimulatedBarrier barrier;
};

/// Runs what one program of a kernel does with its barriers, with one number
/// for all integer arguments, and gives the waits at which it stays for ever.
/// There are none if it ends, if it goes on for long, and if it comes to
/// something that is not known.
llvm::SmallVector<LastWait> simulateBarriers(mlir::triton::FuncOp function,
                                             int64_t argument);

} // namespace tlx

#endif // TLX_TRANSFORMS_BARRIERSIMULATION_H
