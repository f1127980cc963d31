#include "plugins/warp_spec/Transforms/Plan.h"
#include "plugins/warp_spec/Transforms/Passes.h"
#include "triton_plugin/DiagnosticRecorder.h"

using namespace mlir;
namespace tt = mlir::triton;
namespace ttg = mlir::triton::gpu;
namespace ttng = mlir::triton::nvidia_gpu;

namespace warp_spec {

#define GEN_PASS_DEF_WARPSPECPLAN
#include "plugins/warp_spec/Transforms/Passes.h.inc"

namespace {

/// The innermost loops with matrix products that are marked, where a mark on an
/// outer loop means those in it. Without any mark all that could be
/// specialized; if marked ones have no product, these, to be told why not.
SmallVector<scf::ForOp> getCandidates(ModuleOp module) {
  SmallVector<scf::ForOp> all, marked, markedInVain;
  module.walk([&](scf::ForOp loop) {
    bool hasDot = false, hasLoop = false, isMarked = false;
    loop.getBody()->walk([&](Operation *op) {
      hasDot |= isa<ttng::WarpGroupDotOp, tt::DotOp>(op);
      hasLoop |= isa<scf::ForOp, scf::WhileOp>(op);
    });
    for (Operation *op = loop; op && !isMarked; op = op->getParentOp())
      isMarked = op->hasAttr(loopAttrName);
    if (hasLoop)
      return;
    if (hasDot)
      all.push_back(loop);
    if (isMarked)
      (hasDot ? marked : markedInVain).push_back(loop);
  });
  if (!marked.empty())
    return marked;
  return markedInVain.empty() ? all : markedInVain;
}

struct Plan : impl::WarpSpecPlanBase<Plan> {
  using WarpSpecPlanBase::WarpSpecPlanBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    triton_plugin::DiagnosticRecorder recorder(module, getArgument());
    tt::ModuleAxisInfoAnalysis axisInfo(module);
    PlanOptions options = {buffers, numStages, producerRegisters};
    llvm::json::Array report;
    SmallVector<scf::ForOp> roots;
    for (scf::ForOp loop : getCandidates(module)) {
      LoopPlan plan(loop, options, axisInfo);
      plan.refuseBeside(roots);
      report.push_back(plan.describe());
      if (!plan.getRefusal().empty()) {
        if (strict) {
          loop.emitError("the loop can't be specialized: ")
              << plan.getRefusal();
          return signalPassFailure();
        }
        loop.emitRemark("not specialized: ") << plan.getRefusal();
        continue;
      }
      plan.annotate();
      roots.push_back(plan.getRoot());
    }
    if (strict && report.empty()) {
      emitError(module.getLoc(), "no loop can be specialized: none has a "
                                 "matrix product that runs on wgmma");
      return signalPassFailure();
    }
    std::string text;
    llvm::raw_string_ostream(text) << llvm::json::Value(std::move(report));
    module->setAttr(reportAttrName, StringAttr::get(&getContext(), text));
  }
};

} // namespace
} // namespace warp_spec
