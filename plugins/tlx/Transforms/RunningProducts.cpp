#include "plugins/tlx/Transforms/RunningProducts.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "plugins/tlx/Transforms/TiedValues.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tlx {

namespace {

/// More products than any wait leaves running.
constexpr int64_t noProduct = std::numeric_limits<int32_t>::max();

/// The products that one run of the op starts at least.
int64_t countStarted(Operation &op);

int64_t countStarted(Block::iterator begin, Block::iterator end) {
  int64_t count = 0;
  for (Operation &op : llvm::make_range(begin, end))
    count += countStarted(op);
  return count;
}

int64_t countStarted(Operation &op) {
  if (isa<AsyncDotOp>(op))
    return 1;
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch || !branch.elseBlock())
    return 0;
  Block *yes = branch.thenBlock(), *no = branch.elseBlock();
  return std::min(countStarted(yes->begin(), yes->end()),
                  countStarted(no->begin(), no->end()));
}

/// The products that are started at least between the one that made `product`
/// and `op`, which uses it; `noProduct` where none made it.
int64_t countStartedAfter(Value product, Operation *op,
                          DenseSet<Value> &onPath) {
  int64_t count = 0;
  Block *block = product.getParentBlock();
  for (; op->getBlock() != block; op = op->getParentOp())
    count += countStarted(op->getBlock()->begin(), op->getIterator());
  Operation *maker = product.getDefiningOp();
  count +=
      countStarted(maker ? std::next(maker->getIterator()) : block->begin(),
                   op->getIterator());
  if (isa_and_present<AsyncDotOp>(maker))
    return count;
  if (!onPath.insert(product).second)
    return noProduct;
  int64_t least = noProduct;
  for (OpOperand *source : getSources(product))
    least = std::min(
        least, countStartedAfter(source->get(), source->getOwner(), onPath));
  onPath.erase(product);
  return std::min(noProduct, count + least);
}

/// The products that are started at most, and the fewest that a wait leaves
/// running, in one run of the op.
struct Most {
  int64_t started = 0;
  int64_t leftRunning = noProduct;
};

Most getMost(Operation *op) {
  Most most;
  op->walk([&](Operation *nested) {
    if (isa<AsyncDotOp>(nested)) {
      auto loop = nested->getParentOfType<LoopLikeOpInterface>();
      most.started =
          loop && op->isAncestor(loop) ? noProduct : most.started + 1;
    } else if (auto wait = dyn_cast<AsyncDotWaitOp>(nested)) {
      most.leftRunning =
          std::min<int64_t>(most.leftRunning, wait.getPendings());
    }
  });
  return most;
}

/// Goes back from an op on one way that leads to it.
class BackwardWalk {
public:
  BackwardWalk(Operation *start, function_ref<void(AsyncDotOp, Value)> visit)
      : start(start), visit(visit) {}

  /// Goes on in front of `op`, of all products in front of which `left` may run
  /// on at the start.
  void goOn(Operation *op, Value index, int64_t left) {
    Block *block = op->getBlock();
    for (Operation &before :
         llvm::reverse(llvm::make_range(block->begin(), op->getIterator()))) {
      if (auto loop = dyn_cast<scf::ForOp>(before);
          loop && getMost(loop).started > 0)
        return enterFromEnd(loop, index, left);
      if (auto dot = dyn_cast<AsyncDotOp>(before))
        visit(dot, index);
      Most most = getMost(&before);
      left = std::min(left, most.leftRunning) - most.started;
      if (left <= 0)
        return;
    }
    leaveThroughStart(block, index, left);
  }

private:
  void enterFromEnd(scf::ForOp loop, Value index, int64_t left) {
    Operation *yield = loop.getBody()->getTerminator();
    if (index.getDefiningOp() == loop)
      index = yield->getOperand(cast<OpResult>(index).getResultNumber());
    goOn(yield, index, left);
  }

  void leaveThroughStart(Block *block, Value index, int64_t left) {
    Operation *parent = block->getParentOp();
    if (isa<scf::IfOp>(parent))
      return goOn(parent, index, left);
    auto loop = dyn_cast<scf::ForOp>(parent);
    // A condition around the start may be one of the turn.
    if (!loop || isConditionalIn(loop))
      return;
    bool isCarried = llvm::is_contained(loop.getRegionIterArgs(), index);
    if (!isCarried && !loop.isDefinedOutsideOfLoop(index))
      return;
    auto arg = dyn_cast<BlockArgument>(index);
    if (turned.insert(loop).second)
      goOn(block->getTerminator(),
           isCarried ? loop.getTiedLoopYieldedValue(arg)->get() : index, left);
    goOn(loop, isCarried ? loop.getTiedLoopInit(arg)->get() : index, left);
  }

  bool isConditionalIn(scf::ForOp loop) const {
    if (!loop->isProperAncestor(start))
      return false;
    for (Operation *op = start->getParentOp(); op != loop;
         op = op->getParentOp())
      if (isa<scf::IfOp>(op))
        return true;
    return false;
  }

  Operation *start;
  function_ref<void(AsyncDotOp, Value)> visit;
  DenseSet<Operation *> turned;
};

} // namespace

void visitRunningProducts(Operation *op, Value index,
                          function_ref<void(AsyncDotOp, Value)> visit) {
  BackwardWalk(op, visit).goOn(op, index, noProduct);
}

bool endsProduct(AsyncDotWaitOp wait) {
  DenseSet<Value> onPath;
  return countStartedAfter(wait.getInput(), wait, onPath) >=
         static_cast<int64_t>(wait.getPendings());
}

} // namespace tlx
