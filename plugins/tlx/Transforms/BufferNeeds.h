//===- BufferNeeds.h - What ops need of their buffers' memory ---*- C++ -*-===//

#ifndef TLX_TRANSFORMS_BUFFERNEEDS_H
#define TLX_TRANSFORMS_BUFFERNEEDS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace tlx {

struct BufferNeed {
  /// The buffer must have an `nvmma_shared` layout, the only ones that WGMMA
  /// and TMA know.
  bool nvmma = false;
  /// The buffer's bytes must lie in the order of its elements: no swizzle.
  bool plain = false;
  /// The order of the buffer's dimensions in memory, fastest first, as the op
  /// sees the buffer; empty if any will do.
  llvm::SmallVector<unsigned> order = {};
};

/// What the op of `use` needs of the buffer that is its operand.
BufferNeed getBufferNeed(mlir::OpOperand &use);

} // namespace tlx

#endif // TLX_TRANSFORMS_BUFFERNEEDS_H
