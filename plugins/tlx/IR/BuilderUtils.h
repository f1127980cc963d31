//===- BuilderUtils.h - Arguments of TLX's DSL ops --------------*- C++ -*-===//

#ifndef TLX_IR_BUILDERUTILS_H
#define TLX_IR_BUILDERUTILS_H

#include "plugins/tlx/IR/TLX.h"
#include "triton_plugin/OpCall.h"

namespace tlx {

mlir::Type getTokenType(triton_plugin::OpCall &call);

/// The argument, which must be a buffer.
mlir::TypedValue<BufferType> getBuffer(triton_plugin::OpCall &call,
                                       llvm::StringRef argument);

/// The type of the argument, which must be a tensor.
mlir::RankedTensorType getTensorType(triton_plugin::OpCall &call,
                                     llvm::StringRef argument);

/// The layout that the argument is, as MLIR prints it; null if not given.
mlir::Attribute getLayout(triton_plugin::OpCall &call,
                          llvm::StringRef argument);

/// The argument `warps` of an arrival; null where it was not given.
mlir::IntegerAttr getWarps(triton_plugin::OpCall &call);

/// The argument `eviction_policy`, which is empty where the default is meant.
mlir::triton::EvictionPolicy getEvictionPolicy(triton_plugin::OpCall &call);

} // namespace tlx

#endif // TLX_IR_BUILDERUTILS_H
