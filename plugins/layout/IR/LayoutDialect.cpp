#include "plugins/layout/IR/Layout.h"

using namespace mlir;

#include "plugins/layout/IR/LayoutDialect.cpp.inc"
#include "plugins/layout/IR/LayoutEnums.cpp.inc"

namespace layout {

void LayoutDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "plugins/layout/IR/LayoutOps.cpp.inc"
      >();
}

} // namespace layout
