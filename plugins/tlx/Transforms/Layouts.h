//===- Layouts.h - Layouts of accumulators and buffers ----------*- C++ -*-===//
//
// The parts of tlx-lower that decide. They set the types of values in
// place, so that the TLX ops around them are invalid until tlx-lower has
// replaced them.
//
//===----------------------------------------------------------------------===//

#ifndef TLX_TRANSFORMS_LAYOUTS_H
#define TLX_TRANSFORMS_LAYOUTS_H

#include "mlir/IR/BuiltinOps.h"

namespace tlx {

/// Marks the allocations whose layouts TLX chose and may still change.
inline constexpr llvm::StringLiteral managedAllocAttrName = "tlx.managed";

/// Marks what `async_dot` and `async_dot_wait` were lowered to: the kernel says
/// where to wait for these products.
inline constexpr llvm::StringLiteral explicitDotAttrName = "tlx.explicit";

/// Gives every `async_dot` accumulator, with the values it is tied to, the
/// register layout of WGMMA. Converts where such values are made from or used
/// by other ops. Fails where a product may still run at such a use.
mlir::LogicalResult setAccumulatorLayouts(mlir::ModuleOp module);

/// Decides where in a storage the allocations that share it lie. Each of them
/// covers it from its first byte afterwards, and the storage has its size.
mlir::LogicalResult planStorage(mlir::ModuleOp module);

/// Gives every buffer, with the views of it, a shared-memory layout.
mlir::LogicalResult setBufferLayouts(mlir::ModuleOp module);

/// Gives every descriptor the layout of the buffers it fills or empties, which
/// are known by then. Fails where these differ.
mlir::LogicalResult setDescriptorLayouts(mlir::ModuleOp module);

} // namespace tlx

#endif // TLX_TRANSFORMS_LAYOUTS_H
