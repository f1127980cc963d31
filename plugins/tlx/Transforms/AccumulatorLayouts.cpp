#include "plugins/tlx/IR/TLX.h"
#include "plugins/tlx/Transforms/Layouts.h"
#include "plugins/tlx/Transforms/RunningProducts.h"
#include "plugins/tlx/Transforms/TiedValues.h"
#include "triton/Dialect/TritonGPU/Transforms/Utility.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace tlx {

namespace {

/// The WGMMA layout of an accumulator. A warp group of four warps computes 64
/// rows, 16 a warp; more warps take further rows first, then columns.
ttg::NvidiaMmaEncodingAttr getWgmmaLayout(AsyncDotOp dot) {
  auto type = cast<RankedTensorType>(dot.getType());
  unsigned numWarps = ttg::lookupNumWarps(dot);
  unsigned warpsM = std::min<unsigned>(numWarps, type.getDimSize(0) / 16);
  Type element = dot.getB().getType().getElementType();
  return ttg::NvidiaMmaEncodingAttr::get(
      dot.getContext(), /*versionMajor=*/3, /*versionMinor=*/0,
      {warpsM, numWarps / warpsM}, ttg::getCGALayout(type.getEncoding()),
      mmaVersionToInstrShape(/*version=*/3, type.getShape(), element,
                             numWarps));
}

/// The values that may hold a product that still runs.
DenseSet<Value> collectRunning(const llvm::SetVector<Value> &group) {
  SmallVector<Value> worklist;
  for (Value value : group)
    if (value.getDefiningOp<AsyncDotOp>())
      worklist.push_back(value);
  DenseSet<Value> running(worklist.begin(), worklist.end());
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      auto wait = dyn_cast<AsyncDotWaitOp>(use.getOwner());
      if (wait && endsProduct(wait))
        continue;
      for (Value destination : getDestinations(use))
        if (running.insert(destination).second)
          worklist.push_back(destination);
    }
  }
  return running;
}

class AccumulatorGroup {
public:
  explicit AccumulatorGroup(AsyncDotOp dot)
      : values(collectTied(dot.getResult())), layout(getWgmmaLayout(dot)) {}

  bool contains(Value value) const { return values.contains(value); }

  LogicalResult convert() {
    if (failed(checkOneLayout()) || failed(checkUses()))
      return failure();
    for (Value value : values)
      convertSources(value);
    for (Value value : values)
      convertUses(value);
    for (Value value : values)
      value.setType(withLayout(value.getType()));
    return success();
  }

private:
  RankedTensorType withLayout(Type type) const {
    return cast<RankedTensorType>(type).cloneWithEncoding(layout);
  }

  LogicalResult checkOneLayout() const {
    for (Value value : values)
      if (auto dot = value.getDefiningOp<AsyncDotOp>())
        if (getWgmmaLayout(dot) != layout)
          return dot.emitError("accumulates what a product of another element "
                               "type or shape made; wait and start a new "
                               "accumulator between them");
    return success();
  }

  LogicalResult checkUses() const {
    DenseSet<Value> running = collectRunning(values);
    for (Value value : values)
      for (OpOperand &use : value.getUses())
        if (running.contains(value) && getDestinations(use).empty())
          return use.getOwner()->emitError(
              "uses the result of an async_dot that may still run; put "
              "async_dot_wait(0, result) before it");
    return success();
  }

  void convertSources(Value value) const {
    for (OpOperand *source : getSources(value)) {
      // Loop results and arguments share their sources: convert each once.
      auto type = cast<RankedTensorType>(source->get().getType());
      if (values.contains(source->get()) || type.getEncoding() == layout)
        continue;
      OpBuilder builder(source->getOwner());
      source->set(
          ttg::ConvertLayoutOp::create(builder, source->getOwner()->getLoc(),
                                       withLayout(type), source->get()));
    }
  }

  void convertUses(Value value) const {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : value.getUses())
      if (getDestinations(use).empty())
        uses.push_back(&use);
    if (uses.empty())
      return;
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    auto converted = ttg::ConvertLayoutOp::create(
        builder, value.getLoc(), cast<RankedTensorType>(value.getType()),
        value);
    for (OpOperand *use : uses)
      use->set(converted);
  }

  llvm::SetVector<Value> values;
  ttg::NvidiaMmaEncodingAttr layout;
};

/// An operand in registers must have the layout that goes with the result's.
void convertRegisterOperand(AsyncDotOp dot) {
  auto type = dyn_cast<RankedTensorType>(dot.getA().getType());
  if (!type)
    return;
  auto resultType = cast<RankedTensorType>(dot.getResult().getType());
  auto layout = ttg::DotOperandEncodingAttr::get(dot.getContext(), /*opIdx=*/0,
                                                 resultType.getEncoding(),
                                                 type.getElementType());
  OpBuilder builder(dot);
  dot.getAMutable().set(ttg::ConvertLayoutOp::create(
      builder, dot.getLoc(), type.cloneWithEncoding(layout), dot.getA()));
}

} // namespace

LogicalResult setAccumulatorLayouts(ModuleOp module) {
  SmallVector<AsyncDotOp> dots;
  module.walk([&](AsyncDotOp dot) { dots.push_back(dot); });
  for (AsyncDotOp dot : dots) {
    auto type = cast<RankedTensorType>(dot.getResult().getType());
    if (!isa<ttg::NvidiaMmaEncodingAttr>(type.getEncoding()) &&
        failed(AccumulatorGroup(dot).convert()))
      return failure();
    convertRegisterOperand(dot);
  }
  return success();
}

} // namespace tlx
