#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "plugins/tlx/IR/TLX.h"
#include "plugins/tlx/Transforms/Passes.h"
#include "triton/Analysis/Allocation.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"
#include "triton_plugin/DiagnosticRecorder.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace tlx {

#define GEN_PASS_DEF_TLXCHECKVOTES
#include "plugins/tlx/Transforms/Passes.h.inc"

namespace {

/// A warp asks about what it has, and not about what it would have in the
/// layout that stock passes convert a value to for an op that they do not know.
void dropConversion(VoteAnyOp vote) {
  auto conversion = vote.getPredicate().getDefiningOp<ttg::ConvertLayoutOp>();
  if (!conversion)
    return;
  vote.getPredicateMutable().assign(conversion.getSrc());
  if (conversion->use_empty())
    conversion.erase();
}

/// The branches that warps take by the vote, each by itself.
llvm::SetVector<Operation *> collectBranches(VoteAnyOp vote) {
  llvm::SetVector<Operation *> branches;
  llvm::SetVector<Operation *> users(vote->user_begin(), vote->user_end());
  for (unsigned i = 0; i < users.size(); ++i) {
    Operation *user = users[i];
    if (isa<scf::IfOp>(user))
      branches.insert(user);
    else if (isa<scf::ConditionOp>(user))
      branches.insert(user->getParentOp());
    else if (isa<arith::ArithDialect>(user->getDialect()))
      users.insert(user->user_begin(), user->user_end());
  }
  return branches;
}

/// Warps exchange what they have through shared memory, and wait for each other
/// where they use that.
bool usesSharedMemory(Operation *op) {
  if (isa<ttg::BarrierOp>(op) ||
      triton::defaultAllocationAnalysisScratchSizeFn(op) > 0)
    return true;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return false;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  // By name: libtriton's resources are other objects than a plugin's.
  return llvm::any_of(instances, [](const auto &effect) {
    return effect.getResource()->getName() ==
           ttg::SharedMemory::get()->getName();
  });
}

LogicalResult check(VoteAnyOp vote) {
  for (Operation *branch : collectBranches(vote)) {
    WalkResult walk = branch->walk([&](Operation *op) -> WalkResult {
      if (!usesSharedMemory(op))
        return success();
      InFlightDiagnostic error = op->emitError(
          "needs all warps of the task, but stands in a branch that each warp "
          "takes by itself (vote_any); move it out of the branch");
      error.attachNote(vote.getLoc()) << "the branch depends on this";
      return error;
    });
    if (walk.wasInterrupted())
      return failure();
  }
  return success();
}

struct CheckVotes : impl::TLXCheckVotesBase<CheckVotes> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    getOperation().walk(dropConversion);
    WalkResult walk = getOperation().walk(
        [](VoteAnyOp vote) { return WalkResult(check(vote)); });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace tlx
