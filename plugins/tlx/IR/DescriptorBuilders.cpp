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

triton::EvictionPolicy getEvictionPolicy(OpCall &call) {
  std::string name = call.string("eviction_policy");
  if (name.empty())
    return triton::EvictionPolicy::NORMAL;
  if (auto policy = triton::symbolizeEvictionPolicy(name))
    return *policy;
  call.fail("argument 'eviction_policy' is '" + Twine(name) +
            "'; it must be '', 'evict_first' or 'evict_last'");
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

Value buildAsyncDescriptorLoad(OpCall &call) {
  call.create<AsyncDescriptorLoadOp>(
      getDescriptor(call), call.values("offsets"), getBuffer(call, "buffer"),
      getBuffer(call, "barrier"), call.optionalValue("pred"),
      getEvictionPolicy(call));
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

} // namespace tlx
