#include "plugins/tlx/Transforms/BarrierUses.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "plugins/tlx/Transforms/Places.h"
#include "plugins/tlx/Transforms/TiedValues.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tlx {

namespace {

/// Notes what the op does to the barrier that is its operand.
void addUse(BarrierUses &uses, OpOperand &operand) {
  Operation *op = operand.getOwner();
  std::optional<Place> place = getPlace(operand.get());
  BarrierUse use{op, place ? place->index : Value()};
  if (isa<BarrierWaitOp>(op))
    uses.waits.push_back(use);
  else if (isa<BarrierArriveOp, BarrierExpectOp>(op))
    uses.arrivals.push_back(use);
  else if (auto load = dyn_cast<AsyncDescriptorLoadOp>(op);
           (load && load.getTargets().empty()) || isa<AsyncBulkLoadOp>(op))
    uses.copies.push_back(use);
  else
    uses.isComplete = false;
}

BarrierUses collect(AllocBarriersOp allocation) {
  BarrierUses uses;
  uses.allocation = allocation;
  llvm::SetVector<Value> views;
  views.insert(allocation.getResult());
  // The set grows while it is walked.
  for (size_t i = 0; i < views.size(); ++i)
    for (OpOperand &use : views[i].getUses()) {
      SmallVector<Value> destinations = getDestinations(use);
      views.insert_range(destinations);
      if (destinations.empty())
        addUse(uses, use);
    }
  return uses;
}

} // namespace

bool BarrierUse::isApartFrom(const BarrierUse &other) const {
  return index && other.index && isOtherIndex(index, other.index);
}

SmallVector<BarrierUses> collectBarrierUses(triton::FuncOp function) {
  SmallVector<BarrierUses> all;
  function.walk([&](AllocBarriersOp op) { all.push_back(collect(op)); });
  return all;
}

uint64_t getArrivalCount(Operation *arrival) {
  if (auto arrive = dyn_cast<BarrierArriveOp>(arrival))
    return uint64_t(arrive.getCount()) * arrive.getWarps().value_or(1);
  return 1;
}

std::optional<int64_t> getCopiedBytes(Operation *op) {
  if (auto copy = dyn_cast<AsyncDescriptorLoadOp>(op))
    return cast<BufferType>(copy.getDestination().getType()).getNumBytes();
  if (auto copy = dyn_cast<AsyncBulkLoadOp>(op))
    return getConstantIntValue(copy.getSize());
  return 0;
}

Value getPredicate(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<BarrierWaitOp, BarrierExpectOp, AsyncDescriptorLoadOp,
            AsyncBulkLoadOp>(
          [](auto predicated) { return predicated.getPredicate(); })
      .Default(Value());
}

} // namespace tlx
