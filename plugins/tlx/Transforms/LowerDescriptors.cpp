#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "plugins/tlx/Transforms/Lowering.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"
#include "triton/Dialect/TritonNvidiaGPU/IR/Dialect.h"
#include "triton/Dialect/TritonNvidiaGPU/Transforms/TMAUtilities.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;
namespace ttng = mlir::triton::nvidia_gpu;

namespace tlx {

namespace {

Attribute getCachePolicy(MLIRContext *context, triton::EvictionPolicy evict) {
  if (evict == triton::EvictionPolicy::NORMAL)
    return {};
  return triton::CachePolicyAttr::get(context, triton::CacheModifier::NONE,
                                      evict);
}

/// A descriptor is another proxy's memory; whoever uses it must take it over
/// (PTX ISA, "fence.proxy.tensormap").
Operation *takeFromSlot(OpBuilder &b, Location loc, Value slot, Type type) {
  ttng::TensormapFenceproxyAcquireOp::create(b, loc, slot);
  return ttng::ReinterpretTensorDescOp::create(b, loc, type, slot);
}

LogicalResult lowerMakeDescriptor(MakeDescriptorOp op) {
  OpBuilder b(op);
  auto described = triton::MakeTensorDescOp::create(
      b, op.getLoc(), op.getType(), op.getBase(), op.getShape(),
      op.getStrides(), op.getPadding());
  LogicalResult made = ttng::createTMADesc(op.getSlot(), described, b);
  described.erase();
  if (failed(made))
    return op.emitError("no tensor map can be made for a descriptor of ")
           << op.getType();
  if (!op.getResult().use_empty())
    op.getResult().replaceAllUsesWith(
        takeFromSlot(b, op.getLoc(), op.getSlot(), op.getType())->getResult(0));
  op.erase();
  return success();
}

Operation *lowerSlot(OpBuilder &b, DescriptorSlotOp op) {
  Value size =
      arith::ConstantIntOp::create(b, op.getLoc(), ttng::TMA_SIZE_BYTES,
                                   /*width=*/32);
  Value offset = arith::MulIOp::create(b, op.getLoc(), op.getIndex(), size);
  return triton::AddPtrOp::create(b, op.getLoc(), op.getType(), op.getSlots(),
                                  offset);
}

/// One op for each box of the block, since stock Triton's descriptors and
/// copies take them so.
void lowerPrefetch(AsyncDescriptorPrefetchOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  triton::TensorDescType type = op.getDescriptor().getType();
  ArrayRef<int64_t> block = type.getShape();
  SmallVector<int64_t> box =
      ttng::getTMABlockShape(type, /*packedSize=*/false, ttg::TMAMode::Tiled);
  Value predicate = createIsFirstWarp(b, loc);
  if (op.getPredicate())
    predicate = arith::AndIOp::create(b, loc, predicate, op.getPredicate());
  for (SmallVector<int64_t> first : StaticTileOffsetRange(block, box)) {
    SmallVector<Value> offsets;
    for (auto [offset, delta] : llvm::zip(op.getOffsets(), first))
      offsets.push_back(arith::AddIOp::create(
          b, loc, offset,
          arith::ConstantIntOp::create(b, loc, delta, /*width=*/32)));
    AsyncDescriptorPrefetchOp::create(b, loc, op.getDescriptor(), offsets,
                                      predicate, op.getEvict());
  }
  op.erase();
}

/// The predicate of a copy that goes to the blocks of the cluster with these
/// ranks.
Value createMulticast(OpBuilder &b, Location loc, Value predicate,
                      ValueRange targets) {
  Value one = arith::ConstantIntOp::create(b, loc, 1, /*width=*/32);
  Value mask;
  for (Value target : targets) {
    Value bit = arith::ShLIOp::create(b, loc, one, target);
    mask = mask ? arith::OrIOp::create(b, loc, mask, bit) : bit;
  }
  return MulticastOp::create(b, loc, b.getI1Type(), predicate, mask);
}

} // namespace

LogicalResult lowerDescriptors(triton::FuncOp function) {
  replaceEach<AllocDescriptorsOp>(
      function, [](OpBuilder &b, AllocDescriptorsOp op) {
        return ttg::GlobalScratchAllocOp::create(
            b, op.getLoc(), op.getType(), op.getNum() * ttng::TMA_SIZE_BYTES,
            ttng::TMA_ALIGN, /*third_party_allocation=*/UnitAttr());
      });
  replaceEach<DescriptorSlotOp>(function, lowerSlot);
  WalkResult made = function.walk(
      [](MakeDescriptorOp op) { return WalkResult(lowerMakeDescriptor(op)); });
  if (made.wasInterrupted())
    return failure();
  replaceEach<ReinterpretDescriptorOp>(
      function, [](OpBuilder &b, ReinterpretDescriptorOp op) {
        return takeFromSlot(b, op.getLoc(), op.getSlot(), op.getType());
      });
  replaceEach<AsyncDescriptorLoadOp>(function, [](OpBuilder &b,
                                                  AsyncDescriptorLoadOp op) {
    Value predicate = op.getPredicate();
    if (!predicate)
      predicate =
          arith::ConstantIntOp::create(b, op.getLoc(), true, /*width=*/1);
    if (!op.getTargets().empty())
      predicate = createMulticast(b, op.getLoc(), predicate, op.getTargets());
    return ttng::AsyncTMACopyGlobalToLocalOp::create(
        b, op.getLoc(), op.getDescriptor(), op.getOffsets(),
        op.getBarrierMutable().get(), op.getDestinationMutable().get(),
        predicate, /*multicast=*/false,
        getCachePolicy(b.getContext(), op.getEvict()));
  });
  replaceEach<AsyncDescriptorStoreOp>(
      function, [](OpBuilder &b, AsyncDescriptorStoreOp op) -> Operation * {
        Value source = op.getSourceMutable().get();
        if (auto kind = op.getReduce())
          return ttng::AsyncTMAReduceOp::create(b, op.getLoc(), *kind,
                                                op.getDescriptor(),
                                                op.getOffsets(), source);
        return ttng::AsyncTMACopyLocalToGlobalOp::create(
            b, op.getLoc(), op.getDescriptor(), op.getOffsets(), source,
            getCachePolicy(b.getContext(), op.getEvict()));
      });
  replaceEach<AsyncDescriptorStoreWaitOp>(
      function, [](OpBuilder &b, AsyncDescriptorStoreWaitOp op) {
        return ttng::TMAStoreWaitOp::create(b, op.getLoc(), op.getPendings(),
                                            op.getReadOnly());
      });
  SmallVector<AsyncDescriptorPrefetchOp> prefetches;
  function.walk(
      [&](AsyncDescriptorPrefetchOp op) { prefetches.push_back(op); });
  llvm::for_each(prefetches, lowerPrefetch);
  replaceEach<PrefetchDescriptorOp>(
      function, [](OpBuilder &b, PrefetchDescriptorOp op) {
        return PrefetchDescriptorOp::create(b, op.getLoc(), op.getDescriptor(),
                                            createIsFirstWarp(b, op.getLoc()));
      });
  return success();
}

} // namespace tlx
