#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "plugins/tlx/Transforms/Passes.h"
#include "plugins/tlx/Transforms/Places.h"
#include "plugins/tlx/Transforms/RunningProducts.h"
#include "triton_plugin/DiagnosticRecorder.h"

using namespace mlir;

namespace tlx {

#define GEN_PASS_DEF_TLXCHECKRELEASES
#include "plugins/tlx/Transforms/Passes.h.inc"

namespace {

/// A write to a buffer, with the barriers that are waited for before it in the
/// same turn of a loop.
struct GuardedWrite {
  Operation *op;
  Place place;
  SmallVector<Place> guards;
};

/// The barriers that `op` comes behind in the innermost loop around it; nothing
/// where one of them is not known.
std::optional<SmallVector<Place>> collectGuards(Operation *op) {
  SmallVector<Place> guards;
  bool known = true;
  while (true) {
    for (Operation &before :
         llvm::make_range(op->getBlock()->begin(), op->getIterator()))
      before.walk([&](BarrierWaitOp wait) {
        std::optional<Place> place = getPlace(wait.getBarrier());
        known &= place.has_value();
        if (place)
          guards.push_back(*place);
      });
    op = op->getParentOp();
    if (!isa<scf::IfOp>(op))
      break;
  }
  if (!known)
    return std::nullopt;
  return guards;
}

SmallVector<GuardedWrite> collectWrites(triton::FuncOp function) {
  SmallVector<GuardedWrite> writes;
  function.walk([&](MemoryEffectOpInterface op) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    op.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects) {
      Value value = effect.getValue();
      if (!isa<MemoryEffects::Write>(effect.getEffect()) || !value ||
          !isa<BufferType>(value.getType()))
        continue;
      std::optional<Place> place = getPlace(value);
      if (!place || !isa<LocalAllocOp>(place->allocation))
        continue;
      auto guards = collectGuards(op);
      if (guards && !guards->empty())
        writes.push_back({op, *place, *guards});
    }
  });
  return writes;
}

/// True if the value is the same wherever it is used.
bool isMadeOnce(Value value) {
  return matchPattern(value, m_Constant()) ||
         isa<triton::FuncOp>(value.getParentRegion()->getParentOp());
}

/// True if the buffer that one side finds from a barrier's index is the one
/// that the other side finds from the barrier's index there, whenever both
/// indices are the same.
bool isSameFunction(Value buffer, Value barrier, Value otherBuffer,
                    Value otherBarrier) {
  if (isSameIndex(buffer, barrier) && isSameIndex(otherBuffer, otherBarrier))
    return true;
  if (isSameIndex(buffer, otherBuffer) && isMadeOnce(buffer))
    return true;
  Operation *op = buffer.getDefiningOp(), *other = otherBuffer.getDefiningOp();
  return op && other && op->getNumOperands() > 0 && isMemoryEffectFree(op) &&
         op->getName() == other->getName() &&
         op->getAttrDictionary() == other->getAttrDictionary() &&
         op->getNumOperands() == other->getNumOperands() &&
         llvm::all_of(llvm::zip(op->getOperands(), other->getOperands()),
                      [&](auto operands) {
                        auto [operand, otherOperand] = operands;
                        return isSameFunction(operand, barrier, otherOperand,
                                              otherBarrier);
                      });
}

class ReleaseChecker {
public:
  explicit ReleaseChecker(triton::FuncOp function)
      : function(function), writes(collectWrites(function)) {}

  LogicalResult check() {
    function.walk([&](BarrierArriveOp arrive) { collectEarly(arrive); });
    for (const Early &early : earlyReleases)
      if (isReleased(early))
        return report(early);
    return success();
  }

private:
  /// An arrival that lets a write go on although a product reads the buffer.
  struct Early {
    BarrierArriveOp arrive;
    Operation *barriers;
    AsyncDotOp dot;
    const GuardedWrite *write;
  };

  /// True if the task arrives at the same barrier once more: then this arrival
  /// releases nothing.
  bool isFollowed(BarrierArriveOp arrive, Place place) {
    bool followed = false;
    Operation *scope = arrive->getParentOfType<AsyncTaskOp>();
    if (!scope)
      scope = function;
    scope->walk([&](BarrierArriveOp other) {
      std::optional<Place> otherPlace = getPlace(other.getBarrier());
      followed |= other != arrive && otherPlace &&
                  otherPlace->allocation == place.allocation &&
                  isSameIndex(otherPlace->index, place.index) &&
                  !dominance.properlyDominates(other, arrive);
    });
    return followed;
  }

  void collectEarly(BarrierArriveOp arrive) {
    std::optional<Place> barrier = getPlace(arrive.getBarrier());
    if (!barrier || isFollowed(arrive, *barrier))
      return;
    auto visit = [&](AsyncDotOp dot, Value index) {
      for (Value operand : {Value(dot.getA()), Value(dot.getB())})
        if (isa<BufferType>(operand.getType()))
          if (std::optional<Place> buffer = getPlace(operand))
            addEarly(arrive, barrier->allocation, index, dot, *buffer);
    };
    visitRunningProducts(arrive, barrier->index, visit);
  }

  void addEarly(BarrierArriveOp arrive, Operation *barriers, Value index,
                AsyncDotOp dot, Place buffer) {
    for (const GuardedWrite &write : writes) {
      if (write.place.allocation != buffer.allocation)
        continue;
      for (const Place &guard : write.guards)
        if (guard.allocation == barriers && !isOtherIndex(guard.index, index) &&
            isSameFunction(write.place.index, guard.index, buffer.index, index))
          earlyReleases.push_back({arrive, barriers, dot, &write});
    }
  }

  /// True if none of the barriers that the write waits for may hold it back.
  bool isReleased(const Early &early) {
    return llvm::all_of(early.write->guards, [&](const Place &guard) {
      return llvm::any_of(earlyReleases, [&](const Early &other) {
        return other.dot == early.dot && other.write == early.write &&
               other.barriers == guard.allocation;
      });
    });
  }

  LogicalResult report(const Early &early) {
    BarrierArriveOp arrive = early.arrive;
    auto error = arrive.emitError(
        "releases a buffer that an async_dot may still read; put an "
        "async_dot_wait before it that leaves fewer products running, or "
        "release the buffer one step later");
    error.attachNote(early.dot->getLoc()) << "the async_dot is here";
    error.attachNote(early.write->op->getLoc())
        << "the buffer is written here, as soon as it is released";
    return error;
  }

  triton::FuncOp function;
  DominanceInfo dominance;
  SmallVector<GuardedWrite> writes;
  SmallVector<Early> earlyReleases;
};

struct CheckReleases : impl::TLXCheckReleasesBase<CheckReleases> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    for (auto function : getOperation().getOps<triton::FuncOp>())
      if (failed(ReleaseChecker(function).check()))
        signalPassFailure();
  }
};

} // namespace
} // namespace tlx
