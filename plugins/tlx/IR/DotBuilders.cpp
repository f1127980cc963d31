#include "plugins/tlx/IR/BuilderUtils.h"
#include "plugins/tlx/IR/Builders.h"

using namespace mlir;
using triton_plugin::OpCall;

namespace tlx {

namespace {

triton::InputPrecision getInputPrecision(OpCall &call) {
  std::string name = call.string("input_precision");
  if (auto precision = triton::symbolizeInputPrecision(name))
    return *precision;
  call.fail("argument 'input_precision' is '" + Twine(name) +
            "', which Triton does not know; use 'tf32'");
}

} // namespace

Value buildAsyncDot(OpCall &call) {
  Value a = call.value("a");
  if (!isa<BufferType>(a.getType()))
    getTensorType(call, "a");
  return call.create<AsyncDotOp>(
      getTensorType(call, "accumulator"), a, getBuffer(call, "b"),
      call.value("accumulator"), call.optionalValue("use_acc"),
      getInputPrecision(call), call.integer("max_num_imprecise_acc"));
}

Value buildAsyncDotWait(OpCall &call) {
  return call.create<AsyncDotWaitOp>(getTensorType(call, "input"),
                                     call.value("input"),
                                     call.integer("pendings"));
}

} // namespace tlx
