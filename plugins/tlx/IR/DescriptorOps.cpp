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

LogicalResult verifyNumOffsets(Operation *op, triton::TensorDescType descriptor,
                               size_t numOffsets) {
  if (numOffsets != descriptor.getShape().size())
    return op->emitOpError("has ")
           << numOffsets << " offsets for a descriptor of "
           << descriptor.getShape().size() << " dimensions";
  return success();
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
  return verifyNumOffsets(op, descriptor, numOffsets);
}

} // namespace

LogicalResult AllocDescriptorsOp::verify() {
  if (static_cast<int32_t>(getNum()) < 1)
    return emitOpError("makes ")
           << static_cast<int32_t>(getNum())
           << " slots for descriptors; the number must be 1 or more";
  return success();
}

LogicalResult MakeDescriptorOp::verify() {
  triton::TensorDescType type = getResult().getType();
  Type pointee =
      cast<triton::PointerType>(getBase().getType()).getPointeeType();
  if (withoutSign(type.getElementType()) != pointee)
    return emitOpError("makes a descriptor of ")
           << type.getElementType() << " for a pointer to " << pointee;
  if (getShape().size() != type.getShape().size())
    return emitOpError("describes a tensor of ")
           << getShape().size() << " dimensions by blocks of "
           << type.getShape().size();
  return success();
}

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

LogicalResult AsyncDescriptorPrefetchOp::verify() {
  return verifyNumOffsets(*this, getDescriptor().getType(),
                          getOffsets().size());
}

LogicalResult AsyncDescriptorStoreWaitOp::verify() {
  if (static_cast<int32_t>(getPendings()) < 0)
    return emitOpError("cannot leave ")
           << static_cast<int32_t>(getPendings())
           << " stores pending; the number must be 0 or more";
  return success();
}

} // namespace tlx
