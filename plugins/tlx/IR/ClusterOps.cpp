#include "plugins/tlx/IR/TLX.h"

using namespace mlir;

namespace tlx {

LogicalResult ClusterBarrierOp::verify() {
  if ((*this)->getParentOfType<AsyncTaskOp>())
    return emitOpError("stands in a task, but all warps of the cluster take "
                       "part; put it before or behind the tasks, or let tasks "
                       "of two blocks meet at a barrier of alloc_barriers "
                       "(barrier_arrive with remote_cta_rank)");
  return success();
}

LogicalResult RemoteArriveOp::verify() {
  // PTX ISA, "mbarrier": the count of pending arrivals has 20 bits.
  if (getCount() < 1 || getCount() >= 1 << 20)
    return emitOpError("arrives ") << static_cast<int32_t>(getCount())
                                   << " times; the number must be 1 to 1048575";
  return success();
}

namespace {

/// In Triton IR; buffers have other types later.
LogicalResult verifyTensor(Operation *op, Type type, RankedTensorType tensor) {
  auto buffer = dyn_cast<BufferType>(type);
  if (!buffer)
    return success();
  if (buffer.getShape() != tensor.getShape())
    return op->emitOpError("moves a tensor of shape [")
           << tensor.getShape() << "], but the buffer's shape is ["
           << buffer.getShape() << "]";
  if (buffer.getElementType() != tensor.getElementType())
    return op->emitOpError("moves elements of ")
           << tensor.getElementType() << ", but the buffer holds "
           << buffer.getElementType();
  return success();
}

} // namespace

LogicalResult RemoteStoreOp::verify() {
  return verifyTensor(*this, getDestination().getType(),
                      cast<RankedTensorType>(getValue().getType()));
}

LogicalResult RemoteLoadOp::verify() {
  return verifyTensor(*this, getSource().getType(),
                      cast<RankedTensorType>(getType()));
}

} // namespace tlx
