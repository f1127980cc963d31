//===- Builders.h - The DSL ops of the layout plugin ------------*- C++ -*-===//
//
// One function for each op of triton_plugins.layout. The Python side passes
// the arguments by the names used here.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_IR_BUILDERS_H
#define LAYOUT_IR_BUILDERS_H

#include "triton_plugin/OpCall.h"

namespace layout {

mlir::Value buildPin(triton_plugin::OpCall &call);
mlir::Value buildRelease(triton_plugin::OpCall &call);
mlir::Value buildConvert(triton_plugin::OpCall &call);
mlir::Value buildAssertTrivial(triton_plugin::OpCall &call);

} // namespace layout

#endif // LAYOUT_IR_BUILDERS_H
