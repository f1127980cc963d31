#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "plugins/warp_spec/IR/WarpSpec.h"
#include "plugins/warp_spec/Transforms/Passes.h"
#include "triton/Analysis/Allocation.h"
#include "triton_plugin/DiagnosticRecorder.h"

using namespace mlir;
namespace tt = mlir::triton;
namespace ttg = mlir::triton::gpu;
namespace ttng = mlir::triton::nvidia_gpu;

namespace warp_spec {

#define GEN_PASS_DEF_WARPSPECFINDINDEPENDENTWARPS
#include "plugins/warp_spec/Transforms/Passes.h.inc"

namespace {

/// Whether the op has a part in a channel, whose mbarriers say who may touch
/// what, or reads shared memory that nothing in the region writes.
bool isOrderedByChannels(Operation *op, bool isProducer) {
  if (isa<ttg::InlineAsmOp>(op))
    return op->hasAttr(arriveAttrName);
  if (isa<ttng::WaitBarrierOp, ttng::FenceAsyncSharedOp>(op))
    return true;
  // Copies among the consumers are stock Triton's, which counts on barriers.
  if (isProducer)
    return isa<ttng::BarrierExpectOp, ttng::AsyncTMACopyGlobalToLocalOp,
               ttg::AsyncCopyGlobalToLocalOp, ttng::AsyncCopyMbarrierArriveOp>(
        op);
  return isa<ttng::WarpGroupDotOp, ttng::WarpGroupDotWaitOp, ttg::LocalLoadOp>(
      op);
}

bool touchesSharedMemory(Operation *op) {
  if (tt::defaultAllocationAnalysisScratchSizeFn(op) > 0)
    return true;
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
           !op->hasTrait<OpTrait::IsTerminator>();
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  // By name: libtriton's resources are other objects than a plugin's.
  return llvm::any_of(effects, [](const MemoryEffects::EffectInstance &effect) {
    return effect.getResource()->getName() !=
           tt::GlobalMemory::get()->getName();
  });
}

/// True if no warp that runs the region gets anything from another one
/// through shared memory but what channels carry.
bool hasIndependentWarps(Region &region, bool isProducer) {
  return !region
              .walk([&](Operation *op) {
                return isOrderedByChannels(op, isProducer) ||
                               !touchesSharedMemory(op)
                           ? WalkResult::advance()
                           : WalkResult::interrupt();
              })
              .wasInterrupted();
}

struct FindIndependentWarps
    : impl::WarpSpecFindIndependentWarpsBase<FindIndependentWarps> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    getOperation().walk([](ttg::WarpSpecializeOp specialized) {
      if (!specialized->hasAttr(channelsAttrName))
        return;
      auto mark = UnitAttr::get(specialized.getContext());
      if (llvm::all_of(specialized.getPartitionRegions(),
                       [](Region *partition) {
                         return hasIndependentWarps(*partition,
                                                    /*isProducer=*/true);
                       }))
        specialized->setAttr(independentAttrName, mark);
      specialized.getDefaultRegion().walk([&](ttng::WarpGroupDotWaitOp wait) {
        auto loop = dyn_cast<scf::ForOp>(wait->getParentOp());
        if (loop && hasIndependentWarps(loop.getRegion(), /*isProducer=*/false))
          wait->setAttr(independentAttrName, mark);
      });
    });
  }
};

} // namespace
} // namespace warp_spec
