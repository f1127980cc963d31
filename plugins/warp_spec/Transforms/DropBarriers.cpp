#include "plugins/warp_spec/IR/WarpSpec.h"
#include "plugins/warp_spec/Transforms/Passes.h"
#include "triton_plugin/DiagnosticRecorder.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;
namespace ttng = mlir::triton::nvidia_gpu;

namespace warp_spec {

#define GEN_PASS_DEF_WARPSPECDROPBARRIERS
#include "plugins/warp_spec/Transforms/Passes.h.inc"

namespace {

struct DropBarriers : impl::WarpSpecDropBarriersBase<DropBarriers> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    getOperation().walk([](ttng::WarpGroupDotWaitOp wait) {
      if (wait->removeAttr(independentAttrName))
        wait.setWarpGroupLocal(true);
    });
    SmallVector<ttg::BarrierOp> barriers;
    getOperation().walk([&](ttg::WarpSpecializeOp specialized) {
      if (!specialized->removeAttr(independentAttrName))
        return;
      for (Region *partition : specialized.getPartitionRegions())
        partition->walk(
            [&](ttg::BarrierOp barrier) { barriers.push_back(barrier); });
    });
    for (ttg::BarrierOp barrier : barriers)
      barrier.erase();
  }
};

} // namespace
} // namespace warp_spec
