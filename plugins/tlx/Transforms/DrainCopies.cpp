#include "plugins/tlx/Transforms/Passes.h"
#include "triton_plugin/DiagnosticRecorder.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace tlx {

#define GEN_PASS_DEF_TLXDRAINCOPIES
#include "plugins/tlx/Transforms/Passes.h.inc"

namespace {

/// The ops of the allocation's block between which its buffers live.
struct Lifetime {
  Operation *lastCopy = nullptr;
  Operation *lastUse = nullptr;
};

Lifetime getLifetime(ttg::LocalAllocOp alloc) {
  Lifetime lifetime;
  auto isLater = [](Operation *op, Operation *than) {
    return !than || than->isBeforeInBlock(op);
  };
  SmallVector<Value> buffers = {alloc};
  while (!buffers.empty()) {
    Value buffer = buffers.pop_back_val();
    for (Operation *user : buffer.getUsers()) {
      Operation *top = alloc->getBlock()->findAncestorOpInBlock(*user);
      if (isLater(top, lifetime.lastUse))
        lifetime.lastUse = top;
      if (isa<ttg::AsyncCopyGlobalToLocalOp>(user) &&
          isLater(top, lifetime.lastCopy))
        lifetime.lastCopy = top;
      for (Value result : user->getResults())
        if (isa<ttg::MemDescType>(result.getType()))
          buffers.push_back(result);
    }
  }
  return lifetime;
}

bool waitsForAll(Operation *op) {
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

struct DrainCopies : impl::TLXDrainCopiesBase<DrainCopies> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    getOperation().walk([](ttg::LocalAllocOp alloc) {
      Lifetime lifetime = getLifetime(alloc);
      if (!lifetime.lastCopy || isDrained(lifetime))
        return;
      OpBuilder builder(alloc.getContext());
      builder.setInsertionPointAfter(lifetime.lastUse);
      AsyncWaitOp::create(builder, lifetime.lastUse->getLoc(),
                          ttg::AsyncTokenType::get(alloc.getContext()),
                          ValueRange(), /*pendings=*/0);
    });
  }
};

} // namespace
} // namespace tlx
