#include "plugins/tlx/Transforms/Passes.h"
#include "triton_plugin/DiagnosticRecorder.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace tlx {

#define GEN_PASS_DEF_TLXDRAINCOPIES
#include "plugins/tlx/Transforms/Passes.h.inc"

namespace {

/// The ops of one block, on the allocation's or a partition's level, that copy
/// into its buffers and use them last.
struct Lifetime {
  Operation *lastCopy = nullptr;
  Operation *lastUse = nullptr;
};

llvm::MapVector<Block *, Lifetime> getLifetimes(ttg::LocalAllocOp alloc) {
  llvm::MapVector<Block *, Lifetime> lifetimes;
  auto isLater = [](Operation *op, Operation *than) {
    return !than || than->isBeforeInBlock(op);
  };
  // Each buffer with the region whose ops the lifetime is made of: a
  // partition's own warps must wait for its copies.
  SmallVector<std::pair<Value, Region *>> buffers = {
      {alloc, alloc->getParentRegion()}};
  while (!buffers.empty()) {
    auto [buffer, level] = buffers.pop_back_val();
    for (OpOperand &use : buffer.getUses()) {
      Operation *user = use.getOwner();
      Operation *top = level->findAncestorOpInRegion(*user);
      Lifetime &lifetime = lifetimes[top->getBlock()];
      if (isLater(top, lifetime.lastUse))
        lifetime.lastUse = top;
      if (isa<ttg::AsyncCopyGlobalToLocalOp>(user) &&
          isLater(top, lifetime.lastCopy))
        lifetime.lastCopy = top;
      for (Value result : user->getResults())
        if (isa<ttg::MemDescType>(result.getType()))
          buffers.push_back({result, level});
      if (auto partitions = dyn_cast<ttg::WarpSpecializePartitionsOp>(user))
        for (Region &partition : partitions.getPartitionRegions())
          buffers.push_back(
              {partition.getArgument(use.getOperandNumber()), &partition});
    }
  }
  return lifetimes;
}

/// Loops that stock Triton pipelines have its own waits.
bool waitsForAll(Operation *op) {
  if (auto wait = dyn_cast<ttg::AsyncWaitOp>(op))
    return wait.getNum() == 0;
  auto wait = dyn_cast<AsyncWaitOp>(op);
  return wait && wait.getPendings() == 0;
}

/// True if all copies have ended when the op after the last use starts.
bool isDrained(const Lifetime &lifetime) {
  Operation *next = lifetime.lastUse->getNextNode();
  if (next && waitsForAll(next))
    return true;
  for (Operation *op = lifetime.lastCopy; op != next; op = op->getNextNode())
    if (waitsForAll(op))
      return true;
  return false;
}

void drainAfter(Operation *op) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  AsyncWaitOp::create(builder, op->getLoc(),
                      ttg::AsyncTokenType::get(op->getContext()), ValueRange(),
                      /*pendings=*/0);
}

struct DrainCopies : impl::TLXDrainCopiesBase<DrainCopies> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    getOperation().walk([](ttg::LocalAllocOp alloc) {
      for (auto &[block, lifetime] : getLifetimes(alloc))
        if (lifetime.lastCopy && !isDrained(lifetime))
          drainAfter(lifetime.lastUse);
    });
  }
};

} // namespace
} // namespace tlx
