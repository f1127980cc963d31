#include "plugins/tlx/Transforms/Passes.h"
#include "triton/Analysis/AxisInfo.h"
#include "triton/Dialect/TritonGPU/Transforms/Utility.h"
#include "triton_plugin/DiagnosticRecorder.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace tlx {

#define GEN_PASS_DEF_TLXLEGALIZEASYNCCOPY
#include "plugins/tlx/Transforms/Passes.h.inc"

namespace {

/// The widths in bytes that one thread can copy asynchronously.
SmallVector<unsigned> getCopyWidths(ModuleOp module) {
  if (std::optional<StringRef> arch = getAMDArch(module))
    return *arch == "gfx950" ? SmallVector<unsigned>{4, 16}
                             : SmallVector<unsigned>{};
  if (getNVIDIAComputeCapability(module) >= 80)
    return {4, 8, 16};
  return {};
}

/// The bytes of elements that are consecutive on both sides and under one mask.
unsigned getAccessWidth(ttg::AsyncCopyGlobalToLocalOp copy,
                        triton::ModuleAxisInfoAnalysis &axisInfo) {
  unsigned elements = axisInfo.getContiguity(copy.getSrc());
  if (ttg::getOrder(cast<RankedTensorType>(copy.getSrc().getType())).front() !=
      ttg::getOrder(copy.getResult().getType()).front())
    elements = 1;
  if (copy.getMask())
    elements = std::min(elements, axisInfo.getMaskAlignment(copy.getMask()));
  elements = std::max<unsigned>(elements, copy.getContiguity());
  unsigned bits =
      copy.getResult().getType().getElementType().getIntOrFloatBitWidth();
  return elements * bits / 8;
}

/// True if a buffer is too small for a direct load to LDS: each lane of a wave
/// writes 4 bytes or more, and a wave does not leave lanes out.
bool isSmallerThanWave(ttg::AsyncCopyGlobalToLocalOp copy) {
  auto module = copy->getParentOfType<ModuleOp>();
  if (!getAMDArch(module))
    return false;
  ttg::MemDescType buffer = copy.getResult().getType();
  int64_t bytes = buffer.getNumElements() * buffer.getElementTypeBitWidth() / 8;
  return bytes < 4 * ttg::TritonGPUDialect::getThreadsPerWarp(module);
}

/// Says that masked elements are zeros, where the copy leaves them out.
void fillMasked(ttg::AsyncCopyGlobalToLocalOp copy) {
  if (!copy.getMask() || copy.getOther())
    return;
  OpBuilder builder(copy);
  auto type =
      cast<RankedTensorType>(triton::getPointeeType(copy.getSrc().getType()));
  copy.getOtherMutable().assign(arith::ConstantOp::create(
      builder, copy.getLoc(), builder.getZeroAttr(type)));
}

void replaceByLoadAndStore(ttg::AsyncCopyGlobalToLocalOp copy) {
  OpBuilder builder(copy);
  Location loc = copy.getLoc();
  auto load = triton::LoadOp::create(
      builder, loc, copy.getSrc(), copy.getMask(), copy.getOther(),
      copy.getCachePolicyAttr(), copy.getIsVolatile());
  ttg::LocalStoreOp::create(builder, loc, load, copy.getResult());
  // Nothing waits for the token itself: tlx-lower left no such use but values
  // that a loop carries along.
  if (!copy.getToken().use_empty())
    copy.getToken().replaceAllUsesWith(
        ub::PoisonOp::create(builder, loc, copy.getToken().getType()));
  copy.erase();
}

struct LegalizeAsyncCopy : impl::TLXLegalizeAsyncCopyBase<LegalizeAsyncCopy> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    triton_plugin::DiagnosticRecorder recorder(module, getArgument());
    SmallVector<unsigned> widths = getCopyWidths(module);
    triton::ModuleAxisInfoAnalysis axisInfo(module);
    SmallVector<ttg::AsyncCopyGlobalToLocalOp> narrow, wide;
    module.walk([&](ttg::AsyncCopyGlobalToLocalOp copy) {
      unsigned width = getAccessWidth(copy, axisInfo);
      bool fits = llvm::any_of(widths, [&](unsigned w) { return w <= width; });
      fits &= !isSmallerThanWave(copy);
      (fits ? wide : narrow).push_back(copy);
    });
    // `cp.async` writes zeros for what is masked off. Loads do not, nor do
    // direct loads to LDS but those that go through a buffer descriptor.
    if (getAMDArch(module))
      llvm::for_each(wide, fillMasked);
    llvm::for_each(narrow, fillMasked);
    llvm::for_each(narrow, replaceByLoadAndStore);
  }
};

} // namespace
} // namespace tlx
