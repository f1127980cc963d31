#include "plugins/sparsity24/IR/Sparsity24.h"

#include "plugins/sparsity24/IR/Sparsity24Dialect.cpp.inc"

namespace sparsity24 {

void Sparsity24Dialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "plugins/sparsity24/IR/Sparsity24Ops.cpp.inc"
      >();
}

} // namespace sparsity24
