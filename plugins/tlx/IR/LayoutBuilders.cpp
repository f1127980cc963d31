#include "plugins/tlx/IR/BuilderUtils.h"
#include "plugins/tlx/IR/Builders.h"

using namespace mlir;
using triton_plugin::OpCall;

namespace tlx {

Value buildRequireLayout(OpCall &call) {
  Type type = getTensorType(call, "value");
  return call.create<RequireLayoutOp>(type, call.value("value"),
                                      getLayout(call, "layout"),
                                      call.boolean("pin"));
}

Value buildAssertSameLayout(OpCall &call) {
  call.create<AssertSameLayoutOp>(call.value("value"),
                                  call.optionalValue("other"),
                                  getLayout(call, "layout"));
  return {};
}

} // namespace tlx
