#include "plugins/tlx/IR/TLX.h"
#include "plugins/tlx/Transforms/Layouts.h"
#include "plugins/tlx/Transforms/TiedValues.h"
#include "triton/Analysis/AxisInfo.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"
#include "triton/Dialect/TritonGPU/Transforms/Utility.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace tlx {

namespace {

bool isReadByDot(const llvm::SetVector<Value> &buffers) {
  return llvm::any_of(buffers, [](Value buffer) {
    return llvm::any_of(buffer.getUsers(), llvm::IsaPred<AsyncDotOp>);
  });
}

/// The pointers whose data the op puts into a buffer, or null.
Value getPointersWritten(Operation *op) {
  if (auto copy = dyn_cast<AsyncLoadOp>(op))
    return copy.getPointers();
  if (auto store = dyn_cast<LocalStoreOp>(op))
    if (auto load = store.getValue().getDefiningOp<triton::LoadOp>())
      return load.getPtr();
  return {};
}

/// The order of dimensions in memory, fastest first: that of the global memory
/// the buffers are filled from where all writers agree, so that each can move
/// several elements at once; else rows.
SmallVector<unsigned> chooseOrder(BufferType type,
                                  const llvm::SetVector<Value> &buffers,
                                  triton::ModuleAxisInfoAnalysis &axisInfo) {
  SmallVector<unsigned> rows = llvm::to_vector(
      llvm::reverse(llvm::seq<unsigned>(0, type.getShape().size() - 1)));
  SmallVector<unsigned> order;
  for (Value buffer : buffers)
    for (OpOperand &use : buffer.getUses()) {
      Value pointers = getPointersWritten(use.getOwner());
      auto *info = pointers ? axisInfo.getAxisInfo(pointers) : nullptr;
      if (!info)
        continue;
      SmallVector<unsigned> wanted(
          getOrderFromContiguity(llvm::to_vector(info->getContiguity())));
      if (!order.empty() && order != wanted)
        return rows;
      order = wanted;
    }
  return order.empty() ? rows : order;
}

/// WGMMA reads operands of other than 16 bits with K as the contiguous
/// dimension only (PTX ISA, "Strides" of wgmma matrix descriptors).
LogicalResult checkOperands(const llvm::SetVector<Value> &buffers,
                            ArrayRef<unsigned> order, Type element) {
  if (element.getIntOrFloatBitWidth() == 16)
    return success();
  for (Value buffer : buffers)
    for (OpOperand &use : buffer.getUses())
      if (auto dot = dyn_cast<AsyncDotOp>(use.getOwner())) {
        bool isA = &use == &dot.getAMutable();
        if (order[0] != (isA ? 1u : 0u))
          return dot.emitError("reads ")
                 << (isA ? "a" : "b") << " of " << element
                 << " with K not contiguous in memory; wgmma transposes 16-bit "
                    "elements only, so load it with K contiguous";
      }
  return success();
}

/// The layout of one buffer, which is what the dimensions after the first of
/// the allocation describe.
Attribute chooseLayout(BufferType type, ArrayRef<unsigned> order,
                       bool readByDot) {
  ArrayRef<int64_t> shape = type.getShape().drop_front();
  MLIRContext *context = type.getContext();
  auto cgaLayout = ttg::CGAEncodingAttr::get1CTALayout(context, shape.size());
  if (readByDot)
    return ttg::NVMMASharedEncodingAttr::get(context, shape, order, cgaLayout,
                                             type.getElementType(),
                                             /*fp4Padded=*/false);
  return ttg::SwizzledSharedEncodingAttr::get(
      context, /*vec=*/1, /*perPhase=*/1, /*maxPhase=*/1, order, cgaLayout);
}

Type getMemDescType(BufferType type, Attribute layout) {
  auto space = ttg::SharedMemorySpaceAttr::get(type.getContext());
  return ttg::MemDescType::get(type.getShape(), type.getElementType(), layout,
                               space, /*mutableMemory=*/true);
}

} // namespace

LogicalResult setBufferLayouts(ModuleOp module) {
  WalkResult calls = module.walk([](triton::CallOp call) -> WalkResult {
    auto isBuffer = [](Type type) { return isa<BufferType>(type); };
    if (llvm::any_of(call->getOperandTypes(), isBuffer) ||
        llvm::any_of(call->getResultTypes(), isBuffer))
      return call.emitError("passes a buffer to a function that is not "
                            "inlined; remove noinline from it");
    return WalkResult::advance();
  });
  if (calls.wasInterrupted())
    return failure();

  triton::ModuleAxisInfoAnalysis axisInfo(module);
  SmallVector<LocalAllocOp> allocs;
  module.walk([&](LocalAllocOp alloc) { allocs.push_back(alloc); });
  for (LocalAllocOp alloc : allocs) {
    Value result = alloc->getResult(0);
    if (!isa<BufferType>(result.getType()))
      continue; // Tied to an allocation that was handled before.
    BufferType type = alloc.getType();
    llvm::SetVector<Value> buffers = collectTied(result);
    SmallVector<unsigned> order = chooseOrder(type, buffers, axisInfo);
    bool readByDot = isReadByDot(buffers);
    if (readByDot &&
        failed(checkOperands(buffers, order, type.getElementType())))
      return failure();
    Attribute layout = chooseLayout(type, order, readByDot);
    for (Value buffer : buffers)
      buffer.setType(
          getMemDescType(cast<BufferType>(buffer.getType()), layout));
  }
  return success();
}

} // namespace tlx
