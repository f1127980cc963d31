#include "mlir/IR/IRMapping.h"
#include "plugins/warp_spec/Transforms/Loads.h"
#include "plugins/warp_spec/Transforms/Passes.h"
#include "triton/Dialect/TritonGPU/Transforms/Utility.h"
#include "triton_plugin/DiagnosticRecorder.h"
#include "triton_plugin/NumWarps.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace warp_spec {

#define GEN_PASS_DEF_WARPSPECPARTITION
#include "plugins/warp_spec/Transforms/Passes.h.inc"

namespace {

bool isProducerOp(Operation *op) {
  return isa<AcquireOp, DescriptorCopyOp, PublishOp,
             ttg::AsyncCopyGlobalToLocalOp>(op);
}

/// The producer's part of a root loop, in a partition of its own.
class ProducerBuilder {
public:
  ProducerBuilder(scf::ForOp root, Region &partition,
                  ttg::WarpSpecializePartitionsOp holder)
      : root(root), partition(partition), holder(holder) {
    root->walk([&](Operation *op) {
      if (isProducerOp(op))
        seeds.push_back(op);
    });
    slice.emplace(root, seeds);
  }

  void build() {
    OpBuilder b = OpBuilder::atBlockEnd(&partition.emplaceBlock());
    cloneLoop(b, root);
    ttg::WarpReturnOp::create(b, root.getLoc());
  }

  void eraseFromConsumers() {
    for (Operation *op : llvm::reverse(seeds)) {
      // Views of the acquired stage go with it.
      for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
        if (user->use_empty())
          user->erase();
      if (op->use_empty())
        op->erase();
    }
  }

private:
  /// The partition's value of one of the kernel's: captured if it is made in
  /// front of the root, remade if it is a tensor or a constant.
  Value lookup(OpBuilder &b, Value value) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    bool remake = op && (op->hasTrait<OpTrait::ConstantLike>() ||
                         isa<RankedTensorType>(value.getType()));
    if (remake) {
      // In front of everything that is there, once.
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(&partition.front(), remadeEnd());
      for (Value operand : op->getOperands())
        lookup(b, operand);
      b.setInsertionPoint(&partition.front(), remadeEnd());
      lastRemade = b.clone(*op, mapping);
      return mapping.lookup(value);
    }
    holder->insertOperands(holder->getNumOperands(), value);
    for (Region &region : holder.getPartitionRegions())
      region.addArgument(value.getType(), value.getLoc());
    mapping.map(value, partition.getArguments().back());
    return mapping.lookup(value);
  }

  Block::iterator remadeEnd() {
    return lastRemade ? std::next(lastRemade->getIterator())
                      : partition.front().begin();
  }

  void cloneLoop(OpBuilder &b, scf::ForOp loop) {
    SmallVector<BlockArgument> carried;
    SmallVector<Value> inits;
    for (BlockArgument arg : loop.getRegionIterArgs())
      if (slice->carries(arg)) {
        carried.push_back(arg);
        inits.push_back(lookup(b, loop.getTiedLoopInit(arg)->get()));
      }
    Value lower = lookup(b, loop.getLowerBound());
    Value upper = lookup(b, loop.getUpperBound());
    Value step = lookup(b, loop.getStep());
    auto clone =
        scf::ForOp::create(b, loop.getLoc(), lower, upper, step, inits);
    clone->setAttrs(loop->getAttrs());
    clone->removeAttr(planAttrName);
    mapping.map(loop.getInductionVar(), clone.getInductionVar());
    for (auto [arg, made, result] : llvm::zip_equal(
             carried, clone.getRegionIterArgs(), clone->getResults())) {
      mapping.map(arg, made);
      mapping.map(loop.getTiedLoopResult(arg), result);
    }

    Block *body = clone.getBody();
    if (!body->empty())
      body->clear();
    OpBuilder inner = OpBuilder::atBlockEnd(body);
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (!slice->contains(&op))
        continue;
      if (auto nested = dyn_cast<scf::ForOp>(op)) {
        cloneLoop(inner, nested);
        continue;
      }
      op.walk([&](Operation *nested) {
        for (Value operand : nested->getOperands())
          if (!root->isAncestor(operand.getParentRegion()->getParentOp()))
            lookup(inner, operand);
      });
      inner.clone(op, mapping);
    }
    SmallVector<Value> yielded;
    for (BlockArgument arg : carried)
      yielded.push_back(
          lookup(inner, loop.getTiedLoopYieldedValue(arg)->get()));
    scf::YieldOp::create(inner, loop.getLoc(), yielded);
  }

  scf::ForOp root;
  Region &partition;
  ttg::WarpSpecializePartitionsOp holder;
  SmallVector<Operation *> seeds;
  std::optional<ProducerSlice> slice;
  IRMapping mapping;
  Operation *lastRemade = nullptr;
};

void partitionRoot(scf::ForOp root) {
  auto plan = root->getAttrOfType<DictionaryAttr>(planAttrName);
  auto get = [&](StringRef name) -> int32_t {
    return cast<IntegerAttr>(plan.get(name)).getInt();
  };
  root->removeAttr(planAttrName);
  int32_t warps = get("producer_warps");

  OpBuilder b(root);
  auto specialized = ttg::WarpSpecializeOp::create(
      b, root.getLoc(), root.getResultTypes(), ArrayRef<int32_t>{warps},
      /*numPartitionRegions=*/1);
  specialized.setRequestedRegisters(
      ArrayRef<int32_t>{get("producer_registers")});
  ttg::WarpSpecializePartitionsOp holder = specialized.getPartitionOp();
  Region &partition = holder.getPartitionRegions().front();
  ProducerBuilder producer(root, partition, holder);
  producer.build();
  producer.eraseFromConsumers();
  triton_plugin::setNumWarps(partition, warps);

  root->replaceAllUsesWith(specialized->getResults());
  Block &consumers = specialized.getDefaultRegion().emplaceBlock();
  root->moveBefore(&consumers, consumers.end());
  b.setInsertionPointToEnd(&consumers);
  ttg::WarpYieldOp::create(b, root.getLoc(), root->getResults());
  // What only the producer's addresses needed is carried no longer.
  runDeadIterArgElimination(specialized->getParentOfType<triton::FuncOp>());
}

struct Partition : impl::WarpSpecPartitionBase<Partition> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    for (scf::ForOp root : getRoots(getOperation()))
      partitionRoot(root);
  }
};

} // namespace
} // namespace warp_spec
