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

bool isInnermostWithDot(scf::ForOp loop) {
  bool hasDot = false, hasLoop = false;
  loop.getBody()->walk([&](Operation *op) {
    hasDot |= isa<ttng::WarpGroupDotOp>(op);
    hasLoop |= isa<scf::ForOp, scf::WhileOp>(op);
  });
  return hasDot && !hasLoop;
}

/// The loops that are marked, where a mark on an outer loop means those in it;
/// without any mark all that could be specialized.
SmallVector<scf::ForOp> getCandidates(ModuleOp module) {
  SmallVector<scf::ForOp> all, marked;
  module.walk([&](scf::ForOp loop) {
    bool isMarked = loop->hasAttr(loopAttrName);
    if (isInnermostWithDot(loop)) {
      all.push_back(loop);
      for (Operation *op = loop; op && !isMarked; op = op->getParentOp())
        isMarked = op->hasAttr(loopAttrName);
      if (isMarked)
        marked.push_back(loop);
    } else if (isMarked && loop.getBody()->getOps<scf::ForOp>().empty()) {
      // Asked for, so that it is told why not.
      marked.push_back(loop);
    }
  });
  return marked.empty() ? all : marked;
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
