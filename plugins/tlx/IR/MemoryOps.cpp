#include "plugins/tlx/IR/TLX.h"

using namespace mlir;

namespace tlx {

namespace {

LogicalResult verifySame(Operation *op, BufferType buffer, Type tensorType,
                         Type element) {
  auto tensor = cast<RankedTensorType>(tensorType);
  if (tensor.getShape() != buffer.getShape())
    return op->emitOpError("moves a tensor of shape [")
           << tensor.getShape() << "] but the buffer's shape is ["
           << buffer.getShape() << "]";
  if (element != buffer.getElementType())
    return op->emitOpError("moves elements of ")
           << element << " but the buffer holds " << buffer.getElementType();
  return success();
}

} // namespace

LogicalResult LocalAllocOp::verify() {
  if (getType().getShape().size() < 2)
    return emitOpError("needs the number of buffers and a shape, but got [")
           << getType().getShape() << "]";
  for (int64_t size : getType().getShape().drop_front())
    if (!llvm::isPowerOf2_64(size))
      return emitOpError("allocates buffers of shape [")
             << getType().getShape().drop_front()
             << "], but every dimension must be a power of two";
  return success();
}

LogicalResult LocalViewOp::verify() {
  BufferType source = getSource().getType(), result = getType();
  if (source.getShape().size() < 2)
    return emitOpError("takes a view of ")
           << source << ", which is one buffer already";
  if (source.getShape().drop_front() != result.getShape() ||
      source.getElementType() != result.getElementType())
    return emitOpError("makes ") << result << " of " << source;
  APInt index;
  if (matchPattern(getIndex(), m_ConstantInt(&index)) &&
      (index.isNegative() || index.getSExtValue() >= source.getShape()[0]))
    return emitOpError("takes buffer ")
           << index.getSExtValue() << " of " << source.getShape()[0];
  return success();
}

LogicalResult LocalLoadOp::verify() {
  return verifySame(*this, getSource().getType(), getType(),
                    getElementTypeOrSelf(getType()));
}

LogicalResult LocalStoreOp::verify() {
  return verifySame(*this, getDestination().getType(), getValue().getType(),
                    getElementTypeOrSelf(getValue().getType()));
}

LogicalResult AsyncLoadOp::verify() {
  Type pointee = triton::getPointeeType(getPointers().getType());
  return verifySame(*this, getDestination().getType(), getPointers().getType(),
                    getElementTypeOrSelf(pointee));
}

LogicalResult AsyncWaitOp::verify() {
  if (static_cast<int32_t>(getPendings()) < 0)
    return emitOpError("cannot leave ")
           << static_cast<int32_t>(getPendings())
           << " groups pending; the number must be 0 or more";
  return success();
}

} // namespace tlx
