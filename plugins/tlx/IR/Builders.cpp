#include "plugins/tlx/IR/Builders.h"
#include "plugins/tlx/IR/TLX.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;
using triton_plugin::OpCall;

namespace tlx {

namespace {

Type getTokenType(OpCall &call) {
  return ttg::AsyncTokenType::get(call.context());
}

TypedValue<BufferType> getBuffer(OpCall &call, StringRef argument) {
  Value value = call.value(argument);
  if (isa<BufferType>(value.getType()))
    return cast<TypedValue<BufferType>>(value);
  std::string type;
  llvm::raw_string_ostream(type) << value.getType();
  call.fail("argument '" + argument +
            "' must be a buffer of tlx.local_alloc or tlx.local_view, but is " +
            type);
}

RankedTensorType getTensorType(OpCall &call, StringRef argument) {
  Type type = call.value(argument).getType();
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor;
  call.fail("argument '" + argument + "' must be a tensor, but is a scalar");
}

triton::InputPrecision getInputPrecision(OpCall &call) {
  std::string name = call.string("input_precision");
  if (auto precision = triton::symbolizeInputPrecision(name))
    return *precision;
  call.fail("argument 'input_precision' is '" + Twine(name) +
            "', which Triton does not know; use 'tf32'");
}

} // namespace

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

Value buildAsyncDot(OpCall &call) {
  Value a = call.value("a");
  if (!isa<BufferType>(a.getType()))
    getTensorType(call, "a");
  return call.create<AsyncDotOp>(
      getTensorType(call, "accumulator"), a, getBuffer(call, "b"),
      call.value("accumulator"), getInputPrecision(call),
      call.integer("max_num_imprecise_acc"));
}

Value buildAsyncDotWait(OpCall &call) {
  return call.create<AsyncDotWaitOp>(getTensorType(call, "input"),
                                     call.value("input"),
                                     call.integer("pendings"));
}

} // namespace tlx
