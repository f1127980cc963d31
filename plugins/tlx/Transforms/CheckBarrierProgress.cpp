#include "plugins/tlx/Transforms/BarrierSimulation.h"
#include "plugins/tlx/Transforms/BarrierUses.h"
#include "plugins/tlx/Transforms/Passes.h"
#include "triton_plugin/DiagnosticRecorder.h"

using namespace mlir;

namespace tlx {

#define GEN_PASS_DEF_TLXCHECKBARRIERPROGRESS
#include "plugins/tlx/Transforms/Passes.h.inc"

namespace {

LogicalResult check(triton::FuncOp function) {
  // One number might be one that the kernel is not made for.
  constexpr int64_t arguments[] = {4096, 1000};
  SmallVector<LastWait> lastWaits;
  for (int64_t argument : arguments) {
    lastWaits = simulateBarriers(function, argument);
    if (lastWaits.empty())
      return success();
  }
  auto describe = [](const LastWait &wait, Diagnostic &text) {
    const SimulatedBarrier &barrier = wait.barrier;
    text << "phase " << barrier.phase << " of the barrier has "
         << barrier.arriveCount - barrier.pendingArrivals << " of "
         << barrier.arriveCount << " arrivals";
    if (barrier.pendingBytes > 0)
      text << " and lacks " << barrier.pendingBytes << " bytes";
    else if (barrier.pendingBytes < 0)
      text << " and " << -barrier.pendingBytes << " bytes more than it expects";
  };
  auto error = lastWaits.front().op.emitError(
                   "waits for ever when loops take many turns (with ")
               << arguments[std::size(arguments) - 1]
               << " for each integer argument of the kernel): ";
  describe(lastWaits.front(), *error.getUnderlyingDiagnostic());
  for (const LastWait &wait : ArrayRef(lastWaits).drop_front())
    describe(wait, error.attachNote(wait.op->getLoc())
                       << "this task waits for ever, too: ");
  return error;
}

bool isFollowed(triton::FuncOp function) {
  auto all = collectBarrierUses(function);
  return !all.empty() && llvm::all_of(all, [](const BarrierUses &uses) {
    return uses.isComplete;
  });
}

struct CheckBarrierProgress
    : impl::TLXCheckBarrierProgressBase<CheckBarrierProgress> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    for (auto function : getOperation().getOps<triton::FuncOp>())
      if (isFollowed(function) && failed(check(function)))
        signalPassFailure();
  }
};

} // namespace
} // namespace tlx
