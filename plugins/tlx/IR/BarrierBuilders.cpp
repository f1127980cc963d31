#include "plugins/tlx/IR/BuilderUtils.h"
#include "plugins/tlx/IR/Builders.h"

using namespace mlir;
using triton_plugin::OpCall;

namespace tlx {

Value buildAllocBarriers(OpCall &call) {
  Type word = IntegerType::get(call.context(), 64);
  return call.create<AllocBarriersOp>(
      call.getChecked<BufferType>(ArrayRef<int64_t>{call.integer("num"), 1},
                                  word),
      call.integer("arrive_count"));
}

Value buildBarrierWait(OpCall &call) {
  call.create<BarrierWaitOp>(getBuffer(call, "barrier"), call.value("phase"),
                             call.optionalValue("pred"));
  return {};
}

Value buildBarrierArrive(OpCall &call) {
  call.create<BarrierArriveOp>(getBuffer(call, "barrier"),
                               call.integer("count"), getWarps(call));
  return {};
}

Value buildBarrierExpect(OpCall &call) {
  call.create<BarrierExpectOp>(getBuffer(call, "barrier"),
                               call.integer("bytes"),
                               call.optionalValue("pred"));
  return {};
}

Value buildFenceAsyncShared(OpCall &call) {
  call.create<FenceAsyncSharedOp>();
  return {};
}

} // namespace tlx
