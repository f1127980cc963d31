//===- Canary.h - A plugin that proves the ABI by running -------*- C++ -*-===//
//
// Classes of MLIR whose layout the wheel's debug information does not tell are
// proven by use: the canary's passes build, walk and rewrite IR through the
// stock libtriton.so, and what comes out is compared letter by letter.
//
//===----------------------------------------------------------------------===//

#ifndef CORE_ABI_CANARY_CANARY_H
#define CORE_ABI_CANARY_CANARY_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

#include "core/abi/canary/CanaryDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "core/abi/canary/CanaryTypes.h.inc"

#define GET_OP_CLASSES
#include "core/abi/canary/CanaryOps.h.inc"

namespace canary {

/// Sets what it finds in the module as the attribute "canary.facts".
std::unique_ptr<mlir::Pass> createInspect();

/// Changes the module by patterns, a conversion and by hand.
std::unique_ptr<mlir::Pass> createRewrite();

} // namespace canary

#endif // CORE_ABI_CANARY_CANARY_H
