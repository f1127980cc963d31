//===- Passes.h - The TLX passes --------------------------------*- C++ -*-===//

#ifndef TLX_TRANSFORMS_PASSES_H
#define TLX_TRANSFORMS_PASSES_H

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Pass/Pass.h"
#include "plugins/tlx/IR/TLX.h"
#include "triton/Dialect/TritonNvidiaGPU/IR/Dialect.h"

namespace tlx {

#define GEN_PASS_DECL
#include "plugins/tlx/Transforms/Passes.h.inc"

} // namespace tlx

#endif // TLX_TRANSFORMS_PASSES_H
