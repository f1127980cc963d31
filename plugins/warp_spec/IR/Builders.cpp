#include "plugins/warp_spec/IR/Builders.h"
#include "plugins/warp_spec/IR/WarpSpec.h"

namespace warp_spec {

mlir::Value buildMarkLoop(triton_plugin::OpCall &call) {
  call.create<MarkLoopOp>();
  return {};
}

} // namespace warp_spec
