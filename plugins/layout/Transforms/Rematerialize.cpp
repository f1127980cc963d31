#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "plugins/layout/Transforms/CostModel.h"
#include "plugins/layout/Transforms/Passes.h"
#include "triton/Dialect/TritonGPU/Transforms/Utility.h"
#include "triton_plugin/DiagnosticRecorder.h"

using namespace mlir;
namespace tt = mlir::triton;
namespace ttg = mlir::triton::gpu;

namespace layout {

#define GEN_PASS_DEF_LAYOUTREMATERIALIZE
#include "plugins/layout/Transforms/Passes.h.inc"

namespace {

RankedTensorType getType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// True for ops that may run a second time in another layout.
bool canRepeat(Operation *op) {
  if (op->getNumRegions() || op->getNumResults() != 1 ||
      isa<ttg::ConvertLayoutOp>(op) ||
      isa_and_nonnull<LayoutDialect>(op->getDialect()))
    return false;
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return !load.getIsVolatile();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  return isMemoryEffectFree(op) &&
         (isa<tt::MakeRangeOp, tt::SplatOp, tt::ExpandDimsOp, tt::BroadcastOp,
              tt::AddPtrOp>(op) ||
          op->hasTrait<OpTrait::Elementwise>());
}

/// What a value depends on, with the layouts that give it another layout.
struct Slice {
  SetVector<Value> values;
  DenseMap<Value, Attribute> layouts;

  /// Nothing if a part of it cannot be computed in another layout.
  static std::optional<Slice> get(OpOperand &root, Attribute layout) {
    Slice slice;
    if (failed(
            getConvertBackwardSlice(root, slice.values, layout, slice.layouts)))
      return std::nullopt;
    for (Value value : slice.values)
      if (!value.getDefiningOp() || !canRepeat(value.getDefiningOp()))
        return std::nullopt;
    slice.values = sort(slice.values);
    return slice;
  }

  RankedTensorType getNewType(Value value) const {
    return getType(value).cloneWithEncoding(layouts.lookup(value));
  }

private:
  static SetVector<Value> sort(const SetVector<Value> &values) {
    SetVector<Operation *> ops;
    for (Value value : values)
      ops.insert(value.getDefiningOp());
    SetVector<Value> sorted;
    for (Operation *op : topologicalSort(ops))
      sorted.insert(op->getResult(0));
    return sorted;
  }
};

class Rematerializer {
public:
  explicit Rematerializer(CostModel &costs) : costs(costs) {}

  /// Computes the source of a conversion in the layout it is converted to.
  bool replaceSource(ttg::ConvertLayoutOp convert, int64_t conversionCost) {
    std::optional<Slice> slice =
        Slice::get(convert.getSrcMutable(), convert.getType().getEncoding());
    if (!slice)
      return false;
    int64_t gain =
        conversionCost * CostModel::getWeight(convert) - getCost(*slice);
    if (gain <= 0)
      return false;
    IRMapping mapping;
    repeat(*slice, mapping);
    convert.replaceAllUsesWith(mapping.lookup(convert.getSrc()));
    convert.erase();
    return true;
  }

  /// Stores a converted value as it was before the conversion.
  bool replaceStore(tt::StoreOp store, ttg::ConvertLayoutOp convert,
                    int64_t conversionCost) {
    RankedTensorType from = convert.getSrc().getType();
    SmallVector<OpOperand *> operands = {&store.getPtrMutable()};
    if (store.getMask())
      operands.push_back(&store.getMaskMutable()[0]);
    SmallVector<Slice> slices;
    int64_t cost =
        costs.ofGlobalAccess(store.getPtr(), from, /*isStore=*/true) -
        costs.ofGlobalAccess(store.getPtr(), convert.getType(),
                             /*isStore=*/true);
    cost *= CostModel::getWeight(store);
    for (OpOperand *operand : operands) {
      std::optional<Slice> slice = Slice::get(*operand, from.getEncoding());
      if (!slice)
        return false;
      cost += getCost(*slice);
      slices.push_back(std::move(*slice));
    }
    if (conversionCost * CostModel::getWeight(store) <= cost)
      return false;
    for (auto [operand, slice] : llvm::zip_equal(operands, slices)) {
      IRMapping mapping;
      repeat(slice, mapping);
      operand->set(mapping.lookupOrDefault(operand->get()));
    }
    store.getValueMutable().set(convert.getSrc());
    if (convert->use_empty())
      convert.erase();
    return true;
  }

private:
  int64_t getCost(Operation *op, RankedTensorType type) {
    if (auto load = dyn_cast<tt::LoadOp>(op))
      return costs.ofGlobalAccess(load.getPtr(), type, /*isStore=*/false);
    return costs.ofArithmetic(op, type);
  }

  /// What computing a slice adds; what is computed for it alone now goes away.
  int64_t getCost(const Slice &slice) {
    int64_t cost = 0;
    for (Value value : slice.values) {
      Operation *op = value.getDefiningOp();
      int64_t change = getCost(op, slice.getNewType(value));
      if (value.hasOneUse())
        change -= getCost(op, getType(value));
      cost += change * CostModel::getWeight(op);
    }
    return cost;
  }

  /// Repeats the slice, each op right behind the one that it repeats, so that
  /// a load still reads what it read.
  static void repeat(const Slice &slice, IRMapping &mapping) {
    for (Value value : slice.values) {
      Operation *op = value.getDefiningOp();
      RankedTensorType type = slice.getNewType(value);
      OpBuilder builder(op->getContext());
      builder.setInsertionPointAfter(op);
      if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
        auto splat = cast<SplatElementsAttr>(constant.getValue());
        mapping.map(value, arith::ConstantOp::create(builder, op->getLoc(),
                                                     splat.resizeSplat(type)));
        continue;
      }
      Operation *clone = builder.clone(*op, mapping);
      clone->getResult(0).setType(type);
    }
  }

  CostModel &costs;
};

/// Erases what nobody uses any more, users before what they use.
void eraseDead(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

struct Rematerialize : impl::LayoutRematerializeBase<Rematerialize> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    triton_plugin::DiagnosticRecorder recorder(module, getArgument());
    FailureOr<Target> target = Target::get(module);
    if (failed(target))
      return signalPassFailure();
    CostModel costs(module, *target);
    Rematerializer rematerializer(costs);

    SmallVector<ttg::ConvertLayoutOp> converts;
    module.walk([&](ttg::ConvertLayoutOp op) { converts.push_back(op); });
    for (ttg::ConvertLayoutOp convert : converts) {
      Conversion conversion = target->analyze(convert);
      if (conversion.way != Way::Shared && conversion.way != Way::Shuffle)
        continue;
      int64_t cost = costs.ofConversion(conversion);
      if (rematerializer.replaceSource(convert, cost) || !convert->hasOneUse())
        continue;
      OpOperand &use = *convert->use_begin();
      auto store = dyn_cast<tt::StoreOp>(use.getOwner());
      if (store && &use == &store.getValueMutable())
        rematerializer.replaceStore(store, convert, cost);
    }
    eraseDead(module);
  }
};

} // namespace
} // namespace layout
