//===- DiagnosticRecorder.h - Errors of passes for Python -------*- C++ -*-===//
//
// Triton prints diagnostics to stderr and raises "PassManager::run failed".
// A recorder leaves the text where Python can read it: on the module.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_PLUGIN_DIAGNOSTICRECORDER_H
#define TRITON_PLUGIN_DIAGNOSTICRECORDER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include <string>

namespace triton_plugin {

/// Records the errors emitted while it lives and, when it dies, puts them on
/// the module as the string attribute "triton_plugin.error". Every kit pass
/// holds one for the length of runOnOperation; the Python side turns the
/// attribute into the exception's message. Other handlers still see the errors.
class DiagnosticRecorder {
public:
  DiagnosticRecorder(mlir::ModuleOp module, llvm::StringRef passName);
  ~DiagnosticRecorder();

private:
  mlir::ModuleOp module;
  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace triton_plugin

#endif // TRITON_PLUGIN_DIAGNOSTICRECORDER_H
