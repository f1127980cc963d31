#include "plugins/tlx/Transforms/Lowering.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace tlx {

LogicalResult lowerLayouts(triton::FuncOp function) {
  replaceEach<RequireLayoutOp>(
      function, [](OpBuilder &b, RequireLayoutOp op) -> Operation * {
        Location loc = op.getLoc();
        auto type = cast<RankedTensorType>(op.getType());
        auto required = type.cloneWithEncoding(op.getLayout());
        Value value =
            ttg::ConvertLayoutOp::create(b, loc, required, op.getValue());
        return ttg::ConvertLayoutOp::create(b, loc, type, value);
      });
  return success();
}

} // namespace tlx
