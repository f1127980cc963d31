#include "plugins/tlx/Transforms/TiedValues.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "plugins/tlx/IR/TLX.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace tlx {

namespace {

/// True if the op's result is its first operand, a buffer or slots of
/// descriptors, with what the op does to it.
bool isViewOfFirst(Operation *op) {
  // Other dimensions have another layout.
  if (auto reinterpret = dyn_cast<LocalReinterpretOp>(op)) {
    if (reinterpret.getLayout())
      return false;
    auto getRank = [](Value value) -> size_t {
      if (auto buffer = dyn_cast<BufferType>(value.getType()))
        return buffer.getShape().size();
      return cast<ttg::MemDescType>(value.getType()).getShape().size();
    };
    return getRank(op->getOperand(0)) == getRank(op->getResult(0));
  }
  return isa<LocalViewOp, LocalSliceOp, LocalTransOp, DescriptorSlotOp>(op);
}

SmallVector<OpOperand *> getSourcesOfBlockArgument(BlockArgument arg) {
  Operation *parent = arg.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    if (arg == loop.getInductionVar())
      return {};
    return {loop.getTiedLoopInit(arg), loop.getTiedLoopYieldedValue(arg)};
  }
  if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    unsigned index = arg.getArgNumber();
    if (arg.getOwner() == loop.getBeforeBody())
      return {&loop.getInitsMutable()[index],
              &loop.getYieldOp().getResultsMutable()[index]};
    return {&loop.getConditionOp().getArgsMutable()[index]};
  }
  if (auto partitions = dyn_cast<ttg::WarpSpecializePartitionsOp>(parent))
    return {&partitions.getExplicitCapturesMutable()[arg.getArgNumber()]};
  return {};
}

SmallVector<OpOperand *> getSourcesOfResult(OpResult result) {
  unsigned index = result.getResultNumber();
  return llvm::TypeSwitch<Operation *, SmallVector<OpOperand *>>(
             result.getOwner())
      .Case([&](scf::ForOp loop) {
        BlockArgument arg = loop.getRegionIterArg(index);
        return getSourcesOfBlockArgument(arg);
      })
      .Case([&](scf::IfOp branch) -> SmallVector<OpOperand *> {
        return {&branch.thenYield().getResultsMutable()[index],
                &branch.elseYield().getResultsMutable()[index]};
      })
      .Case([&](scf::WhileOp loop) -> SmallVector<OpOperand *> {
        return {&loop.getConditionOp().getArgsMutable()[index]};
      })
      .Case([&](ttg::WarpSpecializeOp tasks) -> SmallVector<OpOperand *> {
        Operation *yield = tasks.getDefaultRegion().front().getTerminator();
        return {&yield->getOpOperand(index)};
      })
      .Case([](AsyncDotOp dot) -> SmallVector<OpOperand *> {
        return {&dot.getAccumulatorMutable()};
      })
      .Case([](AsyncDotWaitOp wait) -> SmallVector<OpOperand *> {
        return {&wait.getInputMutable()};
      })
      .Default([](Operation *op) -> SmallVector<OpOperand *> {
        if (isViewOfFirst(op))
          return {&op->getOpOperand(0)};
        return {};
      });
}

SmallVector<Value> getDestinationsOfYield(scf::YieldOp yield, unsigned index) {
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(yield->getParentOp())
      .Case([&](scf::ForOp loop) -> SmallVector<Value> {
        return {loop.getRegionIterArg(index), loop.getResult(index)};
      })
      .Case([&](scf::IfOp branch) -> SmallVector<Value> {
        return {branch.getResult(index)};
      })
      .Case([&](scf::WhileOp loop) -> SmallVector<Value> {
        return {loop.getBeforeArguments()[index]};
      })
      .Default([](Operation *) { return SmallVector<Value>(); });
}

} // namespace

SmallVector<OpOperand *> getSources(Value value) {
  if (auto arg = dyn_cast<BlockArgument>(value))
    return getSourcesOfBlockArgument(arg);
  return getSourcesOfResult(cast<OpResult>(value));
}

SmallVector<Value> getDestinations(OpOperand &operand) {
  unsigned index = operand.getOperandNumber();
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(operand.getOwner())
      .Case([&](scf::ForOp loop) -> SmallVector<Value> {
        if (index < loop.getNumControlOperands())
          return {};
        unsigned carried = index - loop.getNumControlOperands();
        return {loop.getRegionIterArg(carried), loop.getResult(carried)};
      })
      .Case([&](scf::WhileOp loop) -> SmallVector<Value> {
        return {loop.getBeforeArguments()[index]};
      })
      .Case([&](scf::ConditionOp condition) -> SmallVector<Value> {
        if (index == 0)
          return {};
        auto loop = cast<scf::WhileOp>(condition->getParentOp());
        return {loop.getAfterArguments()[index - 1], loop.getResult(index - 1)};
      })
      .Case([&](scf::YieldOp yield) {
        return getDestinationsOfYield(yield, index);
      })
      .Case([&](ttg::WarpSpecializePartitionsOp partitions) {
        return llvm::map_to_vector(
            partitions.getPartitionRegions(),
            [&](Region &region) -> Value { return region.getArgument(index); });
      })
      .Case([&](ttg::WarpYieldOp yield) -> SmallVector<Value> {
        return {yield->getParentOp()->getResult(index)};
      })
      .Case([&](AsyncDotOp dot) -> SmallVector<Value> {
        if (&operand == &dot.getAccumulatorMutable())
          return {dot.getResult()};
        return {};
      })
      .Case([](AsyncDotWaitOp wait) -> SmallVector<Value> {
        return {wait.getResult()};
      })
      .Default([&](Operation *op) -> SmallVector<Value> {
        if (index == 0 && isViewOfFirst(op))
          return {op->getResult(0)};
        return {};
      });
}

llvm::SetVector<Value> collectTied(Value seed) {
  llvm::SetVector<Value> tied;
  tied.insert(seed);
  // The set grows while it is walked.
  for (size_t i = 0; i < tied.size(); ++i) {
    Value value = tied[i];
    for (OpOperand *source : getSources(value)) {
      if (!getSources(source->get()).empty() ||
          isa<BufferType>(source->get().getType()))
        tied.insert(source->get());
      // A loop's argument and result have one type, also where what the loop
      // starts with and yields is made anew.
      tied.insert_range(getDestinations(*source));
    }
    for (OpOperand &use : value.getUses())
      for (Value destination : getDestinations(use))
        tied.insert(destination);
  }
  return tied;
}

} // namespace tlx
