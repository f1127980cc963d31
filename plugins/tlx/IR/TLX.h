//===- TLX.h - The TLX dialect ----------------------------------*- C++ -*-===//

#ifndef TLX_IR_TLX_H
#define TLX_IR_TLX_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"

#include "plugins/tlx/IR/TLXDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "plugins/tlx/IR/TLXTypes.h.inc"

namespace tlx {

/// Whether the type is that of one barrier, which is a buffer of one 64-bit
/// word.
bool isBarrier(mlir::Type type);

} // namespace tlx

#define GET_OP_CLASSES
#include "plugins/tlx/IR/TLXOps.h.inc"

#endif // TLX_IR_TLX_H
