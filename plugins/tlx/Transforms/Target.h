//===- Target.h - What a module is compiled for -----------------*- C++ -*-===//

#ifndef TLX_TRANSFORMS_TARGET_H
#define TLX_TRANSFORMS_TARGET_H

#include "mlir/IR/BuiltinOps.h"

namespace tlx {

/// The compute capability of the NVIDIA GPU that the module is compiled for, as
/// 90 for sm_90; 0 for another GPU and where the module does not say.
int getComputeCapability(mlir::ModuleOp module);

} // namespace tlx

#endif // TLX_TRANSFORMS_TARGET_H
