#include "mlir/Dialect/Arith/IR/Arith.h"
#include "plugins/tlx/Transforms/Lowering.h"
#include "triton/Dialect/TritonNvidiaGPU/IR/Dialect.h"

using namespace mlir;
namespace ttng = mlir::triton::nvidia_gpu;

namespace tlx {

namespace {

Attribute getCachePolicy(MLIRContext *context, triton::EvictionPolicy evict) {
  if (evict == triton::EvictionPolicy::NORMAL)
    return {};
  return triton::CachePolicyAttr::get(context, triton::CacheModifier::NONE,
                                      evict);
}

} // namespace

LogicalResult lowerDescriptors(triton::FuncOp function) {
  replaceEach<AsyncDescriptorLoadOp>(
      function, [](OpBuilder &b, AsyncDescriptorLoadOp op) {
        Value predicate = op.getPredicate();
        if (!predicate)
          predicate =
              arith::ConstantIntOp::create(b, op.getLoc(), true, /*width=*/1);
        return ttng::AsyncTMACopyGlobalToLocalOp::create(
            b, op.getLoc(), op.getDescriptor(), op.getOffsets(),
            op.getBarrierMutable().get(), op.getDestinationMutable().get(),
            predicate, /*multicast=*/false,
            getCachePolicy(b.getContext(), op.getEvict()));
      });
  replaceEach<AsyncDescriptorStoreOp>(
      function,
      [](OpBuilder &b, AsyncDescriptorStoreOp op) -> Operation * {
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
  return success();
}

} // namespace tlx
