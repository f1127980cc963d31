#include "plugins/tlx/IR/BuilderUtils.h"
#include "plugins/tlx/IR/Builders.h"

using namespace mlir;
using triton_plugin::OpCall;

namespace tlx {

Value buildLocalAlloc(OpCall &call) {
  SmallVector<int64_t> shape = {call.integer("num")};
  llvm::append_range(shape, call.integers("shape"));
  return call.create<LocalAllocOp>(
      call.getChecked<BufferType>(ArrayRef(shape), call.type("dtype")));
}

Value buildLocalView(OpCall &call) {
  auto buffer = getBuffer(call, "buffer");
  BufferType type = buffer.getType();
  if (type.getShape().size() < 2)
    call.fail("argument 'buffer' is one buffer already");
  auto viewType = BufferType::get(call.context(), type.getShape().drop_front(),
                                  type.getElementType());
  return call.create<LocalViewOp>(viewType, buffer, call.value("index"));
}

Value buildLocalLoad(OpCall &call) {
  auto buffer = getBuffer(call, "buffer");
  BufferType type = buffer.getType();
  auto tensorType =
      RankedTensorType::get(type.getShape(), type.getElementType());
  return call.create<LocalLoadOp>(tensorType, buffer,
                                  call.optionalValue("token"));
}

Value buildLocalStore(OpCall &call) {
  getTensorType(call, "value");
  call.create<LocalStoreOp>(call.value("value"), getBuffer(call, "buffer"));
  return {};
}

Value buildAsyncLoad(OpCall &call) {
  if (!isa<triton::PointerType>(
          getTensorType(call, "pointers").getElementType()))
    call.fail("argument 'pointers' must be a tensor of pointers");
  return call.create<AsyncLoadOp>(
      getTokenType(call), call.value("pointers"), getBuffer(call, "buffer"),
      call.optionalValue("mask"), call.optionalValue("other"),
      call.boolean("is_volatile"));
}

Value buildAsyncCommit(OpCall &call) {
  return call.create<AsyncCommitOp>(getTokenType(call), call.values("tokens"));
}

Value buildAsyncWait(OpCall &call) {
  return call.create<AsyncWaitOp>(getTokenType(call), call.values("tokens"),
                                  call.integer("pendings"));
}

} // namespace tlx
