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

/// What a use passes its value on to: values that differ from warp to warp as
/// it does.
SmallVector<Value> getTargets(OpOperand &use) {
  Operation *user = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (isa<arith::ArithDialect>(user->getDialect()))
    return user->getResults();
  if (auto loop = dyn_cast<scf::ForOp>(user))
    return {loop.getTiedLoopRegionIterArg(&use), loop.getTiedLoopResult(&use)};
  if (auto loop = dyn_cast<scf::WhileOp>(user))
    return {loop.getBeforeArguments()[number]};
  if (isa<scf::ConditionOp>(user)) {
    auto loop = cast<scf::WhileOp>(user->getParentOp());
    return {loop.getAfterArguments()[number - 1], loop.getResult(number - 1)};
  }
  if (!isa<scf::YieldOp>(user))
    return {};
  Operation *parent = user->getParentOp();
  if (auto loop = dyn_cast<scf::WhileOp>(parent))
    return {loop.getBeforeArguments()[number]};
  SmallVector<Value> targets = {parent->getResult(number)};
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    targets.push_back(loop.getRegionIterArg(number));
  return targets;
}

/// The op that runs some of its regions, or blocks behind it, as the value of
/// the use says; null if none does.
Operation *getBranch(OpOperand &use) {
  Operation *user = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (isa<scf::IfOp>(user) || (user->getNumSuccessors() > 1 && number == 0))
    return user;
  if (auto loop = dyn_cast<scf::ForOp>(user))
    return number < loop.getNumControlOperands() ? user : nullptr;
  return isa<scf::ConditionOp>(user) && number == 0 ? user->getParentOp()
                                                    : nullptr;
}

/// The branches that warps take by the vote, each by itself.
llvm::SetVector<Operation *> collectBranches(VoteAnyOp vote) {
  llvm::SetVector<Operation *> branches;
  llvm::SetVector<Value> values;
  values.insert(vote.getResult());
  for (unsigned i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses())
      if (Operation *branch = getBranch(use)) {
        branches.insert(branch);
        values.insert_range(branch->getResults());
      } else {
        values.insert_range(getTargets(use));
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
    if (branch->getNumSuccessors() > 0) {
      InFlightDiagnostic error = branch->emitError(
          "returns in a branch that each warp takes by itself (vote_any); put "
          "what follows into the other branch");
      error.attachNote(vote.getLoc()) << "the branch depends on this";
      return error;
    }
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
