//===- Passes.h - The warp_spec passes --------------------------*- C++ -*-===//

#ifndef WARP_SPEC_TRANSFORMS_PASSES_H
#define WARP_SPEC_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"
#include "plugins/warp_spec/IR/WarpSpec.h"

namespace warp_spec {

#define GEN_PASS_DECL
#include "plugins/warp_spec/Transforms/Passes.h.inc"

} // namespace warp_spec

#endif // WARP_SPEC_TRANSFORMS_PASSES_H
