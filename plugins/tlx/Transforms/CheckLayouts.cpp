#include "plugins/tlx/IR/TLX.h"
#include "plugins/tlx/Transforms/Passes.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"
#include "triton/Dialect/TritonGPU/IR/LinearLayoutConversions.h"
#include "triton_plugin/DiagnosticRecorder.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace tlx {

#define GEN_PASS_DEF_TLXCHECKLAYOUTS
#include "plugins/tlx/Transforms/Passes.h.inc"

namespace {

bool areSame(ArrayRef<int64_t> shape, Attribute a, Attribute b) {
  if (a == b)
    return true;
  // Gaps between rows are no part of a linear layout.
  if (isa<ttg::PaddedSharedEncodingAttr>(a) ||
      isa<ttg::PaddedSharedEncodingAttr>(b) ||
      isa<ttg::SharedEncodingTrait>(a) != isa<ttg::SharedEncodingTrait>(b))
    return false;
  return ttg::toLinearLayout(shape, a) == ttg::toLinearLayout(shape, b);
}

LogicalResult checkSame(Operation *op, Value value, Attribute layout) {
  auto type = cast<ttg::TensorOrMemDesc>(value.getType());
  if (areSame(type.getShape(), type.getEncoding(), layout))
    return success();
  return op->emitError("the layout is ")
         << type.getEncoding() << ", but must be the same as " << layout;
}

LogicalResult checkSame(Operation *op, Value value, Value other) {
  auto type = cast<ttg::TensorOrMemDesc>(value.getType());
  auto otherType = cast<ttg::TensorOrMemDesc>(other.getType());
  if (type.getShape() != otherType.getShape())
    return op->emitError("compares layouts of shapes [")
           << type.getShape() << "] and [" << otherType.getShape() << "]";
  return checkSame(op, value, otherType.getEncoding());
}

LogicalResult checkBuffers(triton::FuncOp function) {
  WalkResult walk = function.walk([](AssertSameLayoutOp op) -> WalkResult {
    LogicalResult result = op.getOther()
                               ? checkSame(op, op.getValue(), op.getOther())
                               : checkSame(op, op.getValue(), *op.getLayout());
    op.erase();
    return result;
  });
  return success(!walk.wasInterrupted());
}

LogicalResult checkTensors(triton::FuncOp function) {
  DenseMap<uint32_t, SmallVector<ObserveLayoutOp>> groups;
  function.walk(
      [&](ObserveLayoutOp op) { groups[op.getNumber()].push_back(op); });
  LogicalResult result = success();
  for (auto &[number, group] : groups)
    for (ObserveLayoutOp op : group) {
      if (failed(checkSame(op, group.front().getValue(), op.getValue())) ||
          (op.getLayout() &&
           failed(checkSame(op, op.getValue(), *op.getLayout()))))
        result = failure();
      op.getResult().replaceAllUsesWith(op.getValue());
    }
  for (auto &[number, group] : groups)
    for (ObserveLayoutOp op : group)
      op.erase();
  return result;
}

/// Stock passes leave the types of ops alone that they do not know.
LogicalResult removePins(triton::FuncOp function) {
  WalkResult walk = function.walk([](RequireLayoutOp op) -> WalkResult {
    if (failed(checkSame(op, op.getResult(), op.getLayout())))
      return failure();
    op.getResult().replaceAllUsesWith(op.getValue());
    op.erase();
    return success();
  });
  return success(!walk.wasInterrupted());
}

struct CheckLayouts : impl::TLXCheckLayoutsBase<CheckLayouts> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    for (auto function : getOperation().getOps<triton::FuncOp>())
      if (failed(checkBuffers(function)) || failed(checkTensors(function)) ||
          failed(removePins(function)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace tlx
