#include "triton_plugin/Bridge.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "triton_plugin/DiagnosticRecorder.h"

using namespace mlir;
namespace tt = mlir::triton;

namespace triton_plugin {
namespace {

constexpr StringRef opAttrName = "triton_plugin.bridge_op";
constexpr StringRef attributesAttrName = "triton_plugin.bridge_attributes";

bool hasTensors(Operation *op) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  return llvm::any_of(op->getOperandTypes(), isTensor) ||
         llvm::any_of(op->getResultTypes(), isTensor);
}

/// Both directions share one class: they differ in one function, and the
/// dialect's name is data.
class BridgePass : public PassWrapper<BridgePass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BridgePass)

  BridgePass(StringRef dialect, bool enter)
      : dialect(dialect.str()),
        argument(dialect.str() + (enter ? "-enter-ttgpuir" : "-exit-ttgpuir")),
        enter(enter) {}

  StringRef getName() const override { return argument; }
  StringRef getArgument() const override { return argument; }
  StringRef getDescription() const override {
    return enter ? "Hide the dialect's tensor ops in calls"
                 : "Bring the dialect's tensor ops back out of calls";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<tt::TritonDialect>();
  }

  void runOnOperation() override {
    DiagnosticRecorder recorder(getOperation(), argument);
    if (failed(enter ? hideOps() : restoreOps()))
      signalPassFailure();
  }

private:
  LogicalResult hideOps();
  LogicalResult restoreOps();

  std::string dialect;
  std::string argument;
  bool enter;
};

LogicalResult BridgePass::hideOps() {
  SmallVector<Operation *> ops;
  WalkResult walk = getOperation().walk([&](Operation *op) -> WalkResult {
    if (op->getName().getDialectNamespace() != dialect || !hasTensors(op))
      return WalkResult::advance();
    if (op->getNumRegions())
      return op->emitError("an op with regions and tensors cannot cross the "
                           "conversion to TritonGPU; lower it before");
    ops.push_back(op);
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();

  auto moduleBuilder = OpBuilder::atBlockBegin(getOperation().getBody());
  for (auto [index, op] : llvm::enumerate(ops)) {
    // The name must not meet a function of the kernel or of another plugin.
    std::string name = (dialect + ".bridge." + Twine(index)).str();
    auto type = FunctionType::get(op->getContext(), op->getOperandTypes(),
                                  op->getResultTypes());
    auto callee = tt::FuncOp::create(moduleBuilder, op->getLoc(), name, type);
    callee.setPrivate();

    OpBuilder builder(op);
    auto call = tt::CallOp::create(builder, op->getLoc(), name,
                                   op->getResultTypes(), op->getOperands());
    call->setAttr(opAttrName,
                  builder.getStringAttr(op->getName().getStringRef()));
    call->setAttr(attributesAttrName, op->getAttrDictionary());
    op->replaceAllUsesWith(call->getResults());
    op->erase();
  }
  return success();
}

LogicalResult BridgePass::restoreOps() {
  SmallVector<tt::CallOp> calls;
  getOperation().walk([&](tt::CallOp call) {
    auto name = call->getAttrOfType<StringAttr>(opAttrName);
    if (name && OperationName(name.getValue(), call.getContext())
                        .getDialectNamespace() == dialect)
      calls.push_back(call);
  });

  for (tt::CallOp call : calls) {
    auto name = call->getAttrOfType<StringAttr>(opAttrName);
    auto attributes = call->getAttrOfType<DictionaryAttr>(attributesAttrName);
    OperationState state(call.getLoc(), name.getValue());
    state.addOperands(call.getOperands());
    state.addTypes(call.getResultTypes());
    state.addAttributes(attributes.getValue());
    Operation *op = OpBuilder(call).create(state);
    call->replaceAllUsesWith(op->getResults());
    if (Operation *callee =
            SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr()))
      callee->erase();
    call.erase();
  }
  return success();
}

} // namespace

std::unique_ptr<Pass> createBridgeEnter(StringRef dialect) {
  return std::make_unique<BridgePass>(dialect, /*enter=*/true);
}

std::unique_ptr<Pass> createBridgeExit(StringRef dialect) {
  return std::make_unique<BridgePass>(dialect, /*enter=*/false);
}

} // namespace triton_plugin
