//===- WarpSpec.h - The warp_spec dialect -----------------------*- C++ -*-===//

#ifndef WARP_SPEC_IR_WARPSPEC_H
#define WARP_SPEC_IR_WARPSPEC_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"
#include "triton/Dialect/TritonNvidiaGPU/IR/Dialect.h"

#include "plugins/warp_spec/IR/WarpSpecDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "plugins/warp_spec/IR/WarpSpecTypes.h.inc"

#define GET_OP_CLASSES
#include "plugins/warp_spec/IR/WarpSpecOps.h.inc"

namespace warp_spec {

/// On a loop: the kernel asks for it to be specialized.
inline constexpr llvm::StringLiteral loopAttrName = "warp_spec.loop";
/// On a root loop: the dictionary that warp-spec-plan describes.
inline constexpr llvm::StringLiteral planAttrName = "warp_spec.plan";
/// On a load: the number of the channel that it goes through.
inline constexpr llvm::StringLiteral channelAttrName = "warp_spec.channel";
/// On the module: what was planned and what was refused, as JSON.
inline constexpr llvm::StringLiteral reportAttrName = "warp_spec.report";

/// On a ttg.warp_specialize: it is one of this plugin's.
inline constexpr llvm::StringLiteral channelsAttrName = "warp_spec.channels";
/// On the assembly that arrives at a channel's mbarrier.
inline constexpr llvm::StringLiteral arriveAttrName = "warp_spec.arrive";
/// On a wait for products, or on a ttg.warp_specialize for its partitions: the
/// warps need no barrier among each other.
inline constexpr llvm::StringLiteral independentAttrName =
    "warp_spec.independent";

} // namespace warp_spec

#endif // WARP_SPEC_IR_WARPSPEC_H
