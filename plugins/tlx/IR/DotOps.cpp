#include "plugins/tlx/IR/TLX.h"

using namespace mlir;

namespace tlx {

namespace {

/// The shape and element type of an operand that is a buffer or a tensor.
std::pair<ArrayRef<int64_t>, Type> getShapeAndElement(Type type) {
  if (auto buffer = dyn_cast<BufferType>(type))
    return {buffer.getShape(), buffer.getElementType()};
  auto tensor = cast<RankedTensorType>(type);
  return {tensor.getShape(), tensor.getElementType()};
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
