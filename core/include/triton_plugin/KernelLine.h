//===- KernelLine.h - Where in the kernel an op comes from ------*- C++ -*-===//

#ifndef TRITON_PLUGIN_KERNELLINE_H
#define TRITON_PLUGIN_KERNELLINE_H

#include "mlir/IR/Location.h"
#include <string>

namespace triton_plugin {

/// "file:line" of the innermost source position of a location, which is the
/// kernel's line; empty if it has none.
std::string getKernelLine(mlir::Location loc);

} // namespace triton_plugin

#endif // TRITON_PLUGIN_KERNELLINE_H
