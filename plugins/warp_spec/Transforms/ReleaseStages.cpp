#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "plugins/warp_spec/Transforms/Passes.h"
#include "triton_plugin/DiagnosticRecorder.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;
namespace ttng = mlir::triton::nvidia_gpu;

namespace warp_spec {

#define GEN_PASS_DEF_WARPSPECRELEASESTAGES
#include "plugins/warp_spec/Transforms/Passes.h.inc"

namespace {

/// Behind which op of the loop's body a stage has no reader any more, counted
/// from the iteration that received it.
struct LastRead {
  bool nextIteration;
  Operation *op;

  bool operator<(const LastRead &other) const {
    if (nextIteration != other.nextIteration)
      return other.nextIteration;
    return op->isBeforeInBlock(other.op);
  }
};

class Releaser {
public:
  explicit Releaser(scf::ForOp loop) : loop(loop) {}

  void release(ReceiveOp receive) {
    if (isShortOfStages(receive.getChannel()))
      for (auto wait : loop.getBody()->getOps<ttng::WarpGroupDotWaitOp>())
        wait.setPendings(0);
    LastRead last = {false, receive};
    SmallVector<Value> worklist(receive->getResults());
    while (!worklist.empty())
      for (Operation *user : worklist.pop_back_val().getUsers()) {
        if (user->hasTrait<OpTrait::MemDescViewTrait>())
          llvm::append_range(worklist, user->getResults());
        LastRead read = getLastRead(user);
        if (last < read)
          last = read;
      }
    OpBuilder b(receive);
    b.setInsertionPointAfter(last.op);
    ReleaseOp::create(b, receive.getLoc(), receive.getChannel(),
                      last.nextIteration);
    // Behind the root nobody waits for an empty stage any more.
    if (last.nextIteration && !loop->hasAttr(planAttrName))
      releaseBehindLoop(receive);
  }

private:
  /// Threads that copy take most of a step to start a stage's copies, and need
  /// the stage as soon as it is read. The product of one warp group keeps the
  /// tensor cores busy while the other one's next is started.
  bool isShortOfStages(Value channel) {
    auto create = channel.getDefiningOp<CreateChannelOp>();
    return create && !create.getBytes() && ttg::lookupNumWarps(loop) == 8 &&
           llvm::hasSingleElement(
               loop.getBody()->getOps<ttng::WarpGroupDotOp>());
  }

  LastRead getLastRead(Operation *reader) {
    reader = loop.getBody()->findAncestorOpInBlock(*reader);
    auto dot = dyn_cast<ttng::WarpGroupDotOp>(reader);
    if (!dot || !dot.getIsAsync())
      return {false, reader};
    unsigned later = 0;
    if (Operation *wait = findWait(std::next(dot->getIterator()),
                                   loop.getBody()->end(), later))
      return {false, wait};
    if (Operation *wait =
            findWait(loop.getBody()->begin(), loop.getBody()->end(), later))
      return {true, wait};
    dot.setIsAsync(false);
    return {false, reader};
  }

  /// The first wait that ends a product after which `later` others have been
  /// started already.
  static Operation *findWait(Block::iterator begin, Block::iterator end,
                             unsigned &later) {
    for (Operation &op : llvm::make_range(begin, end)) {
      if (auto wait = dyn_cast<ttng::WarpGroupDotWaitOp>(op))
        if (wait.getPendings() <= later)
          return &op;
      if (auto dot = dyn_cast<ttng::WarpGroupDotOp>(op))
        later += dot.getIsAsync();
    }
    return nullptr;
  }

  void releaseBehindLoop(ReceiveOp receive) {
    OpBuilder b(loop);
    Location loc = receive.getLoc();
    Value any =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                              loop.getLowerBound(), loop.getUpperBound());
    // The products of the last iteration have ended behind the wait for them.
    Operation *wait = loop->getNextNode();
    while (wait && !isa<ttng::WarpGroupDotWaitOp>(wait))
      wait = wait->getNextNode();
    b.setInsertionPointAfter(wait ? wait : loop);
    ReleaseLastOp::create(b, loc, receive.getChannel(), any);
  }

  scf::ForOp loop;
};

struct ReleaseStages : impl::WarpSpecReleaseStagesBase<ReleaseStages> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (!loop.getBody()->getOps<ReceiveOp>().empty())
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      SmallVector<ReceiveOp> receives(loop.getBody()->getOps<ReceiveOp>());
      for (ReceiveOp receive : receives)
        Releaser(loop).release(receive);
    }
  }
};

} // namespace
} // namespace warp_spec
