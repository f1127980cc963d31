#include "plugins/sparsity24/Conversion/Dots.h"
#include "plugins/sparsity24/Conversion/Registers.h"
#include "plugins/sparsity24/IR/Instructions.h"
#include "plugins/sparsity24/Transforms/Passes.h"
#include "triton_plugin/DiagnosticRecorder.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace sparsity24 {

#define GEN_PASS_DEF_SPARSITY24LOWERDOTS
#include "plugins/sparsity24/Transforms/Passes.h.inc"

namespace {

struct LowerDots : impl::Sparsity24LowerDotsBase<LowerDots> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    triton_plugin::DiagnosticRecorder recorder(module, getArgument());
    SmallVector<Operation *> dots;
    module.walk([&](Operation *op) {
      if (isa<SparseDotOp, AsyncSparseDotOp, HoldMetaOp>(op))
        dots.push_back(op);
    });
    for (Operation *dot : dots)
      if (failed(lower(dot)))
        return signalPassFailure();
  }

private:
  LogicalResult lower(Operation *op) {
    for (Value operand : op->getOperands())
      if (!getLoweredValue(operand))
        return op->emitError("has an operand that was not converted to LLVM; "
                             "run this pass right after the conversion");
    OpBuilder builder(op);
    Value result =
        TypeSwitch<Operation *, Value>(op)
            .Case([&](AsyncSparseDotOp dot) {
              return lowerToWgmma(builder, dot);
            })
            .Case([&](HoldMetaOp hold) { return lowerHoldMeta(builder, hold); })
            .Case([&](SparseDotOp dot) { return lowerSync(builder, dot); });
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
    return success();
  }

  Value lowerSync(OpBuilder &builder, SparseDotOp dot) {
    RankedTensorType type = dot.getResult().getType();
    auto layout = dyn_cast<ttg::AMDMfmaEncodingAttr>(type.getEncoding());
    if (!layout)
      return lowerToMma(builder, dot);
    auto target =
        getOperation()->getAttrOfType<StringAttr>(ttg::AttrTargetName);
    const auto *instruction =
        llvm::find_if(getInstructions(), [&](const Instruction &row) {
          return row.target == target.getValue() &&
                 row.m == layout.getInstrShape()[0] &&
                 row.k == 2 * layout.getInstrShape()[2];
        });
    return lowerToSmfmac(builder, dot, *instruction);
  }
};

} // namespace
} // namespace sparsity24
