#include "mlir/IR/Location.h"
#include "plugins/tlx/Transforms/Passes.h"
#include "triton/Dialect/TritonGPU/Transforms/Utility.h"
#include "triton_plugin/DiagnosticRecorder.h"
#include "triton_plugin/KernelLine.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace tlx {

#define GEN_PASS_DEF_TLXREPORTSHAREDMEMORY
#include "plugins/tlx/Transforms/Passes.h.inc"

namespace {

/// The bytes of shared memory that one block can have; nothing for a GPU that
/// is not known. NVIDIA: CUDA C++ Programming Guide, "Compute Capabilities"
/// (less the 1024 bytes a block that the system keeps). AMD: CDNA3 and CDNA4
/// ISA, "Local Data Share".
std::optional<int64_t> getLimit(ModuleOp module) {
  if (std::optional<StringRef> arch = getAMDArch(module))
    return *arch == "gfx950" ? 160 << 10 : 64 << 10;
  switch (getNVIDIAComputeCapability(module)) {
  case 80:
  case 87:
    return 163 << 10;
  case 86:
  case 89:
  case 120:
    return 99 << 10;
  case 90:
  case 100:
  case 103:
    return 227 << 10;
  default:
    return std::nullopt;
  }
}

int64_t getBytes(ttg::MemDescType type) {
  int64_t elements = llvm::product_of(type.getAllocShape());
  if (auto padded =
          dyn_cast<ttg::PaddedSharedEncodingAttr>(type.getEncoding())) {
    ArrayRef<int64_t> shape = type.getAllocShape();
    size_t rank = cast<ttg::LayoutEncodingTrait>(type.getEncoding()).getRank();
    elements = llvm::product_of(shape.drop_back(rank)) *
               padded.getPaddedSize(shape.take_back(rank));
  }
  return elements * type.getElementType().getIntOrFloatBitWidth() / 8;
}

/// The name that the kernel gave the value and the line where it did.
std::string describe(Operation *op) {
  std::string name = op->getName().getStringRef().str();
  op->getLoc()->walk([&](Location loc) {
    if (auto named = dyn_cast<NameLoc>(loc))
      name = named.getName().str();
    return isa<FileLineColLoc>(loc) ? WalkResult::interrupt()
                                    : WalkResult::advance();
  });
  std::string line = triton_plugin::getKernelLine(op->getLoc());
  return line.empty() ? name : name + " (" + line + ")";
}

struct ReportSharedMemory
    : impl::TLXReportSharedMemoryBase<ReportSharedMemory> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    triton_plugin::DiagnosticRecorder recorder(module, getArgument());
    auto needed = module->getAttrOfType<IntegerAttr>("ttg.shared");
    std::optional<int64_t> limit = getLimit(module);
    if (!needed || !limit || needed.getInt() <= *limit)
      return;
    OpBuilder builder(module.getContext());
    module->setAttr("tlx.shared_memory_limit",
                    builder.getI32IntegerAttr(*limit));
    module->setAttr("tlx.shared_memory_report",
                    builder.getStringAttr(getReport(module)));
  }

  std::string getReport(ModuleOp module) {
    std::string report = "   offset    bytes  buffer";
    module.walk([&](Operation *op) {
      auto offset = op->getAttrOfType<IntegerAttr>("allocation.offset");
      if (!offset)
        return;
      std::string bytes = "?";
      if (auto alloc = dyn_cast<ttg::LocalAllocOp>(op))
        bytes = std::to_string(getBytes(alloc.getType()));
      else if (auto size = op->getAttrOfType<IntegerAttr>("allocation.size"))
        bytes = std::to_string(size.getInt());
      report += llvm::formatv("\n{0,9}{1,9}  {2}", offset.getInt(), bytes,
                              describe(op));
    });
    return report;
  }
};

} // namespace
} // namespace tlx
