#include "mlir/Dialect/SCF/IR/SCF.h"
#include "plugins/warp_spec/Transforms/Passes.h"
#include "triton_plugin/DiagnosticRecorder.h"

using namespace mlir;

namespace warp_spec {

#define GEN_PASS_DEF_WARPSPECMARKLOOPS
#include "plugins/warp_spec/Transforms/Passes.h.inc"

namespace {

constexpr llvm::StringLiteral stockAttrName = "tt.warp_specialize";

struct MarkLoops : impl::WarpSpecMarkLoopsBase<MarkLoops> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    SmallVector<MarkLoopOp> marks;
    getOperation().walk([&](MarkLoopOp mark) { marks.push_back(mark); });
    for (MarkLoopOp mark : marks) {
      // Between the mark and its loop are the bounds and initial values.
      Operation *loop = mark->getNextNode();
      while (loop && !isa<scf::ForOp>(loop))
        loop = loop->getNextNode();
      if (!loop) {
        mark.emitError("no loop follows warp_spec.range; write it as "
                       "`for i in warp_spec.range(...)`");
        return signalPassFailure();
      }
      loop->setAttr(loopAttrName, UnitAttr::get(&getContext()));
      mark.erase();
    }
    getOperation().walk([](scf::ForOp loop) {
      if (loop->removeAttr(stockAttrName))
        loop->setAttr(loopAttrName, UnitAttr::get(loop.getContext()));
    });
  }
};

} // namespace
} // namespace warp_spec
