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

} // namespace

BufferNeed getBufferNeed(OpOperand &use) {
  return llvm::TypeSwitch<Operation *, BufferNeed>(use.getOwner())
      .Case([&](AsyncDotOp dot) { return getNeedOfDot(dot, use); })
      .Case([](AsyncStoreOp) { return BufferNeed{.plain = true}; })
      .Default([](Operation *) { return BufferNeed(); });
}

} // namespace tlx
