//===- Passes.h - The sparsity24 passes -------------------------*- C++ -*-===//

#ifndef SPARSITY24_TRANSFORMS_PASSES_H
#define SPARSITY24_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Pass/Pass.h"
#include "plugins/sparsity24/IR/Sparsity24.h"
#include "triton/Dialect/TritonNvidiaGPU/IR/Dialect.h"

namespace sparsity24 {

#define GEN_PASS_DECL
#include "plugins/sparsity24/Transforms/Passes.h.inc"

} // namespace sparsity24

#endif // SPARSITY24_TRANSFORMS_PASSES_H
