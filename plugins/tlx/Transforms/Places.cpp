#include "plugins/tlx/Transforms/Places.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

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

bool isSameIndex(Value a, Value b) { return isEqualConstantIntOrValue(a, b); }

bool isOtherIndex(Value a, Value b) {
  auto first = getConstantIntValue(a), second = getConstantIntValue(b);
  return first && second && first != second;
}

} // namespace tlx
