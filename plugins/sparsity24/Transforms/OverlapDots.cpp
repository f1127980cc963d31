#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/IRMapping.h"
#include "plugins/sparsity24/IR/Sparsity24.h"
#include "plugins/sparsity24/Transforms/Passes.h"
#include "triton/Dialect/TritonGPU/Transforms/Utility.h"
#include "triton/Dialect/TritonNvidiaGPU/IR/Dialect.h"
#include "triton_plugin/DiagnosticRecorder.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;
namespace ttng = mlir::triton::nvidia_gpu;

namespace sparsity24 {

#define GEN_PASS_DEF_SPARSITY24OVERLAPDOTS
#include "plugins/sparsity24/Transforms/Passes.h.inc"

namespace {

/// Memory behind views.
Value getAllocation(Value memory) {
  while (Operation *op = memory.getDefiningOp()) {
    if (!op->hasTrait<OpTrait::MemDescViewTrait>())
      break;
    memory = op->getOperand(0);
  }
  return memory;
}

/// A loop with one product an iteration, whose operands TMA loads ahead.
class Overlap {
public:
  explicit Overlap(scf::ForOp loop) : loop(loop) {}

  /// Finds out whether the loop is one that the transformation is for.
  bool match() {
    return matchDot() && matchAccumulator() && matchMeta() && matchRefills();
  }

  LogicalResult run() {
    leaveRunning();
    awaitTile();
    holdMeta();
    delayRefills();
    awaitLast();
    return unroll();
  }

private:
  /// One product in the loop, and no other that its wait would count.
  bool matchDot() {
    auto dots = loop.getBody()->getOps<AsyncSparseDotOp>();
    if (dots.empty())
      return false;
    dot = *dots.begin();
    if (!dot.getResult().hasOneUse())
      return false;
    wait =
        dyn_cast<ttng::WarpGroupDotWaitOp>(*dot.getResult().getUsers().begin());
    if (!wait || wait->getBlock() != dot->getBlock() ||
        wait.getPendings() != 0 || wait.getInputs().front() != dot.getResult())
      return false;
    for (Value memory : wait.getResults().drop_front())
      if (!memory.use_empty())
        return false;
    WalkResult others = loop.walk([&](Operation *op) {
      return op != dot && op != wait &&
                     isa<AsyncSparseDotOp, ttng::WarpGroupDotOp,
                         ttng::WarpGroupDotWaitOp>(op)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    return !others.wasInterrupted();
  }

  /// The product adds to what the loop carries. Nothing else looks at that,
  /// unless the loop is one of tiles and steps: then there is a branch behind a
  /// tile's last step.
  bool matchAccumulator() {
    auto acc = dyn_cast<BlockArgument>(dot.getAcc());
    if (!acc || acc.getOwner() != loop.getBody() || !acc.hasOneUse())
      return false;
    accIndex = acc.getArgNumber() - loop.getNumInductionVars();
    Value waited = wait.getResult(0);
    Value carried = loop.getBody()->getTerminator()->getOperand(accIndex);
    if (carried == waited)
      return waited.hasOneUse();
    tileEnd = carried.getDefiningOp<scf::IfOp>();
    if (!tileEnd || tileEnd->getBlock() != dot->getBlock())
      return false;
    unsigned index = cast<OpResult>(carried).getResultNumber();
    return tileEnd.elseYield().getOperand(index) == waited &&
           llvm::all_of(waited.getUsers(), [&](Operation *user) {
             return user == tileEnd.elseYield() ||
                    tileEnd.getThenRegion().isAncestor(user->getParentRegion());
           });
  }

  /// ptxas copies two and more registers before a product, and then no use
  /// keeps those alive that the product reads.
  bool matchMeta() {
    return ttg::lookupNumCTAs(loop) == 1 &&
           getMetaRegistersType(dot, dot.getMeta()).getDimSize(1) == 1;
  }

  /// Whoever writes the operands' memory does so through TMA after the product,
  /// two or more iterations ahead.
  bool matchRefills() {
    llvm::SmallSetVector<Value, 4> written;
    for (Operation &op : *loop.getBody()) {
      if (!isa<ttng::AsyncTMACopyGlobalToLocalOp, ttng::BarrierExpectOp>(op))
        continue;
      if (op.isBeforeInBlock(wait))
        return false;
      if (auto copy = dyn_cast<ttng::AsyncTMACopyGlobalToLocalOp>(op))
        written.insert(getAllocation(copy.getResult()));
      refills.push_back(&op);
    }
    for (Value operand : {dot.getValues(), dot.getB()})
      if (!written.contains(getAllocation(operand)))
        return false;
    for (Value memory : written) {
      auto type = cast<ttg::MemDescType>(memory.getType());
      if (!memory.getDefiningOp<ttg::LocalAllocOp>() ||
          loop->isAncestor(memory.getDefiningOp()) || type.getRank() < 3 ||
          type.getDimSize(0) < 2)
        return false;
    }
    return llvm::all_of(refills, [&](Operation *op) {
      return llvm::all_of(op->getOperands(),
                          [&](Value operand) { return isDelayable(operand); });
    });
  }

  /// A number, or a view by numbers of memory outside of the loop.
  bool isDelayable(Value value) {
    if (loop.isDefinedOutsideOfLoop(value) || value.getType().isIntOrIndex())
      return true;
    auto view = value.getDefiningOp<ttg::MemDescIndexOp>();
    return view && loop.isDefinedOutsideOfLoop(view.getSrc());
  }

  /// Awaits the product before this one. What this one reads is awaited with
  /// it.
  void leaveRunning() {
    OpBuilder builder(wait);
    auto replacement = ttng::WarpGroupDotWaitOp::create(
        builder, wait.getLoc(), ValueRange{dot.getResult()}, /*pendings=*/1);
    wait.getResult(0).replaceAllUsesWith(replacement.getResult(0));
    wait.erase();
    wait = replacement;
  }

  /// Awaits a tile's last product where the tile ends.
  void awaitTile() {
    if (!tileEnd)
      return;
    Value last = wait.getResult(0);
    Region &region = tileEnd.getThenRegion();
    auto builder = OpBuilder::atBlockBegin(&region.front());
    auto all = ttng::WarpGroupDotWaitOp::create(
        builder, dot.getLoc(), ValueRange{last}, /*pendings=*/0);
    last.replaceUsesWithIf(all.getResult(0), [&](OpOperand &use) {
      return use.getOwner() != all &&
             region.isAncestor(use.getOwner()->getParentRegion());
    });
  }

  /// Carries the registers of the last two products' metadata.
  void holdMeta() {
    OpBuilder builder(loop);
    RankedTensorType type = getMetaRegistersType(dot, dot.getMeta());
    Value none = arith::ConstantOp::create(builder, loop.getLoc(),
                                           builder.getZeroAttr(type));
    loop = addIterArgsToLoop(builder, loop, {none, none});
    ValueRange held = loop.getRegionIterArgs().take_back(2);
    builder.setInsertionPoint(dot);
    Value meta =
        HoldMetaOp::create(builder, dot.getLoc(), type, dot.getMeta(), held[0]);
    dot.getMetaMutable().assign(meta);
    appendToForOpYield(loop, {held[1], meta});
  }

  /// Lets the refills of an iteration happen in the next one, behind the wait
  /// for the product that read the memory, with the numbers that they had. The
  /// first iteration has none.
  void delayRefills() {
    OpBuilder builder(loop);
    llvm::MapVector<Value, unsigned> carried;
    SmallVector<Value> initial;
    auto carry = [&](Value number) {
      if (loop.isDefinedOutsideOfLoop(number) ||
          !carried.try_emplace(number, carried.size()).second)
        return;
      initial.push_back(arith::ConstantOp::create(
          builder, loop.getLoc(), builder.getZeroAttr(number.getType())));
    };
    for (Operation *op : refills)
      for (Value operand : op->getOperands()) {
        if (auto view = operand.getDefiningOp<ttg::MemDescIndexOp>())
          carry(view.getIndex());
        else
          carry(operand);
      }

    // The new loop has the same body, but block arguments of its own.
    SmallVector<std::optional<unsigned>> arguments;
    for (auto &[number, index] : carried) {
      auto argument = dyn_cast<BlockArgument>(number);
      arguments.push_back(argument ? std::optional(argument.getArgNumber())
                                   : std::nullopt);
    }
    unsigned firstCarried = loop.getNumRegionIterArgs();
    loop = addIterArgsToLoop(builder, loop, initial);
    SmallVector<Value> numbers;
    for (auto &[number, index] : carried)
      numbers.push_back(arguments[index]
                            ? loop.getBody()->getArgument(*arguments[index])
                            : number);
    appendToForOpYield(loop, numbers);

    builder.setInsertionPointAfter(wait);
    IRMapping previous;
    for (auto [index, number] : llvm::enumerate(numbers))
      previous.map(number, loop.getRegionIterArg(firstCarried + index));
    for (Operation *op : refills) {
      for (Value operand : op->getOperands())
        if (auto view = operand.getDefiningOp<ttg::MemDescIndexOp>())
          if (!previous.contains(operand))
            builder.clone(*view, previous);
      builder.clone(*op, previous);
      op->erase();
    }
  }

  void awaitLast() {
    OpBuilder builder(loop->getContext());
    builder.setInsertionPointAfter(loop);
    Value last = loop.getResult(accIndex);
    auto all = ttng::WarpGroupDotWaitOp::create(
        builder, dot.getLoc(), ValueRange{last}, /*pendings=*/0);
    last.replaceAllUsesExcept(all.getResult(0), all);
  }

  /// Gives each of two products registers of its own: without this, the loop
  /// would move what it carries from one to the other.
  LogicalResult unroll() {
    auto unrolled = loopUnrollByFactor(loop, 2);
    if (failed(unrolled))
      return loop->emitError("cannot be unrolled");
    // An odd step has a loop of its own, in which one product follows another
    // in the same registers.
    if (unrolled->epilogueLoopOp)
      for (auto op :
           unrolled->epilogueLoopOp->getOps<ttng::WarpGroupDotWaitOp>())
        op.setPendings(0);
    return success();
  }

  scf::ForOp loop;
  AsyncSparseDotOp dot;
  ttng::WarpGroupDotWaitOp wait;
  scf::IfOp tileEnd;
  unsigned accIndex = 0;
  SmallVector<Operation *> refills;
};

struct OverlapDots : impl::Sparsity24OverlapDotsBase<OverlapDots> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    triton_plugin::DiagnosticRecorder recorder(module, getArgument());
    SmallVector<scf::ForOp> loops;
    module.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      Overlap overlap(loop);
      if (overlap.match() && failed(overlap.run()))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace sparsity24
