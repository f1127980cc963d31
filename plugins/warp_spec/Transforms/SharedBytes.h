//===- SharedBytes.h - Shared memory beside the channels --------*- C++ -*-===//

#ifndef WARP_SPEC_TRANSFORMS_SHAREDBYTES_H
#define WARP_SPEC_TRANSFORMS_SHAREDBYTES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

namespace warp_spec {

/// What takes shared memory while the channels of `root` do: allocations of the
/// function, and the largest tile that passes through shared memory in it.
int64_t getOtherSharedBytes(mlir::scf::ForOp root,
                            const llvm::DenseSet<mlir::Operation *> &planned);

} // namespace warp_spec

#endif // WARP_SPEC_TRANSFORMS_SHAREDBYTES_H
