//===- Loads.h - What the passes know about loads ---------------*- C++ -*-===//

#ifndef WARP_SPEC_TRANSFORMS_LOADS_H
#define WARP_SPEC_TRANSFORMS_LOADS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Operation.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"
#include "llvm/ADT/SetVector.h"

namespace warp_spec {

/// The allocation that holds what a load loads in the form that products read,
/// or null if there is none or there are several.
mlir::triton::gpu::LocalAllocOp getFilledAlloc(mlir::Operation *load);

/// Bytes of the tile that a load loads.
int64_t getTileBytes(mlir::Operation *load);

/// The loops that warp-spec-plan made roots.
llvm::SmallVector<mlir::scf::ForOp> getRoots(mlir::ModuleOp module);

/// What a producer needs of a loop: the ops of `seeds` and, transitively, what
/// makes their operands and the bounds of the loops around them, up to and
/// including `root`. Block arguments of the loops stand for what is carried.
struct ProducerSlice {
  ProducerSlice(mlir::scf::ForOp root, llvm::ArrayRef<mlir::Operation *> seeds);

  bool contains(mlir::Operation *op) const { return ops.contains(op); }
  bool carries(mlir::BlockArgument arg) const { return carried.contains(arg); }

  /// In no order that means anything; seeds included.
  llvm::SetVector<mlir::Operation *> ops;

private:
  void need(mlir::Value value);
  void need(mlir::Operation *op);

  mlir::scf::ForOp root;
  llvm::DenseSet<mlir::Value> carried;
};

/// The function argument, or the op in front of `root`, that a pointer or a
/// descriptor is made from; null if that can't be seen.
mlir::Value getBase(mlir::Value pointer);

} // namespace warp_spec

#endif // WARP_SPEC_TRANSFORMS_LOADS_H
