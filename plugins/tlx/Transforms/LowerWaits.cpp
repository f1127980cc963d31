#include "plugins/tlx/Transforms/Passes.h"
#include "triton_plugin/DiagnosticRecorder.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;
namespace ttng = mlir::triton::nvidia_gpu;

namespace tlx {

#define GEN_PASS_DEF_TLXLOWERWAITS
#include "plugins/tlx/Transforms/Passes.h.inc"

namespace {

struct LowerWaits : impl::TLXLowerWaitsBase<LowerWaits> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    for (auto function : getOperation().getOps<triton::FuncOp>())
      lowerWaits(function);
  }

  void lowerWaits(triton::FuncOp function) {
    SmallVector<AsyncWaitOp> waits;
    bool usesWgmma = false;
    function.walk([&](Operation *op) {
      if (auto wait = dyn_cast<AsyncWaitOp>(op))
        waits.push_back(wait);
      usesWgmma |= isa<ttng::WarpGroupDotOp>(op);
    });
    for (AsyncWaitOp wait : waits) {
      OpBuilder builder(wait);
      auto lowered = ttg::AsyncWaitOp::create(
          builder, wait.getLoc(), wait.getTokens(), wait.getPendings());
      if (usesWgmma)
        ttng::FenceAsyncSharedOp::create(builder, wait.getLoc(),
                                         /*bCluster=*/false);
      wait.replaceAllUsesWith(lowered.getRetToken());
      wait.erase();
    }
  }
};

} // namespace
} // namespace tlx
