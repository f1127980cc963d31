#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "plugins/warp_spec/IR/WarpSpec.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "plugins/warp_spec/IR/WarpSpecDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "plugins/warp_spec/IR/WarpSpecTypes.cpp.inc"

namespace warp_spec {

void WarpSpecDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "plugins/warp_spec/IR/WarpSpecTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "plugins/warp_spec/IR/WarpSpecOps.cpp.inc"
      >();
}

LogicalResult ChannelType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  unsigned depth) {
  if (depth == 0)
    return emitError() << "a channel needs a stage";
  return success();
}

} // namespace warp_spec
