//===- Builders.h - The DSL's ops -------------------------------*- C++ -*-===//

#ifndef WARP_SPEC_IR_BUILDERS_H
#define WARP_SPEC_IR_BUILDERS_H

#include "triton_plugin/OpCall.h"

namespace warp_spec {

mlir::Value buildMarkLoop(triton_plugin::OpCall &call);

} // namespace warp_spec

#endif // WARP_SPEC_IR_BUILDERS_H
