#include "plugins/layout/IR/Layout.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

#define GET_OP_CLASSES
#include "plugins/layout/IR/LayoutOps.cpp.inc"

namespace layout {

namespace {

/// Holds of every op that names the layout of its result.
template <typename OpT> LogicalResult verifyTarget(OpT op) {
  auto source = cast<RankedTensorType>(op.getSrc().getType());
  auto result = cast<RankedTensorType>(op.getType());
  if (source.getShape() != result.getShape() ||
      source.getElementType() != result.getElementType())
    return op.emitOpError("makes ") << result << " of " << source;
  if (op.getLike() && op.getLayout())
    return op.emitOpError("has a layout and a tensor to take one from; give "
                          "one of the two");
  if (!op.getLike() && !op.getLayout())
    return op.emitOpError("has neither a layout nor a tensor to take one from");
  if (op.getLike()) {
    auto like = cast<RankedTensorType>(op.getLike().getType());
    if (like.getRank() != source.getRank())
      return op.emitOpError("takes the layout of a tensor of rank ")
             << like.getRank() << " for a tensor of rank " << source.getRank();
    return success();
  }
  auto layout = dyn_cast<ttg::DistributedEncodingTrait>(op.getLayoutAttr());
  if (!layout)
    return op.emitOpError("needs a layout of registers, but got ")
           << op.getLayoutAttr();
  if (cast<ttg::LayoutEncodingTrait>(op.getLayoutAttr()).getRank() !=
      source.getRank())
    return op.emitOpError("needs a layout of rank ")
           << source.getRank() << " for a tensor of shape ["
           << source.getShape() << "], but got " << op.getLayoutAttr();
  return success();
}

/// An op whose layout is not in its type yet must not hold other passes to it.
template <typename OpT> bool isResolved(OpT op) {
  auto type = cast<RankedTensorType>(op.getType());
  return op.getLayoutAttr() && type.getEncoding() == op.getLayoutAttr();
}

} // namespace

LogicalResult PinOp::verify() { return verifyTarget(*this); }
bool PinOp::getEfficientLayout() { return isResolved(*this); }

LogicalResult AssertTrivialOp::verify() { return verifyTarget(*this); }
bool AssertTrivialOp::getEfficientLayout() { return isResolved(*this); }

LogicalResult ConvertOp::verify() {
  if (failed(verifyTarget(*this)))
    return failure();
  if (!getSharedAttr())
    return success();
  if (getVia() != Via::Shared)
    return emitOpError("names a layout of shared memory, but goes via ")
           << stringifyVia(getVia());
  if (!isa<ttg::SharedEncodingTrait>(getSharedAttr()))
    return emitOpError("needs a layout of shared memory to go through, but "
                       "got ")
           << getSharedAttr();
  return success();
}
bool ConvertOp::getEfficientLayout() { return isResolved(*this); }

Value skipConversions(Value value) {
  while (auto convert = value.getDefiningOp<ttg::ConvertLayoutOp>())
    value = convert.getSrc();
  return value;
}

} // namespace layout
