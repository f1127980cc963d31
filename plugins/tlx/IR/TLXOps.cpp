#include "plugins/tlx/IR/TLX.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "plugins/tlx/IR/TLXOps.cpp.inc"

namespace tlx {

namespace {

/// The shape and element type of an operand that is a buffer or a tensor.
std::pair<ArrayRef<int64_t>, Type> getShapeAndElement(Type type) {
  if (auto buffer = dyn_cast<BufferType>(type))
    return {buffer.getShape(), buffer.getElementType()};
  auto tensor = cast<RankedTensorType>(type);
  return {tensor.getShape(), tensor.getElementType()};
}

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

/// The element pairs and accumulators of wgmma.mma_async (PTX ISA, "Matrix
/// multiply-accumulate operation using wgmma.mma_async").
bool isWgmmaCombination(Type a, Type b, Type accumulator) {
  auto isFp8 = [](Type type) {
    return isa<Float8E4M3FNType, Float8E5M2Type>(type);
  };
  if (isFp8(a) && isFp8(b))
    return accumulator.isF32() || accumulator.isF16();
  if (a != b)
    return false;
  if (a.isF16())
    return accumulator.isF32() || accumulator.isF16();
  if (a.isBF16() || a.isF32())
    return accumulator.isF32();
  return a.isInteger(8) && accumulator.isInteger(32);
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

LogicalResult AsyncDotWaitOp::verify() {
  if (static_cast<int32_t>(getPendings()) < 0)
    return emitOpError("cannot leave ")
           << static_cast<int32_t>(getPendings())
           << " products pending; the number must be 0 or more";
  return success();
}

LogicalResult AsyncDotOp::verify() {
  auto [aShape, aElement] = getShapeAndElement(getA().getType());
  auto [bShape, bElement] = getShapeAndElement(getB().getType());
  auto [cShape, cElement] = getShapeAndElement(getType());
  if (aShape.size() != 2 || bShape.size() != 2 || cShape.size() != 2)
    return emitOpError("multiplies matrices, but the shapes are [")
           << aShape << "], [" << bShape << "] and [" << cShape << "]";
  if (aShape[1] != bShape[0] || aShape[0] != cShape[0] ||
      bShape[1] != cShape[1])
    return emitOpError("has shapes that don't fit: a [")
           << aShape << "] @ b [" << bShape << "] + accumulator [" << cShape
           << "]; a must be [M, K], b [K, N] and the accumulator [M, N]";
  if (!isWgmmaCombination(aElement, bElement, cElement))
    return emitOpError("cannot multiply ")
           << aElement << " by " << bElement << " into " << cElement
           << "; wgmma takes f16 into f16 or f32, bf16 and tf32 into f32, fp8 "
              "into f16 or f32, i8 into i32";
  if (aElement.isF32() && getInputPrecision() != triton::InputPrecision::TF32)
    return emitOpError("multiplies f32 as tf32 on wgmma, but the input "
                       "precision is ")
           << triton::stringifyInputPrecision(getInputPrecision())
           << "; use input_precision='tf32', or tl.dot";
  int64_t minK = 256 / aElement.getIntOrFloatBitWidth();
  if (aShape[0] % 64 || bShape[1] % 8 || aShape[1] % minK)
    return emitOpError("needs M in steps of 64, N in steps of 8 and K in steps "
                       "of ")
           << minK << " for " << aElement << ", but M, N, K are " << aShape[0]
           << ", " << bShape[1] << ", " << aShape[1];
  return success();
}

} // namespace tlx
