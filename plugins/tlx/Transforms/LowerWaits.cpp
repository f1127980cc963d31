#include "plugins/tlx/Transforms/Layouts.h"
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
    for (auto function : getOperation().getOps<triton::FuncOp>()) {
      lowerWaits(function);
      eraseAddedDotWaits(function);
    }
  }

  /// A product of `tl.dot` in the same kernel needs what stock Triton added,
  /// and a wait may cover products of both kinds.
  void eraseAddedDotWaits(triton::FuncOp function) {
    SmallVector<ttng::WarpGroupDotWaitOp> added;
    bool allExplicit = true;
    function.walk([&](Operation *op) {
      bool isExplicit = op->hasAttr(explicitDotAttrName);
      if (isa<ttng::WarpGroupDotOp>(op))
        allExplicit &= isExplicit;
      else if (auto wait = dyn_cast<ttng::WarpGroupDotWaitOp>(op))
        if (!isExplicit)
          added.push_back(wait);
    });
    if (!allExplicit)
      return;
    for (ttng::WarpGroupDotWaitOp wait : added) {
      wait->replaceAllUsesWith(wait.getInputs());
      wait.erase();
    }
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
