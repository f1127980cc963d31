#include "plugins/tlx/Transforms/RunningProducts.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "plugins/tlx/Transforms/TiedValues.h"

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

} // namespace

bool endsProduct(AsyncDotWaitOp wait) {
  DenseSet<Value> onPath;
  return countStartedAfter(wait.getInput(), wait, onPath) >=
         static_cast<int64_t>(wait.getPendings());
}

} // namespace tlx
