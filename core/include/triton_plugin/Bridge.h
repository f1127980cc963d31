//===- Bridge.h - Carry plugin ops through stock conversions ----*- C++ -*-===//
//
// Stock convert-triton-to-tritongpu gives every tensor a layout and fails on
// an op with tensor operands that it doesn't know. The bridge hides such ops
// in calls, which the conversion knows, so that no plugin has to replace it:
//
//   <plugin>_enter_ttgpuir   op            ->  tt.call @bridge.N {op,
//   attributes} convert_to_ttgpuir       the stock pass gives operands and
//   results layouts <plugin>_exit_ttgpuir    tt.call       ->  op, with the new
//   types
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_PLUGIN_BRIDGE_H
#define TRITON_PLUGIN_BRIDGE_H

#include "mlir/Pass/Pass.h"
#include "triton_plugin/Plugin.h"

namespace triton_plugin {

/// Hides the ops of `dialect` that have tensor operands or results. Ops with
/// regions are an error: their bodies would escape the conversion.
std::unique_ptr<mlir::Pass> createBridgeEnter(llvm::StringRef dialect);

/// Brings back what the enter pass of the same dialect hid.
std::unique_ptr<mlir::Pass> createBridgeExit(llvm::StringRef dialect);

/// The passes as a plugin's table wants them: functions without arguments.
template <FixedString Dialect> std::unique_ptr<mlir::Pass> bridgeEnter() {
  return createBridgeEnter(Dialect.data);
}
template <FixedString Dialect> std::unique_ptr<mlir::Pass> bridgeExit() {
  return createBridgeExit(Dialect.data);
}

} // namespace triton_plugin

#endif // TRITON_PLUGIN_BRIDGE_H
