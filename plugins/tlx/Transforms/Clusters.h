//===- Clusters.h - Clusters of programs ------------------------*- C++ -*-===//

#ifndef TLX_TRANSFORMS_CLUSTERS_H
#define TLX_TRANSFORMS_CLUSTERS_H

#include "mlir/IR/BuiltinOps.h"
#include "plugins/tlx/IR/TLX.h"

namespace tlx {

/// Number of programs in a cluster; a module without it has one.
inline constexpr llvm::StringLiteral clusterSizeAttrName = "tlx.cluster_size";

/// Number of programs in the cluster that runs the op.
int getClusterSize(mlir::Operation *op);

/// Part of tlx-to-llvm: converts the ops on clusters.
mlir::LogicalResult convertClusterOps(mlir::ModuleOp module);

/// Part of that.
mlir::LogicalResult convertRemoteStore(RemoteStoreOp op);
void convertRemoteLoad(RemoteLoadOp op);

} // namespace tlx

#endif // TLX_TRANSFORMS_CLUSTERS_H
