#include "plugins/tlx/IR/TLX.h"
#include "plugins/tlx/Transforms/Layouts.h"
#include "plugins/tlx/Transforms/TiedValues.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace tlx {

namespace {

bool isReadByDot(const llvm::SetVector<Value> &buffers) {
  return llvm::any_of(buffers, [](Value buffer) {
    return llvm::any_of(buffer.getUsers(), llvm::IsaPred<AsyncDotOp>);
  });
}

/// The layout of one buffer, which is what the dimensions after the first of
/// the allocation describe.
Attribute chooseLayout(LocalAllocOp alloc,
                       const llvm::SetVector<Value> &buffers) {
  BufferType type = alloc.getType();
  ArrayRef<int64_t> shape = type.getShape().drop_front();
  auto order = llvm::to_vector(
      llvm::reverse(llvm::seq<unsigned>(0, shape.size())));
  auto cgaLayout =
      ttg::CGAEncodingAttr::get1CTALayout(alloc.getContext(), shape.size());
  if (!isReadByDot(buffers))
    return ttg::SwizzledSharedEncodingAttr::get(
        alloc.getContext(), /*vec=*/1, /*perPhase=*/1, /*maxPhase=*/1, order,
        cgaLayout);
  return ttg::NVMMASharedEncodingAttr::get(
      alloc.getContext(), shape, order, cgaLayout, type.getElementType(),
      /*fp4Padded=*/false);
}

/// WGMMA reads b with K as the contiguous dimension unless its elements have
/// 16 bits (PTX ISA, "Strides" of wgmma matrix descriptors).
LogicalResult checkOperandB(AsyncDotOp dot) {
  unsigned bits = dot.getB().getType().getElementType().getIntOrFloatBitWidth();
  if (bits == 16)
    return success();
  return dot.emitError("reads b from rows of N elements of ")
         << bits << " bits, but wgmma transposes 16-bit elements only";
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
  WalkResult dots = module.walk([](AsyncDotOp dot) {
    return WalkResult(checkOperandB(dot));
  });
  if (calls.wasInterrupted() || dots.wasInterrupted())
    return failure();

  SmallVector<LocalAllocOp> allocs;
  module.walk([&](LocalAllocOp alloc) { allocs.push_back(alloc); });
  for (LocalAllocOp alloc : allocs) {
    Value result = alloc->getResult(0);
    if (!isa<BufferType>(result.getType()))
      continue; // Tied to an allocation that was handled before.
    llvm::SetVector<Value> buffers = collectTied(result);
    Attribute layout = chooseLayout(alloc, buffers);
    for (Value buffer : buffers)
      buffer.setType(
          getMemDescType(cast<BufferType>(buffer.getType()), layout));
  }
  return success();
}

} // namespace tlx
