#include "triton_plugin/SharedMemory.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace triton_plugin {

SideEffects::Resource *getSharedMemory(MLIRContext *context) {
  // Only Triton's code names its object, so one of its ops is asked.
  static SideEffects::Resource *resource = [&] {
    OpBuilder builder(context);
    auto layout = ttg::SwizzledSharedEncodingAttr::get(
        context, /*vec=*/1, /*perPhase=*/1, /*maxPhase=*/1,
        /*order=*/ArrayRef<unsigned>{0},
        ttg::CGAEncodingAttr::get1CTALayout(context, /*rank=*/1));
    auto type = ttg::MemDescType::get(
        ArrayRef<int64_t>{1}, builder.getI8Type(), layout,
        ttg::SharedMemorySpaceAttr::get(context), /*mutableMemory=*/true);
    OwningOpRef<ttg::LocalAllocOp> alloc = ttg::LocalAllocOp::create(
        builder, builder.getUnknownLoc(), type, /*src=*/Value());
    SmallVector<MemoryEffects::EffectInstance> effects;
    alloc->getEffects(effects);
    return effects.front().getResource();
  }();
  return resource;
}

} // namespace triton_plugin
