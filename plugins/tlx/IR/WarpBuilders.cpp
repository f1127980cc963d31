#include "plugins/tlx/IR/BuilderUtils.h"
#include "plugins/tlx/IR/Builders.h"

using namespace mlir;
using triton_plugin::OpCall;

namespace tlx {

Value buildVoteAny(OpCall &call) {
  getTensorType(call, "predicate");
  return call.create<VoteAnyOp>(call.builder().getI1Type(),
                                call.value("predicate"));
}

} // namespace tlx
