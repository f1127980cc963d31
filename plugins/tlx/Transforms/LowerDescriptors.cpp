#include "mlir/Dialect/Arith/IR/Arith.h"
#include "plugins/tlx/Transforms/Layouts.h"
#include "plugins/tlx/Transforms/Lowering.h"
#include "plugins/tlx/Transforms/TiedValues.h"
#include "triton/Dialect/TritonNvidiaGPU/IR/Dialect.h"

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

/// All values that a descriptor comes from or becomes, itself included.
llvm::SetVector<Value> collectSame(Value descriptor) {
  llvm::SetVector<Value> same;
  same.insert(descriptor);
  // The set grows while it is walked.
  for (size_t i = 0; i < same.size(); ++i) {
    Value value = same[i];
    for (OpOperand *source : getSources(value))
      same.insert(source->get());
    for (OpOperand &use : value.getUses())
      same.insert_range(getDestinations(use));
  }
  return same;
}

/// The layout of a descriptor's block, which may have leading dimensions of one
/// element that the buffer lacks.
Attribute getBlockLayout(Attribute layout, int64_t rank) {
  auto nvmma = dyn_cast<ttg::NVMMASharedEncodingAttr>(layout);
  if (!nvmma || nvmma.getCGALayout().getRank() == rank)
    return layout;
  return ttg::NVMMASharedEncodingAttr::get(
      layout.getContext(), nvmma.getSwizzlingByteWidth(), nvmma.getTransposed(),
      nvmma.getElementBitWidth(), nvmma.getFp4Padded(),
      ttg::CGAEncodingAttr::get1CTALayout(layout.getContext(), rank));
}

/// Gives a descriptor, with all values that are the same, the layout of a
/// buffer.
LogicalResult setLayout(Operation *op, Value descriptor,
                        Attribute bufferLayout) {
  for (Value value : collectSame(descriptor)) {
    auto type = cast<triton::TensorDescType>(value.getType());
    Attribute layout = getBlockLayout(bufferLayout, type.getShape().size());
    if (type.getSharedLayout() && type.getSharedLayout() != layout)
      return op->emitError("copies a buffer of layout ")
             << layout << " through a descriptor that is used with "
             << type.getSharedLayout()
             << " elsewhere; use one descriptor for each layout";
    value.setType(triton::TensorDescType::get(type.getShape(),
                                              type.getElementType(), layout));
  }
  return success();
}

} // namespace

LogicalResult setDescriptorLayouts(ModuleOp module) {
  WalkResult walk = module.walk([](Operation *op) -> WalkResult {
    Value descriptor, buffer;
    if (auto load = dyn_cast<AsyncDescriptorLoadOp>(op)) {
      descriptor = load.getDescriptor();
      buffer = load.getDestinationMutable().get();
    } else if (auto store = dyn_cast<AsyncDescriptorStoreOp>(op)) {
      descriptor = store.getDescriptor();
      buffer = store.getSourceMutable().get();
    } else {
      return WalkResult::advance();
    }
    return setLayout(op, descriptor,
                     cast<ttg::MemDescType>(buffer.getType()).getEncoding());
  });
  if (walk.wasInterrupted())
    return failure();
  for (auto function : module.getOps<triton::FuncOp>())
    if (!function.isExternal())
      function.setType(FunctionType::get(
          module.getContext(), function.getBody().front().getArgumentTypes(),
          function.getResultTypes()));
  return success();
}

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
  return success();
}

} // namespace tlx
