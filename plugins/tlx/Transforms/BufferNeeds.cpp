#include "plugins/tlx/Transforms/BufferNeeds.h"
#include "plugins/tlx/IR/TLX.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tlx {

namespace {

/// WGMMA reads operands of other than 16 bits with K as the contiguous
/// dimension only (PTX ISA, "Strides" of wgmma matrix descriptors).
BufferNeed getNeedOfDot(AsyncDotOp dot, OpOperand &use) {
  auto buffer = dyn_cast<BufferType>(use.get().getType());
  if (!buffer)
    return {};
  if (buffer.getElementType().getIntOrFloatBitWidth() == 16)
    return {.nvmma = true};
  bool isA = &use == &dot.getAMutable();
  return {.nvmma = true,
          .order =
              isA ? SmallVector<unsigned>{1, 0} : SmallVector<unsigned>{0, 1}};
}

/// TMA swizzles as WGMMA does, and the last dimension of a block is contiguous
/// (PTX ISA, "Tensor swizzling modes").
BufferNeed getNeedOfDescriptor(OpOperand &use) {
  auto buffer = cast<BufferType>(use.get().getType());
  auto order = llvm::to_vector(
      llvm::reverse(llvm::seq<unsigned>(0, buffer.getShape().size())));
  return {.nvmma = true, .order = order};
}

} // namespace

BufferNeed getBufferNeed(OpOperand &use) {
  return llvm::TypeSwitch<Operation *, BufferNeed>(use.getOwner())
      .Case([&](AsyncDotOp dot) { return getNeedOfDot(dot, use); })
      .Case([](AsyncStoreOp) { return BufferNeed{.plain = true}; })
      .Case([&](AsyncBulkLoadOp load) {
        return BufferNeed{.plain = &use == &load.getDestinationMutable()};
      })
      .Case([&](AsyncDescriptorLoadOp load) {
        return &use == &load.getDestinationMutable() ? getNeedOfDescriptor(use)
                                                     : BufferNeed();
      })
      .Case([&](AsyncDescriptorStoreOp store) {
        return &use == &store.getSourceMutable() ? getNeedOfDescriptor(use)
                                                 : BufferNeed();
      })
      .Default([](Operation *) { return BufferNeed(); });
}

} // namespace tlx
