#include "plugins/tlx/Transforms/Lowering.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace tlx {

namespace {

/// Buffers keep their op: nothing changes their layouts for the sake of a user.
void lowerAsserts(triton::FuncOp function) {
  SmallVector<AssertSameLayoutOp> asserts;
  function.walk([&](AssertSameLayoutOp op) {
    if (isa<RankedTensorType>(op.getValue().getType()))
      asserts.push_back(op);
  });
  for (auto [number, op] : llvm::enumerate(asserts)) {
    OpBuilder b(op);
    auto observe = [&](Value value, Attribute layout) {
      // What is pinned is converted for users that do not ask for a layout.
      if (auto back = value.getDefiningOp<ttg::ConvertLayoutOp>())
        if (back.getSrc().getDefiningOp<RequireLayoutOp>())
          value = back.getSrc();
      ObserveLayoutOp::create(b, op.getLoc(), value.getType(), value, number,
                              layout);
    };
    observe(op.getValue(), op.getLayout().value_or(Attribute()));
    if (op.getOther())
      observe(op.getOther(), /*layout=*/Attribute());
    op.erase();
  }
}

} // namespace

LogicalResult lowerLayouts(triton::FuncOp function) {
  replaceEach<RequireLayoutOp>(
      function, [](OpBuilder &b, RequireLayoutOp op) -> Operation * {
        Location loc = op.getLoc();
        auto type = cast<RankedTensorType>(op.getType());
        auto required = type.cloneWithEncoding(op.getLayout());
        Value value =
            ttg::ConvertLayoutOp::create(b, loc, required, op.getValue());
        if (op.getPin())
          value = RequireLayoutOp::create(b, loc, required, value,
                                          op.getLayout(), /*pin=*/true);
        return ttg::ConvertLayoutOp::create(b, loc, type, value);
      });
  lowerAsserts(function);
  return success();
}

} // namespace tlx
