#include "plugins/tlx/IR/TLX.h"

using namespace mlir;

namespace tlx {

bool isBarrier(Type type) {
  auto buffer = dyn_cast<BufferType>(type);
  return buffer && buffer.getShape() == ArrayRef<int64_t>(1) &&
         buffer.getElementType().isInteger(64);
}

LogicalResult AllocBarriersOp::verify() {
  BufferType type = getType();
  if (type.getShape().size() != 2 || type.getShape()[1] != 1 ||
      !type.getElementType().isInteger(64))
    return emitOpError("makes ")
           << type << ", but n barriers are !tlx.buffer<nx1xi64>";
  // PTX ISA, "mbarrier": the count of pending arrivals has 20 bits.
  if (getArriveCount() < 1 || getArriveCount() >= 1 << 20)
    return emitOpError("makes barriers for ")
           << static_cast<int32_t>(getArriveCount())
           << " arrivals; the number must be 1 to 1048575";
  return success();
}

LogicalResult BarrierArriveOp::verify() {
  if (getCount() < 1 || getCount() >= 1 << 20)
    return emitOpError("arrives ") << static_cast<int32_t>(getCount())
                                   << " times; the number must be 1 to 1048575";
  return success();
}

LogicalResult BarrierExpectOp::verify() {
  // PTX ISA, "mbarrier": the count of pending bytes has 20 bits and a sign.
  if (getBytes() >= 1 << 20)
    return emitOpError("expects ")
           << static_cast<int32_t>(getBytes())
           << " bytes; a barrier counts 0 to 1048575 in one phase";
  return success();
}

} // namespace tlx
