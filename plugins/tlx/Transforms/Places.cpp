#include "plugins/tlx/Transforms/Places.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tlx {

std::optional<Place> getPlace(Value view) {
  Operation *op = view.getDefiningOp();
  while (isa_and_present<LocalSliceOp, LocalTransOp, LocalReinterpretOp>(op))
    op = op->getOperand(0).getDefiningOp();
  auto element = dyn_cast_or_null<LocalViewOp>(op);
  if (!element)
    return std::nullopt;
  Operation *allocation = element->getOperand(0).getDefiningOp();
  if (!isa_and_present<LocalAllocOp, AllocBarriersOp>(allocation))
    return std::nullopt;
  return Place{allocation, element.getIndex()};
}

static std::optional<APInt> getConstant(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant;
  return std::nullopt;
}

bool isSameIndex(Value a, Value b) {
  return a == b || (getConstant(a) && getConstant(a) == getConstant(b));
}

bool isOtherIndex(Value a, Value b) {
  return getConstant(a) && getConstant(b) && getConstant(a) != getConstant(b);
}

} // namespace tlx
