// Reads IR that the wheel made, through containers, interfaces and analyses.

#include "core/abi/canary/Canary.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "triton/Analysis/AxisInfo.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"
#include "triton/Dialect/TritonGPU/IR/LinearLayoutConversions.h"

using namespace mlir;
namespace tt = mlir::triton;
namespace ttg = mlir::triton::gpu;

namespace canary {
namespace {

class Inspect : public PassWrapper<Inspect, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Inspect)

  Inspect() = default;
  Inspect(const Inspect &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "canary-inspect"; }
  StringRef getName() const override { return "CanaryInspect"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<CanaryDialect, ttg::TritonGPUDialect>();
  }

  void runOnOperation() override;

private:
  void inspectOps();
  void inspectKernel(tt::FuncOp kernel);
  void inspectDiagnostics();
  void constructTypesAndAttributes();

  void add(StringRef name, Attribute value) { facts.set(name, value); }
  void add(StringRef name, int64_t value) {
    add(name, Builder(&getContext()).getI64IntegerAttr(value));
  }
  void add(StringRef name, const Twine &value) {
    add(name, StringAttr::get(&getContext(), value));
  }

  NamedAttrList facts;
  Option<int64_t> tag{*this, "tag", llvm::cl::init(1),
                      llvm::cl::desc("Number to put into a type")};
  Statistic values{this, "values", "Number of values seen"};
};

void Inspect::inspectOps() {
  DenseMap<Value, unsigned> numbers;
  llvm::StringMap<unsigned> dialects;
  llvm::SetVector<Operation *> terminators;
  SmallVector<Attribute> functions;
  getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
    ++dialects[op->getName().getDialectNamespace()];
    if (auto function = dyn_cast<tt::FuncOp>(op))
      functions.push_back(FlatSymbolRefAttr::get(function));
    if (op->hasTrait<OpTrait::IsTerminator>())
      terminators.insert(op);
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        numbers.try_emplace(argument, numbers.size());
    for (Value result : op->getResults())
      numbers.try_emplace(result, numbers.size());
  });
  values += numbers.size();
  add("values", values.getValue());
  add("terminators", terminators.size());
  add("functions", ArrayAttr::get(&getContext(), functions));
  for (auto &entry : dialects)
    add(("ops." + entry.getKey()).str(), entry.getValue());
  // Erasing and inserting again goes through tombstones.
  SmallVector<Value> odd;
  for (auto [value, number] : numbers)
    if (number % 2)
      odd.push_back(value);
  for (Value value : odd)
    numbers.erase(value);
  add("even values", numbers.size());
}

void Inspect::inspectKernel(tt::FuncOp kernel) {
  tt::ModuleAxisInfoAnalysis axes(getOperation());
  DominanceInfo dominance(getOperation());
  kernel.walk([&](Operation *op) {
    if (auto effects = dyn_cast<MemoryEffectOpInterface>(op)) {
      SmallVector<MemoryEffects::EffectInstance> instances;
      effects.getEffects(instances);
      for (MemoryEffects::EffectInstance &effect : instances)
        add(("effect of " + op->getName().getStringRef()).str(),
            Twine(isa<MemoryEffects::Read>(effect.getEffect()) ? "read "
                                                               : "write ") +
                effect.getResource()->getName());
    }
    if (auto load = dyn_cast<tt::LoadOp>(op)) {
      tt::AxisInfo *axis = axes.getAxisInfo(load.getPtr());
      add("contiguity", axis->getContiguity(0));
      add("divisibility", axis->getDivisibility(0));
    }
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
      add("trip count", loop.getStaticTripCount()->getZExtValue());
      add("loop results", TypeAttr::get(loop.getLoopResults()->getTypes()[0]));
      Operation *init = loop.getInits().front().getDefiningOp();
      add("init dominates", dominance.properlyDominates(init, op));
    }
    if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
      SmallVector<RegionSuccessor> successors;
      branch.getSuccessorRegions(RegionBranchPoint::parent(), successors);
      add("successors", successors.size());
    }
    if (auto call = dyn_cast<CallOpInterface>(op))
      add("callee", cast<SymbolRefAttr>(call.getCallableForCallee()));
  });
  SymbolTable symbols(getOperation());
  auto uses =
      SymbolTable::getSymbolUses(symbols.lookup("leaf"), getOperation());
  add("uses of leaf", std::distance(uses->begin(), uses->end()));
}

void Inspect::inspectDiagnostics() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  {
    ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &diagnostic) {
      stream << diagnostic;
      for (Diagnostic &note : diagnostic.getNotes())
        stream << "; " << note << " " << note.getLocation();
      return success();
    });
    Location loc = FileLineColLoc::get(&getContext(), "canary.py", 3, 14);
    InFlightDiagnostic remark = emitRemark(loc, "seen ");
    remark << getOperation()->getName() << " of " << values.getValue();
    remark.attachNote(NameLoc::get(StringAttr::get(&getContext(), "here"), loc))
        << "a note";
  }
  add("diagnostic", text);
}

void Inspect::constructTypesAndAttributes() {
  MLIRContext *context = &getContext();
  Builder builder(context);
  auto layout = ttg::BlockedEncodingAttr::get(
      context, /*shape=*/{16, 64}, /*sizePerThread=*/{1, 4}, /*order=*/{1, 0},
      /*numWarps=*/4, /*numThreadsPerWarp=*/32, /*numCTAs=*/1);
  auto tensor = RankedTensorType::get({16, 64}, builder.getF16Type(), layout);
  add("tensor", TypeAttr::get(tensor));
  add("linear layout", ttg::toLinearLayout(tensor).toString());
  add("elements per thread", ttg::getTotalElemsPerThread(tensor));
  add("pointer", TypeAttr::get(tt::PointerType::get(builder.getF32Type())));
  add("tag", TypeAttr::get(TagType::get(context, tag, {3, 1, 2})));
  add("same tag",
      TagType::get(context, 5, {6}) == TagType::get(context, 5, {6}));

  auto shape = RankedTensorType::get({2, 2}, builder.getI32Type());
  add("dense", DenseElementsAttr::get(shape, ArrayRef<int32_t>{1, 2, 3, 4}));
  auto longs = RankedTensorType::get({3}, builder.getI64Type());
  auto elements = cast<ElementsAttr>(
      DenseElementsAttr::get(longs, ArrayRef<int64_t>{5, 6, 7}));
  // Finds the iterator by the TypeID of int64_t.
  add("sum", llvm::sum_of(elements.getValues<int64_t>()));
  add("array", builder.getDenseI32ArrayAttr({7, 8}));
  add("double", builder.getF64FloatAttr(0.125));
  AffineExpr d0 = builder.getAffineDimExpr(0);
  add("map", AffineMapAttr::get(AffineMap::get(1, 0, d0 * 2 + 1)));
  add("parsed",
      parseAttribute("{a = [1 : i8, unit], t = !tt.ptr<f16>}", context));
}

void Inspect::runOnOperation() {
  facts = NamedAttrList();
  inspectOps();
  inspectDiagnostics();
  constructTypesAndAttributes();
  inspectKernel(getOperation().lookupSymbol<tt::FuncOp>("kernel"));
  getOperation()->setAttr("canary.facts", facts.getDictionary(&getContext()));
  markAllAnalysesPreserved();
}

} // namespace

std::unique_ptr<Pass> createInspect() { return std::make_unique<Inspect>(); }

} // namespace canary
