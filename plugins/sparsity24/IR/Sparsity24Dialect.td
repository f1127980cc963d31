#ifndef SPARSITY24_DIALECT_TD
#define SPARSITY24_DIALECT_TD

include "mlir/IR/OpBase.td"

def Sparsity24_Dialect : Dialect {
  let name = "sparsity24";
  let cppNamespace = "::sparsity24";
  let summary = "Matrix products whose left operand is 2:4 sparse.";
  let description = [{
    A matrix is 2:4 sparse if at most two of every four neighbours in a row are not zero.
    Tensor cores multiply such a matrix at up to twice the dense rate. It is stored as two
    tensors:

    - values, MxK/2: two elements of every group of four, in the order of their columns;
    - meta, MxK/16 of i16: four groups a word, the first in the lowest bits. A group has four
      bits: the column of its first value in the lower two, of its second in the upper two.
      The first column is smaller than the second, which leaves six legal nibbles: 4, 8, 9,
      12, 13, 14. The hardware says nothing about others.

    `sparse_dot` has no layouts when a kernel creates it in Triton IR, and crosses
    `convert-triton-to-tritongpu` hidden in a call. `sparsity24-accelerate-dot` chooses the
    instruction, and with it the layouts; one table (`IR/Instructions.h`) says which
    architecture has which.
  }];
  let dependentDialects = [
    "::mlir::triton::TritonDialect",
    "::mlir::triton::gpu::TritonGPUDialect",
  ];
}

#endif // SPARSITY24_DIALECT_TD
