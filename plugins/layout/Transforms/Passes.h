//===- Passes.h - The passes of the layout plugin ---------------*- C++ -*-===//

#ifndef LAYOUT_TRANSFORMS_PASSES_H
#define LAYOUT_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"
#include "plugins/layout/IR/Layout.h"

namespace layout {

#define GEN_PASS_DECL
#include "plugins/layout/Transforms/Passes.h.inc"

} // namespace layout

#endif // LAYOUT_TRANSFORMS_PASSES_H
