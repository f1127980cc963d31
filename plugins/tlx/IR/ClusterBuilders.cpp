#include "plugins/tlx/IR/BuilderUtils.h"
#include "plugins/tlx/IR/Builders.h"

using namespace mlir;
using triton_plugin::OpCall;

namespace tlx {

Value buildClusterBarrier(OpCall &call) {
  call.create<ClusterBarrierOp>();
  return {};
}

Value buildFenceMbarrierInitCluster(OpCall &call) {
  call.create<FenceMbarrierInitClusterOp>();
  return {};
}

Value buildRemoteArrive(OpCall &call) {
  call.create<RemoteArriveOp>(getBuffer(call, "barrier"), call.value("rank"),
                              call.integer("count"), getWarps(call),
                              call.boolean("relaxed"), /*predicate=*/Value());
  return {};
}

Value buildRemoteStore(OpCall &call) {
  Value barrier = call.optionalValue("barrier");
  getTensorType(call, "value");
  call.create<RemoteStoreOp>(call.value("value"), getBuffer(call, "buffer"),
                             call.value("rank"), barrier);
  return {};
}

Value buildRemoteLoad(OpCall &call) {
  TypedValue<BufferType> buffer = getBuffer(call, "buffer");
  BufferType type = buffer.getType();
  return call.create<RemoteLoadOp>(
      RankedTensorType::get(type.getShape(), type.getElementType()), buffer,
      call.value("rank"));
}

} // namespace tlx
