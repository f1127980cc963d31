#include "plugins/tlx/IR/TLX.h"
#include "triton/Dialect/TritonNvidiaGPU/IR/Dialect.h"

using namespace mlir;
namespace ttng = mlir::triton::nvidia_gpu;

namespace tlx {

namespace {

/// Triton keeps the sign of integers in descriptors, but not in buffers.
Type withoutSign(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerType::get(type.getContext(), integer.getWidth());
  return type;
}

LogicalResult verifyBlock(Operation *op, triton::TensorDescType descriptor,
                          size_t numOffsets, BufferType buffer) {
  ArrayRef<int64_t> block = descriptor.getShape(), shape = buffer.getShape();
  size_t numLeading = block.size() - std::min(block.size(), shape.size());
  if (block.drop_front(numLeading) != shape ||
      !llvm::all_of(block.take_front(numLeading),
                    [](int64_t size) { return size == 1; }))
    return op->emitOpError("copies blocks of shape [")
           << descriptor.getShape() << "], which the descriptor has, but the "
           << "buffer's shape is [" << buffer.getShape() << "]";
  if (withoutSign(descriptor.getElementType()) != buffer.getElementType())
    return op->emitOpError("copies elements of ")
           << descriptor.getElementType() << ", which the descriptor has, but "
           << "the buffer holds " << buffer.getElementType();
  if (numOffsets != descriptor.getShape().size())
    return op->emitOpError("has ")
           << numOffsets << " offsets for a descriptor of "
           << descriptor.getShape().size() << " dimensions";
  return success();
}

} // namespace

LogicalResult AsyncDescriptorLoadOp::verify() {
  return verifyBlock(*this, getDescriptor().getType(), getOffsets().size(),
                     getDestination().getType());
}

LogicalResult AsyncDescriptorStoreOp::verify() {
  triton::TensorDescType type = getDescriptor().getType();
  if (failed(
          verifyBlock(*this, type, getOffsets().size(), getSource().getType())))
    return failure();
  if (auto kind = getReduce())
    if (!ttng::AsyncTMAReduceOp::isSupportedReduceKind(*kind,
                                                       type.getElementType()))
      return emitOpError("cannot reduce ")
             << type.getElementType() << " by "
             << triton::stringifyDescriptorReduceKind(*kind)
             << " in global memory";
  return success();
}

LogicalResult AsyncDescriptorStoreWaitOp::verify() {
  if (static_cast<int32_t>(getPendings()) < 0)
    return emitOpError("cannot leave ")
           << static_cast<int32_t>(getPendings())
           << " stores pending; the number must be 0 or more";
  return success();
}

} // namespace tlx
