#include "plugins/tlx/Transforms/Target.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"

using namespace mlir;

namespace tlx {

int getComputeCapability(ModuleOp module) {
  int capability = 0;
  auto attr = module->getAttrOfType<StringAttr>(triton::gpu::AttrTargetName);
  StringRef target = attr ? attr.getValue() : StringRef();
  if (target.consume_front("cuda:"))
    target.getAsInteger(10, capability);
  return capability;
}

} // namespace tlx
