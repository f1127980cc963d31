#include "mlir/Interfaces/LoopLikeInterface.h"
#include "plugins/layout/Transforms/Conversions.h"
#include "plugins/layout/Transforms/Passes.h"
#include "triton/Dialect/TritonGPU/IR/LinearLayoutConversions.h"
#include "triton_plugin/DiagnosticRecorder.h"
#include "triton_plugin/KernelLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
namespace tt = mlir::triton;
namespace ttg = mlir::triton::gpu;
namespace json = llvm::json;

namespace layout {

#define GEN_PASS_DEF_LAYOUTREPORT
#include "plugins/layout/Transforms/Passes.h.inc"

namespace {

template <typename T> std::string print(T value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

int countLoops(Operation *op) {
  int loops = 0;
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp())
    loops += isa<LoopLikeOpInterface>(parent);
  return loops;
}

json::Object describe(const SharedAccess &access) {
  return json::Object{{"instruction", access.instruction},
                      {"vector_bits", access.vectorBits},
                      {"instructions", access.instructions},
                      {"bank_conflicts", access.conflicts}};
}

class Reporter {
public:
  Reporter(ModuleOp module, const Target &target)
      : module(module), target(target) {}

  json::Value report() {
    module.walk([&](Operation *op) {
      if (auto convert = dyn_cast<ttg::ConvertLayoutOp>(op))
        add(op, convert.getSrc().getType(), convert.getType(),
            target.analyze(convert));
      else if (auto load = dyn_cast<ttg::LocalLoadOp>(op))
        addRoundTrip(load);
    });
    auto targetName = module->getAttrOfType<StringAttr>(ttg::AttrTargetName);
    return json::Object{{"target", targetName.getValue()},
                        {"conversions", std::move(conversions)},
                        {"layouts", std::move(layouts)}};
  }

private:
  /// A buffer that only carries values from one layout of registers to another.
  void addRoundTrip(ttg::LocalLoadOp load) {
    Value buffer = load.getSrc();
    while (Operation *view = buffer.getDefiningOp()) {
      if (!isa<ttg::MemDescTransOp, ttg::MemDescReshapeOp>(view))
        break;
      buffer = view->getOperand(0);
    }
    auto alloc = buffer.getDefiningOp<ttg::LocalAllocOp>();
    if (!alloc || !alloc.getSrc())
      return;
    auto from = cast<RankedTensorType>(alloc.getSrc().getType());
    Conversion conversion;
    conversion.way = Way::Shared;
    conversion.bytes =
        from.getNumElements() * from.getElementTypeBitWidth() / 8;
    conversion.store =
        target.analyzeAccess(from, alloc.getType(), /*isStore=*/true);
    conversion.load = target.analyzeAccess(
        load.getType(), load.getSrc().getType(), /*isStore=*/false);
    conversion.scratchBytes = conversion.bytes;
    add(load, from, load.getType(), conversion);
  }

  void add(Operation *op, RankedTensorType from, RankedTensorType to,
           const Conversion &conversion) {
    json::Object row{
        {"line", triton_plugin::getKernelLine(op->getLoc())},
        {"op", op->getName().getStringRef()},
        {"shape", json::Array(to.getShape())},
        {"element", print(to.getElementType())},
        {"from", print(from.getEncoding())},
        {"to", print(to.getEncoding())},
        {"way", stringifyWay(conversion.way)},
        {"bytes", conversion.bytes},
        {"loop_depth", countLoops(op)},
        {"scratch_bytes", conversion.scratchBytes},
    };
    if (conversion.way == Way::Shared) {
      row["store"] = describe(conversion.store);
      row["load"] = describe(conversion.load);
    }
    conversions.push_back(std::move(row));
    addLayout(from);
    addLayout(to);
  }

  void addLayout(RankedTensorType type) {
    if (!described.insert({type.getEncoding(), type.getShape()}).second)
      return;
    json::Object bases;
    tt::LinearLayout linear = ttg::toLinearLayout(type);
    for (auto &[dimension, vectors] : linear.getBases()) {
      json::Array list;
      for (ArrayRef<int32_t> vector : vectors)
        list.push_back(json::Array(vector));
      bases[dimension.getValue()] = std::move(list);
    }
    layouts.push_back(json::Object{{"layout", print(type.getEncoding())},
                                   {"shape", json::Array(type.getShape())},
                                   {"bases", std::move(bases)}});
  }

  ModuleOp module;
  const Target &target;
  json::Array conversions, layouts;
  DenseSet<std::pair<Attribute, ArrayRef<int64_t>>> described;
};

struct Report : impl::LayoutReportBase<Report> {
  using LayoutReportBase::LayoutReportBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    triton_plugin::DiagnosticRecorder recorder(module, getArgument());
    FailureOr<Target> target = Target::get(module);
    if (failed(target))
      return signalPassFailure();
    json::Value report = Reporter(module, *target).report();
    std::error_code error;
    llvm::raw_fd_ostream out(file.empty() ? "-" : StringRef(file), error);
    if (error) {
      module.emitError("cannot write the report to ")
          << file << ": " << error.message();
      return signalPassFailure();
    }
    out << llvm::formatv("{0:2}", report) << '\n';
  }
};

} // namespace
} // namespace layout
