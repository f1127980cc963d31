//===- NumWarps.h - Layouts for a region's own warps ------------*- C++ -*-===//

#ifndef TRITON_PLUGIN_NUMWARPS_H
#define TRITON_PLUGIN_NUMWARPS_H

#include "mlir/IR/Region.h"

namespace triton_plugin {

/// Gives the tensors in a region of TritonGPU IR, whose layouts are for another
/// number of warps, layouts for `numWarps`.
void setNumWarps(mlir::Region &region, int numWarps);

} // namespace triton_plugin

#endif // TRITON_PLUGIN_NUMWARPS_H
