#include "plugins/layout/Transforms/Passes.h"
#include "triton_plugin/DiagnosticRecorder.h"

using namespace mlir;
namespace tt = mlir::triton;
namespace ttg = mlir::triton::gpu;

namespace layout {

#define GEN_PASS_DEF_LAYOUTRESOLVE
#include "plugins/layout/Transforms/Passes.h.inc"

namespace {

/// Fails, with an error at the op, where a tensor cannot have the layout.
LogicalResult checkFits(Operation *op, RankedTensorType type,
                        Attribute layout) {
  auto error = [&] {
    return op->emitError("the layout does not fit a tensor of shape [")
           << type.getShape() << "]: ";
  };
  auto &interface =
      *layout.getDialect()
           .getRegisteredInterface<tt::DialectVerifyTensorLayoutInterface>();
  return interface.verifyTensorLayout(layout, type.cloneWithEncoding(layout),
                                      op, error);
}

/// True for values whose layout no stock pass decides any more.
bool hasChosenLayout(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isa<PinOp, ConvertOp, AssertTrivialOp>(op) &&
         cast<tt::EfficientLayoutOpInterface>(op).getEfficientLayout();
}

Value convertTo(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return ttg::ConvertLayoutOp::create(builder, loc, type, value);
}

template <typename OpT> LogicalResult resolve(OpT op, bool finish) {
  if (op.getEfficientLayout())
    return success();
  Attribute layout = op.getLayoutAttr();
  if (!layout) {
    Value like = skipConversions(op.getLike());
    if (!finish && !hasChosenLayout(like))
      return success();
    layout = cast<RankedTensorType>(like.getType()).getEncoding();
  }
  auto oldType = cast<RankedTensorType>(op.getType());
  if (failed(checkFits(op, oldType, layout)))
    return failure();

  auto type = oldType.cloneWithEncoding(layout);
  OpBuilder builder(op);
  // What computes a pinned value may take its layout over; a chosen conversion
  // starts from whatever layout its source has.
  if (isa<PinOp>(op))
    op.getSrcMutable().assign(
        convertTo(builder, op.getLoc(), op.getSrc(), type));
  op.getLikeMutable().clear();
  op.setLayoutAttr(layout);
  op.getResult().setType(type);
  if (type == oldType)
    return success();
  builder.setInsertionPointAfter(op);
  auto back = ttg::ConvertLayoutOp::create(builder, op.getLoc(), oldType,
                                           op.getResult());
  op.getResult().replaceAllUsesExcept(back, back);
  return success();
}

LogicalResult dissolve(ReleaseOp op) {
  OpBuilder builder(op);
  op.getResult().replaceAllUsesWith(
      convertTo(builder, op.getLoc(), op.getSrc(), op.getType()));
  op.erase();
  return success();
}

struct Resolve : impl::LayoutResolveBase<Resolve> {
  using LayoutResolveBase::LayoutResolveBase;

  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    // In the order of the program, so that a layout is known before it is
    // taken from a value.
    WalkResult walk = getOperation().walk([&](Operation *op) -> WalkResult {
      if (auto pin = dyn_cast<PinOp>(op))
        return resolve(pin, finish);
      if (auto convert = dyn_cast<ConvertOp>(op))
        return resolve(convert, finish);
      if (auto trivial = dyn_cast<AssertTrivialOp>(op))
        return resolve(trivial, finish);
      if (auto release = dyn_cast<ReleaseOp>(op))
        if (finish)
          return dissolve(release);
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace layout
