#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "plugins/tlx/Transforms/BarrierUses.h"
#include "plugins/tlx/Transforms/Evaluate.h"
#include "plugins/tlx/Transforms/Passes.h"
#include "plugins/tlx/Transforms/TripCounts.h"
#include "triton_plugin/DiagnosticRecorder.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tlx {

#define GEN_PASS_DEF_TLXCHECKBARRIERWAITS
#include "plugins/tlx/Transforms/Passes.h.inc"

namespace {

/// The value when it is computed for the first time, with all loops around it
/// in their first iteration; nothing where that is not known.
std::optional<int64_t> getFirst(Value value) {
  if (auto constant = getConstantNumber(value))
    return constant;
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
    if (!loop)
      return std::nullopt;
    return getFirst(arg == loop.getInductionVar()
                        ? loop.getLowerBound()
                        : loop.getTiedLoopInit(arg)->get());
  }
  Operation *op = value.getDefiningOp();
  SmallVector<int64_t> operands;
  for (Value operand : op->getOperands())
    if (std::optional<int64_t> first = getFirst(operand))
      operands.push_back(*first);
    else
      return std::nullopt;
  return evaluate(op, operands);
}

/// True if the first wait surely lasts until the barrier's first phase ends.
bool waitsForFirstPhase(BarrierWaitOp wait) {
  return !wait.getPredicate() && getFirst(wait.getPhase()) == 0;
}

/// A wait for the first phase of a barrier.
struct FirstWait {
  BarrierUse use;
  const BarrierUses *barriers;
};

/// Finds waits that last for ever. At first every arrival that comes behind a
/// wait is out of reach; waits that the arrivals within reach end bring further
/// ones within reach, until nothing changes.
class WaitChecker {
public:
  explicit WaitChecker(triton::FuncOp function)
      : barriers(collectBarrierUses(function)) {
    DenseMap<Operation *, FirstWait> waits;
    for (const BarrierUses &uses : barriers)
      for (const BarrierUse &use : uses.waits)
        if (uses.isComplete && waitsForFirstPhase(cast<BarrierWaitOp>(use.op)))
          waits.insert({use.op, {use, &uses}});
    function.walk([&](BarrierWaitOp wait) {
      if (auto found = waits.find(wait); found != waits.end())
        stuck.push_back(found->second);
    });
  }

  LogicalResult check() {
    size_t before;
    do {
      before = stuck.size();
      stuck = llvm::filter_to_vector(stuck, [&](const FirstWait &wait) {
        return countArrivals(wait, /*inReach=*/true) < needed(wait);
      });
    } while (stuck.size() < before);
    if (stuck.empty())
      return success();
    // If there are too few arrivals for one wait, the others only follow.
    for (const FirstWait &wait : stuck)
      if (countArrivals(wait, /*inReach=*/false) < needed(wait))
        return reportTooFew(wait);
    return reportCycle();
  }

private:
  static uint64_t needed(const FirstWait &wait) {
    AllocBarriersOp allocation = wait.barriers->allocation;
    return allocation.getArriveCount();
  }

  bool isInReach(Operation *arrival) {
    return llvm::none_of(stuck, [&](const FirstWait &wait) {
      return dominance.properlyDominates(wait.use.op, arrival);
    });
  }

  /// The most arrivals that may come at the barrier.
  uint64_t countArrivals(const FirstWait &wait, bool inReach) {
    uint64_t count = 0;
    for (const BarrierUse &arrival : wait.barriers->arrivals)
      if (!arrival.isApartFrom(wait.use) && (!inReach || isInReach(arrival.op)))
        count = llvm::SaturatingMultiplyAdd(getArrivalCount(arrival.op),
                                            getMostRuns(arrival.op), count);
    return count;
  }

  LogicalResult reportTooFew(const FirstWait &wait) {
    uint64_t arrivals = countArrivals(wait, /*inReach=*/false);
    auto error = wait.use.op->emitError(
                     "waits for ever: the barrier's phase ends after ")
                 << needed(wait) << " arrivals, and the kernel makes ";
    if (arrivals == 0)
      error << "none";
    else
      error << "at most " << arrivals;
    error << "; arrive at it (barrier_arrive, barrier_expect_bytes) or lower "
             "arrive_count";
    AllocBarriersOp allocation = wait.barriers->allocation;
    error.attachNote(allocation.getLoc()) << "the barrier is made here";
    return error;
  }

  LogicalResult reportCycle() {
    const FirstWait &first = stuck.front();
    auto error = first.use.op->emitError(
        "waits for ever: what would end phase 0 of the barrier comes only "
        "behind this wait, or behind others that last for ever; where the "
        "first round has nothing to wait for, start with phase 1");
    for (const BarrierUse &arrival : first.barriers->arrivals)
      error.attachNote(arrival.op->getLoc()) << "an arrival is here";
    for (const FirstWait &wait : ArrayRef(stuck).drop_front())
      error.attachNote(wait.use.op->getLoc())
          << "this wait lasts for ever, too";
    return error;
  }

  SmallVector<BarrierUses> barriers;
  SmallVector<FirstWait> stuck;
  DominanceInfo dominance;
};

struct CheckBarrierWaits : impl::TLXCheckBarrierWaitsBase<CheckBarrierWaits> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    for (auto function : getOperation().getOps<triton::FuncOp>())
      if (failed(WaitChecker(function).check()))
        signalPassFailure();
  }
};

} // namespace
} // namespace tlx
