//===- Builders.h - The DSL ops of sparsity24 -------------------*- C++ -*-===//
//
// One function for each op of triton_plugins.sparsity24. The Python side passes
// the arguments by the names used here.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSITY24_IR_BUILDERS_H
#define SPARSITY24_IR_BUILDERS_H

#include "triton_plugin/OpCall.h"

namespace sparsity24 {

mlir::Value buildSparseDot(triton_plugin::OpCall &call);
/// Returns the values; their metadata is asked for with buildCompressMeta.
mlir::Value buildCompress(triton_plugin::OpCall &call);
mlir::Value buildCompressMeta(triton_plugin::OpCall &call);
mlir::Value buildDecompress(triton_plugin::OpCall &call);

} // namespace sparsity24

#endif // SPARSITY24_IR_BUILDERS_H
