#include "plugins/tlx/IR/TLX.h"
#include "plugins/tlx/Transforms/Layouts.h"
#include "plugins/tlx/Transforms/Passes.h"
#include "triton/Dialect/TritonGPU/Transforms/Utility.h"
#include "triton_plugin/DiagnosticRecorder.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

// Triton's own layout for buffers that direct-to-LDS loads fill. The wheel
// exports the function and lacks its header; another signature would have
// another symbol, and the library would not link.
ttg::PaddedSharedEncodingAttr composePaddedLayoutForAsyncCopyCDNA4(
    ttg::DotOperandEncodingAttr operand, ttg::TensorOrMemDesc buffer,
    ArrayRef<unsigned> order, bool useAsyncCopy, unsigned warpSize);

namespace tlx {

#define GEN_PASS_DEF_TLXSWIZZLEBUFFERS
#include "plugins/tlx/Transforms/Passes.h.inc"

namespace {

/// An allocation, the buffers and slices of it in all tasks, and what fills and
/// reads them; nothing if a value takes a way that is not followed (loops,
/// other views).
struct Buffers {
  SmallVector<Value> values;
  SmallVector<ttg::LocalLoadOp> loads;
  bool areFilledByCopies = false;
};

std::optional<Buffers> collectBuffers(ttg::LocalAllocOp alloc) {
  Buffers buffers;
  buffers.values.push_back(alloc);
  for (size_t i = 0; i < buffers.values.size(); ++i)
    for (OpOperand &use : buffers.values[i].getUses()) {
      Operation *user = use.getOwner();
      if (auto load = dyn_cast<ttg::LocalLoadOp>(user))
        buffers.loads.push_back(load);
      else if (isa<ttg::MemDescIndexOp, ttg::MemDescSubsliceOp>(user))
        buffers.values.push_back(user->getResult(0));
      else if (auto tasks = dyn_cast<ttg::WarpSpecializePartitionsOp>(user))
        for (Region &task : tasks.getPartitionRegions())
          buffers.values.push_back(task.getArgument(use.getOperandNumber()));
      else if (isa<ttg::AsyncCopyGlobalToLocalOp>(user))
        buffers.areFilledByCopies = true;
      else if (!isa<ttg::LocalStoreOp, ttg::LocalDeallocOp, AssertSameLayoutOp>(
                   user))
        return std::nullopt;
    }
  return buffers;
}

/// The one dot operand layout of all loads, or null.
ttg::DotOperandEncodingAttr
getCommonOperandLayout(ArrayRef<ttg::LocalLoadOp> loads) {
  ttg::DotOperandEncodingAttr common;
  for (ttg::LocalLoadOp load : loads) {
    auto layout = dyn_cast<ttg::DotOperandEncodingAttr>(
        cast<RankedTensorType>(load.getType()).getEncoding());
    if (!layout || (common && layout != common))
      return {};
    common = layout;
  }
  return common;
}

/// The layout of one buffer. A wave's direct-to-LDS load writes consecutive
/// addresses, so that a swizzled buffer costs a permutation of the lanes'
/// pointers for each load; gaps between the waves' rows cost nothing.
Attribute chooseLayout(const Buffers &buffers,
                       ttg::DotOperandEncodingAttr operand,
                       ttg::MemDescType type,
                       ttg::SwizzledSharedEncodingAttr current,
                       ModuleOp module) {
  ArrayRef<int64_t> shape = type.getShape().drop_front();
  if (buffers.areFilledByCopies && getAMDArch(module) == "gfx950") {
    Type buffer = ttg::MemDescType::get(shape, type.getElementType(), current,
                                        type.getMemorySpace());
    if (auto padded = composePaddedLayoutForAsyncCopyCDNA4(
            operand, cast<ttg::TensorOrMemDesc>(buffer), current.getOrder(),
            /*useAsyncCopy=*/true,
            ttg::TritonGPUDialect::getThreadsPerWarp(module)))
      return padded;
  }
  return ttg::SwizzledSharedEncodingAttr::get(
      type.getContext(), operand, shape, current.getOrder(),
      current.getCGALayout(), type.getElementType());
}

void swizzle(ttg::LocalAllocOp alloc) {
  auto type = cast<ttg::MemDescType>(alloc.getType());
  auto current = dyn_cast<ttg::SwizzledSharedEncodingAttr>(type.getEncoding());
  std::optional<Buffers> buffers = collectBuffers(alloc);
  if (!current || !buffers)
    return;
  ttg::DotOperandEncodingAttr operand = getCommonOperandLayout(buffers->loads);
  if (!operand)
    return;
  Attribute layout = chooseLayout(*buffers, operand, type, current,
                                  alloc->getParentOfType<ModuleOp>());
  for (Value value : buffers->values) {
    auto old = cast<ttg::MemDescType>(value.getType());
    value.setType(ttg::MemDescType::get(
        old.getShape(), old.getElementType(), layout, old.getMemorySpace(),
        old.getMutableMemory(), old.getAllocShape()));
  }
}

struct SwizzleBuffers : impl::TLXSwizzleBuffersBase<SwizzleBuffers> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    getOperation().walk([](ttg::LocalAllocOp alloc) {
      if (alloc->hasAttr(managedAllocAttrName))
        swizzle(alloc);
    });
  }
};

} // namespace
} // namespace tlx
