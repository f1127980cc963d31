#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "plugins/tlx/Transforms/BarrierUses.h"
#include "plugins/tlx/Transforms/Passes.h"
#include "plugins/tlx/Transforms/Places.h"
#include "plugins/tlx/Transforms/TripCounts.h"
#include "triton_plugin/DiagnosticRecorder.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tlx {

#define GEN_PASS_DEF_TLXCHECKBARRIERPHASES
#include "plugins/tlx/Transforms/Passes.h.inc"

namespace {

/// The loop that does this in each of its turns, always to the same barrier;
/// null if there is none.
scf::ForOp getLoopOfTheSame(const BarrierUse &use) {
  auto loop = dyn_cast<scf::ForOp>(use.op->getParentOp());
  if (!loop || getMostTrips(loop) < 2 || getPredicate(use.op) || !use.index ||
      !loop.isDefinedOutsideOfLoop(use.index))
    return {};
  return loop;
}

/// If the value turns between 0 and 1 with each turn of the loop, what it is in
/// the first.
std::optional<int64_t> getStartOfTurning(Value phase, scf::ForOp loop) {
  auto arg = dyn_cast<BlockArgument>(phase);
  if (!arg || arg.getOwner() != loop.getBody() || arg == loop.getInductionVar())
    return std::nullopt;
  Operation *next = loop.getTiedLoopYieldedValue(arg)->get().getDefiningOp();
  bool turns =
      (isa_and_present<arith::XOrIOp>(next) && next->getOperand(0) == arg &&
       matchPattern(next->getOperand(1), m_One())) ||
      (isa_and_present<arith::SubIOp>(next) && next->getOperand(1) == arg &&
       matchPattern(next->getOperand(0), m_One()));
  std::optional<int64_t> start =
      getConstantIntValue(loop.getTiedLoopInit(arg)->get());
  return turns && (start == 0 || start == 1) ? start : std::nullopt;
}

class PhaseChecker {
public:
  explicit PhaseChecker(const BarrierUses &uses) : uses(uses) {}

  LogicalResult check() {
    for (const BarrierUse &use : uses.waits)
      if (scf::ForOp loop = getLoopOfTheSame(use))
        if (failed(checkConstantPhase(use)) ||
            failed(checkTurningPhase(use, loop)))
          return failure();
    return success();
  }

private:
  uint64_t getArriveCount() const {
    AllocBarriersOp allocation = uses.allocation;
    return allocation.getArriveCount();
  }

  /// A loop that ends a phase of the barrier in every turn.
  scf::ForOp findLoopOfPhases(const BarrierUse &wait) {
    llvm::MapVector<Operation *, uint64_t> arrivals;
    for (const BarrierUse &use : uses.arrivals)
      if (scf::ForOp loop = getLoopOfTheSame(use))
        if (isSameIndex(use.index, wait.index))
          arrivals[loop] += getArrivalCount(use.op);
    for (auto [loop, count] : arrivals)
      if (count >= getArriveCount())
        return cast<scf::ForOp>(loop);
    return {};
  }

  /// Waits that are all for one parity do not keep two phases apart.
  LogicalResult checkConstantPhase(const BarrierUse &use) {
    auto wait = cast<BarrierWaitOp>(use.op);
    std::optional<int64_t> phase = getConstantIntValue(wait.getPhase());
    if (!phase || llvm::any_of(uses.waits, [&](const BarrierUse &other) {
          return getConstantIntValue(
                     cast<BarrierWaitOp>(other.op).getPhase()) != phase;
        }))
      return success();
    scf::ForOp loop = findLoopOfPhases(use);
    if (!loop)
      return success();
    auto error = wait.emitError("waits for phase ")
                 << *phase
                 << " in every turn of a loop, but the barrier's phase is "
                    "another in each, so it does not wait in every second one; "
                    "let the phase turn between 0 and 1 (phase ^= 1)";
    error.attachNote(loop.getLoc())
        << "each turn of this loop ends a phase of the barrier";
    return error;
  }

  /// Waits for one phase after the other end only as long as phases do.
  LogicalResult checkTurningPhase(const BarrierUse &use, scf::ForOp loop) {
    auto wait = cast<BarrierWaitOp>(use.op);
    auto start = getStartOfTurning(wait.getPhase(), loop);
    if (!start)
      return success();
    uint64_t arrivals = 0;
    for (const BarrierUse &arrival : uses.arrivals)
      if (!arrival.isApartFrom(use))
        arrivals = llvm::SaturatingMultiplyAdd(
            getArrivalCount(arrival.op), getMostRuns(arrival.op), arrivals);
    if (arrivals == anyNumber)
      return success();
    uint64_t phases = arrivals / getArriveCount();
    // The phase before the first counts as ended.
    uint64_t ending = phases + *start;
    if (getMostTrips(loop) <= ending)
      return success();
    auto error = wait.emitError("waits for ever in turn ")
                 << ending + 1
                 << " of the loop: it waits for a further phase of the barrier "
                    "in each, and the kernel's arrivals end "
                 << phases
                 << "; arrive at it again for each turn, or wait before the "
                    "loop";
    for (const BarrierUse &arrival : uses.arrivals)
      error.attachNote(arrival.op->getLoc()) << "an arrival is here";
    return error;
  }

  const BarrierUses &uses;
};

struct CheckBarrierPhases
    : impl::TLXCheckBarrierPhasesBase<CheckBarrierPhases> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    for (auto function : getOperation().getOps<triton::FuncOp>())
      for (const BarrierUses &uses : collectBarrierUses(function))
        if (uses.isComplete && failed(PhaseChecker(uses).check()))
          signalPassFailure();
  }
};

} // namespace
} // namespace tlx
