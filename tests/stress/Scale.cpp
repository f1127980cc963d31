// A plugin whose pass shows in the machine code, with its option: a pipeline
// that reached the wrong kernel would be seen.

#include "mlir/IR/BuiltinTypes.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "triton_plugin/DiagnosticRecorder.h"
#include "triton_plugin/Plugin.h"

using namespace mlir;

namespace {

struct ScalePass : PassWrapper<ScalePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ScalePass)

  ScalePass() = default;
  ScalePass(const ScalePass &other) : PassWrapper(other) {}
  StringRef getArgument() const override { return "scale-stores"; }
  StringRef getDescription() const override {
    return "Multiply every float that a kernel stores";
  }

  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    getOperation().walk([&](triton::StoreOp store) {
      Value value = store.getValue();
      if (!isa<FloatType>(getElementTypeOrSelf(value.getType())))
        return;
      OpBuilder builder(store);
      auto scale = arith::ConstantOp::create(builder, store.getLoc(),
                                             constant(value.getType()));
      store.getValueMutable().assign(
          arith::MulFOp::create(builder, store.getLoc(), value, scale));
    });
  }

  TypedAttr constant(Type type) const {
    auto number =
        FloatAttr::get(getElementTypeOrSelf(type), static_cast<double>(factor));
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      return DenseElementsAttr::get(tensor, ArrayRef<Attribute>(number));
    return number;
  }

  Option<int> factor{*this, "factor", llvm::cl::desc("what to multiply by"),
                     llvm::cl::init(3)};
};

std::unique_ptr<Pass> createScalePass() {
  return std::make_unique<ScalePass>();
}

constexpr const char *architectures[] = {"sm_80", "sm_90a", "gfx942", "gfx950"};

constexpr triton_plugin::PassInfo passes[] = {
    triton_plugin::pass<"scale_stores", createScalePass>(),
};

constexpr triton_plugin::Definition plugin = {
    .name = "scale",
    .version = "0.1.0",
    .architectures = architectures,
    .dialects = {},
    .passes = passes,
    .ops = {},
};

} // namespace

TRITON_PLUGIN_EXPORT(plugin)
