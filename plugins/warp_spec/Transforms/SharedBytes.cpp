#include "plugins/warp_spec/Transforms/SharedBytes.h"
#include "triton/Analysis/Allocation.h"
#include "triton/Analysis/Utility.h"
#include "triton/Conversion/TritonGPUToLLVM/TargetInfoBase.h"
#include "triton/Conversion/TritonGPUToLLVM/Utility.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"
#include "triton/Dialect/TritonGPU/IR/LinearLayoutConversions.h"
#include "triton/Tools/GenericSwizzling.h"
#include "triton/Tools/LayoutUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
namespace tt = mlir::triton;
namespace ttg = mlir::triton::gpu;

namespace warp_spec {

namespace {

/// What an op passes through shared memory; more than that where the target is
/// not known.
int64_t getScratchBytes(Operation *op, const tt::TargetInfoBase *info) {
  auto convert = dyn_cast<ttg::ConvertLayoutOp>(op);
  if (!info || !convert || !cvtNeedsSharedMemory(convert))
    return tt::defaultAllocationAnalysisScratchSizeFn(op);
  // Stores through TMA take their tiles as they are.
  if (llvm::all_of(convert->getUsers(), llvm::IsaPred<tt::DescriptorStoreOp>))
    return 0;
  RankedTensorType from = convert.getSrc().getType(), to = convert.getType();
  Type element = from.getElementType();
  int bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  auto [stores, loads] = ttg::getSrcDstTiles(*info, bits, /*crossCTA=*/false);
  // Copies of an element in several registers pass once.
  auto withoutCopies = [](RankedTensorType type) {
    tt::LinearLayout layout = ttg::toLinearLayout(type);
    return tt::actionRemoveBroadcastedRegs(layout).apply(layout);
  };
  tt::LinearLayout layout =
      ttg::optimalSwizzling(withoutCopies(from), withoutCopies(to), stores,
                            loads, bits)
          .first;
  auto parts = StringAttr::get(op->getContext(), "reps");
  return layout.getTotalOutDimSize() / layout.getInDimSize(parts) *
         llvm::divideCeil(bits, 8);
}

} // namespace

int64_t getOtherSharedBytes(scf::ForOp root,
                            const llvm::DenseSet<Operation *> &planned) {
  int64_t allocated = 0, scratch = 0;
  auto info =
      tt::TargetInfoBase::fromModuleOp(root->getParentOfType<ModuleOp>());
  root->getParentOfType<tt::FuncOp>().walk([&](Operation *op) {
    if (auto alloc = dyn_cast<ttg::LocalAllocOp>(op)) {
      auto *load = alloc.getSrc() ? alloc.getSrc().getDefiningOp() : nullptr;
      auto type = alloc.getType();
      if (!load || !planned.contains(load))
        allocated += ShapedType::getNumElements(type.getShape()) *
                     llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    } else if (auto store = dyn_cast<tt::DescriptorStoreOp>(op)) {
      // TMA still reads the tile of a loop's store in the next iteration.
      if (op->getParentOfType<scf::ForOp>()) {
        auto type = store.getSrc().getType();
        allocated += type.getNumElements() *
                     llvm::divideCeil(type.getElementTypeBitWidth(), 8);
      }
    } else if (root->isAncestor(op)) {
      scratch = std::max(scratch, getScratchBytes(op, info.get()));
    }
  });
  return allocated + scratch;
}

} // namespace warp_spec
