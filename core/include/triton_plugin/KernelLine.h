//===- KernelLine.h - Where in the kernel an op comes from ------*- C++ -*-===//

#ifndef TRITON_PLUGIN_KERNELLINE_H
#define TRITON_PLUGIN_KERNELLINE_H

#include "mlir/IR/Location.h"
#include <string>

namespace triton_plugin {

/// "file:line" of the innermost source position of a location; empty if it has
/// none.
std::string getKernelLine(mlir::Location loc);

/// The same, and where the functions around it were called: an op of tl.sum is
/// in Triton's own file, and the kernel's line is that of the call.
std::string getKernelLineAndCalls(mlir::Location loc);

} // namespace triton_plugin

#endif // TRITON_PLUGIN_KERNELLINE_H
