#include "plugins/warp_spec/Transforms/Loads.h"
#include "plugins/warp_spec/IR/WarpSpec.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
namespace tt = mlir::triton;
namespace ttg = mlir::triton::gpu;

namespace warp_spec {

ttg::LocalAllocOp getFilledAlloc(Operation *load) {
  ttg::LocalAllocOp found;
  for (Operation *user : load->getResult(0).getUsers()) {
    auto alloc = dyn_cast<ttg::LocalAllocOp>(user);
    if (!alloc)
      continue;
    if (found || alloc->getBlock() != load->getBlock())
      return {};
    found = alloc;
  }
  return found;
}

int64_t getTileBytes(Operation *load) {
  auto type = cast<RankedTensorType>(load->getResult(0).getType());
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

SmallVector<scf::ForOp> getRoots(ModuleOp module) {
  SmallVector<scf::ForOp> roots;
  module.walk([&](scf::ForOp loop) {
    if (loop->hasAttr(planAttrName))
      roots.push_back(loop);
  });
  return roots;
}

ProducerSlice::ProducerSlice(scf::ForOp root, ArrayRef<Operation *> seeds)
    : root(root) {
  for (Operation *seed : seeds)
    need(seed);
}

void ProducerSlice::need(Operation *op) {
  if (!root->isAncestor(op) || !ops.insert(op))
    return;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    need(loop.getLowerBound());
    need(loop.getUpperBound());
    need(loop.getStep());
  } else {
    for (Value operand : op->getOperands())
      need(operand);
    // An op with regions is taken whole.
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (!op->isAncestor(operand.getParentRegion()->getParentOp()))
          need(operand);
    });
  }
  if (op != root)
    need(op->getParentOp());
}

void ProducerSlice::need(Value value) {
  auto loop = dyn_cast_or_null<scf::ForOp>(
      isa<BlockArgument>(value)
          ? cast<BlockArgument>(value).getOwner()->getParentOp()
          : value.getDefiningOp());
  if (!loop || !root->isAncestor(loop)) {
    if (Operation *op = value.getDefiningOp())
      need(op);
    return;
  }
  // A loop's result or argument: what the loop carries there.
  need(loop.getOperation());
  auto arg = dyn_cast<BlockArgument>(value);
  if (!arg)
    arg = loop.getRegionIterArg(cast<OpResult>(value).getResultNumber());
  if (arg == loop.getInductionVar() || !carried.insert(arg).second)
    return;
  need(loop.getTiedLoopInit(arg)->get());
  need(loop.getTiedLoopYieldedValue(arg)->get());
}

Value getBase(Value pointer) {
  // The set guards against loops that carry a pointer round in a circle.
  llvm::SmallPtrSet<void *, 8> seen;
  while (seen.insert(pointer.getAsOpaquePointer()).second) {
    if (auto arg = dyn_cast<BlockArgument>(pointer)) {
      auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
      if (!loop)
        return isa<tt::FuncOp>(arg.getOwner()->getParentOp()) ? pointer
                                                              : Value();
      if (arg == loop.getInductionVar())
        return {};
      pointer = loop.getTiedLoopInit(arg)->get();
      continue;
    }
    Value next =
        llvm::TypeSwitch<Operation *, Value>(pointer.getDefiningOp())
            .Case([](tt::AddPtrOp op) { return op.getPtr(); })
            .Case<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp,
                  ttg::ConvertLayoutOp, tt::BitcastOp>(
                [](auto op) -> Value { return op.getSrc(); })
            .Case([](tt::MakeTensorDescOp op) { return op.getBase(); })
            .Case([&](scf::ForOp loop) -> Value {
              return loop.getInits()[cast<OpResult>(pointer).getResultNumber()];
            })
            .Default([](Operation *) { return Value(); });
    if (!next)
      return {};
    pointer = next;
  }
  return {};
}

} // namespace warp_spec
