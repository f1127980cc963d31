#include "plugins/tlx/IR/BuilderUtils.h"
#include "plugins/tlx/IR/Builders.h"

using namespace mlir;
using triton_plugin::OpCall;

namespace tlx {

namespace {

TypedValue<triton::TensorDescType> getDescriptor(OpCall &call) {
  auto descriptor =
      dyn_cast<TypedValue<triton::TensorDescType>>(call.value("descriptor"));
  if (!descriptor)
    call.fail("argument 'descriptor' must be a tensor descriptor; this target "
              "has none");
  return descriptor;
}

triton::DescriptorReduceKindAttr getReduceKind(OpCall &call) {
  std::string name = call.string("store_reduce");
  if (name.empty())
    return {};
  auto kind = triton::symbolizeDescriptorReduceKind(name);
  if (!kind)
    call.fail("argument 'store_reduce' is '" + Twine(name) +
              "'; it must be '', 'add', 'min', 'max', 'and', 'or' or 'xor'");
  return triton::DescriptorReduceKindAttr::get(call.context(), *kind);
}

} // namespace

Value buildAllocDescriptors(OpCall &call) {
  auto type = triton::getPointerType(call.builder().getI8Type());
  return call.create<AllocDescriptorsOp>(type, call.integer("num"));
}

Value buildDescriptorSlot(OpCall &call) {
  Value slots = call.value("slots");
  return call.create<DescriptorSlotOp>(slots.getType(), slots,
                                       call.value("index"));
}

/// Stock Triton has checked the arguments of the op that it made of them, which
/// this one replaces.
Value buildMakeDescriptor(OpCall &call) {
  auto stock =
      call.value("descriptor").getDefiningOp<triton::MakeTensorDescOp>();
  if (!stock)
    call.fail("argument 'descriptor' must come from tt.make_tensor_descriptor");
  Value result = call.create<MakeDescriptorOp>(
      stock.getType(), call.value("slot"), stock.getBase(), stock.getShape(),
      stock.getStrides(), stock.getPadding());
  stock.erase();
  return result;
}

Value buildReinterpretDescriptor(OpCall &call) {
  return call.create<ReinterpretDescriptorOp>(call.type("type"),
                                              call.value("slot"));
}

Value buildAsyncDescriptorLoad(OpCall &call) {
  call.create<AsyncDescriptorLoadOp>(
      getDescriptor(call), call.values("offsets"), getBuffer(call, "buffer"),
      getBuffer(call, "barrier"), call.optionalValue("pred"),
      call.values("targets"), getEvictionPolicy(call));
  return {};
}

Value buildAsyncDescriptorStore(OpCall &call) {
  call.create<AsyncDescriptorStoreOp>(
      getDescriptor(call), call.values("offsets"), getBuffer(call, "buffer"),
      getReduceKind(call), getEvictionPolicy(call));
  return {};
}

Value buildAsyncDescriptorStoreWait(OpCall &call) {
  call.create<AsyncDescriptorStoreWaitOp>(call.integer("pendings"),
                                          call.boolean("read_only"));
  return {};
}

Value buildAsyncDescriptorPrefetch(OpCall &call) {
  call.create<AsyncDescriptorPrefetchOp>(
      getDescriptor(call), call.values("offsets"), call.optionalValue("pred"),
      getEvictionPolicy(call));
  return {};
}

Value buildPrefetchDescriptor(OpCall &call) {
  call.create<PrefetchDescriptorOp>(getDescriptor(call),
                                    /*predicate=*/Value());
  return {};
}

} // namespace tlx
