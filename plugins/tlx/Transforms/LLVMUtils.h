//===- LLVMUtils.h - Parts of tlx-to-llvm -----------------------*- C++ -*-===//

#ifndef TLX_TRANSFORMS_LLVMUTILS_H
#define TLX_TRANSFORMS_LLVMUTILS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace tlx {

/// What the stock conversion made of the value; a cast hides it from an op that
/// the conversion does not know.
mlir::Value getConverted(mlir::Value value);

/// The first byte of a buffer that is no slice. A buffer is a struct of its
/// address and the offsets of slices.
mlir::Value getAddress(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value buffer);

/// Creates inline assembly that has no result.
void createAsm(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef text,
               llvm::StringRef constraints, mlir::ValueRange operands);

} // namespace tlx

#endif // TLX_TRANSFORMS_LLVMUTILS_H
