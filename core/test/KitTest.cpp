// A plugin that does nothing but show the kit's contract: test_kit.py loads it.

#include "mlir/IR/BuiltinTypes.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "triton_plugin/DiagnosticRecorder.h"
#include "triton_plugin/Plugin.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using triton_plugin::OpCall;

namespace {

template <typename T> std::string toString(const T &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

/// A constant that carries what the call saw, for the test to read.
Value describe(OpCall &call, const llvm::Twine &text) {
  auto constant =
      call.create<arith::ConstantOp>(call.builder().getI32IntegerAttr(0));
  constant->setAttr("kit.saw", call.builder().getStringAttr(text));
  return constant;
}

/// Reads one argument of every kind.
Value buildArguments(OpCall &call) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "integer=" << call.integer("integer") << " real=" << call.real("real")
     << " boolean=" << call.boolean("boolean") << " string='"
     << call.string("string") << "' dtype=" << call.type("dtype") << " list=[";
  llvm::interleaveComma(call.integers("list"), os);
  os << "] values=" << call.values("values").size()
     << " value=" << call.value("value").getType()
     << " absent=" << (call.optionalInteger("absent") ? "given" : "none")
     << " optional_value="
     << (call.optionalValue("optional_value") ? "given" : "none");
  return describe(call, text);
}

/// Creates an op that does not verify.
Value buildInvalid(OpCall &call) {
  Value value = call.value("value");
  return call.create<arith::AddIOp>(call.builder().getI64Type(), value, value);
}

Value buildFailing(OpCall &call) { call.fail("it was asked to fail"); }

Value buildNoResult(OpCall &) { return {}; }

struct CountPass : PassWrapper<CountPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountPass)

  CountPass() = default;
  CountPass(const CountPass &other) : PassWrapper(other) {}
  StringRef getArgument() const override { return "kit-count"; }
  StringRef getDescription() const override {
    return "Write the number of ops of a name on the module";
  }

  void runOnOperation() override {
    int64_t count = 0;
    getOperation().walk([&](Operation *op) {
      count += op->getName().getStringRef() == opName;
    });
    getOperation()->setAttr(
        "kit.count",
        IntegerAttr::get(IntegerType::get(&getContext(), 64), count));
  }

  Option<std::string> opName{*this, "op",
                             llvm::cl::desc("name of the ops to count"),
                             llvm::cl::init("tt.return")};
};

struct RefusePass : PassWrapper<RefusePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RefusePass)

  StringRef getArgument() const override { return "kit-refuse"; }
  StringRef getDescription() const override { return "Fail at every function"; }

  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    getOperation().walk([&](triton::FuncOp function) {
      function.emitError("this function was refused");
      signalPassFailure();
    });
  }
};

std::unique_ptr<Pass> createCountPass() {
  return std::make_unique<CountPass>();
}
std::unique_ptr<Pass> createRefusePass() {
  return std::make_unique<RefusePass>();
}

constexpr const char *architectures[] = {"sm_90a"};

constexpr triton_plugin::PassInfo passes[] = {
    triton_plugin::pass<"kit_count", createCountPass>(),
    triton_plugin::pass<"kit_refuse", createRefusePass>(),
};

constexpr triton_plugin::OpInfo ops[] = {
    triton_plugin::op<"kit_arguments", buildArguments>(),
    triton_plugin::op<"kit_invalid", buildInvalid>(),
    triton_plugin::op<"kit_failing", buildFailing>(),
    triton_plugin::op<"kit_no_result", buildNoResult>(),
};

constexpr triton_plugin::Definition plugin = {
    .name = "kit",
    .version = "1.2.3",
    .architectures = architectures,
    .dialects = {},
    .passes = passes,
    .ops = ops,
};

} // namespace

TRITON_PLUGIN_EXPORT(plugin)
