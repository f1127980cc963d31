//===- Registers.h - A tensor's elements in a thread ------------*- C++ -*-===//
//
// After the stock conversion to LLVM a tensor is a structure of the elements
// that a thread holds, and an op that the conversion doesn't know has operands
// cast from such structures.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSITY24_CONVERSION_REGISTERS_H
#define SPARSITY24_CONVERSION_REGISTERS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace sparsity24 {

/// The LLVM value behind an operand, or null if it isn't a cast.
mlir::Value getLoweredValue(mlir::Value operand);

/// The elements of a matrix that a thread holds, by their place in what the
/// first thread holds. All threads hold the same pattern from another corner.
class Registers {
public:
  Registers(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor);

  bool has(int64_t row, int64_t column) const;
  mlir::Value get(int64_t row, int64_t column) const;
  void set(int64_t row, int64_t column, mlir::Value element);

  /// `count` neighbours of a row as one vector.
  mlir::Value getVector(int64_t row, int64_t column, int64_t count) const;
  /// `count` neighbours of a row as one integer.
  mlir::Value getPacked(int64_t row, int64_t column, int64_t count) const;

  /// Packs the elements and casts them to the tensor's type.
  mlir::Value build() const;

private:
  int64_t indexOf(int64_t row, int64_t column) const;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::RankedTensorType type;
  mlir::LLVM::LLVMStructType structType;
  llvm::SmallVector<mlir::Value> elements;
  llvm::DenseMap<std::pair<int64_t, int64_t>, int64_t> indices;
};

/// One vector of scalars.
mlir::Value makeVector(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::ArrayRef<mlir::Value> elements);

mlir::Value makeInteger(mlir::OpBuilder &builder, mlir::Location loc,
                        unsigned bits, int64_t value);

} // namespace sparsity24

#endif // SPARSITY24_CONVERSION_REGISTERS_H
