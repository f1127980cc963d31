#include "plugins/tlx/IR/TLX.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace tlx {

LogicalResult RequireLayoutOp::verify() {
  auto layout = dyn_cast<ttg::DistributedEncodingTrait>(getLayout());
  if (!layout)
    return emitOpError("asks for ")
           << getLayout() << ", which is no layout of registers";
  int64_t rank = cast<RankedTensorType>(getType()).getRank();
  if (static_cast<int64_t>(
          cast<ttg::LayoutEncodingTrait>(getLayout()).getRank()) != rank)
    return emitOpError("asks for ")
           << getLayout() << " of a tensor with " << rank << " dimensions";
  return success();
}

LogicalResult AssertSameLayoutOp::verify() {
  if (static_cast<bool>(getOther()) == getLayout().has_value())
    return emitOpError("compares with another value or with a layout, one of "
                       "the two");
  if (getOther() && isa<RankedTensorType>(getOther().getType()) !=
                        isa<RankedTensorType>(getValue().getType()))
    return emitOpError("compares a tensor, which is in registers, with a "
                       "buffer, which is in memory");
  return success();
}

} // namespace tlx
