//===- Layout.h - The layout dialect ----------------------------*- C++ -*-===//

#ifndef LAYOUT_IR_LAYOUT_H
#define LAYOUT_IR_LAYOUT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"

#include "plugins/layout/IR/LayoutDialect.h.inc"
#include "plugins/layout/IR/LayoutEnums.h.inc"

#define GET_OP_CLASSES
#include "plugins/layout/IR/LayoutOps.h.inc"

namespace layout {

/// The value that the conversions which led to `value` start from.
mlir::Value skipConversions(mlir::Value value);

} // namespace layout

#endif // LAYOUT_IR_LAYOUT_H
