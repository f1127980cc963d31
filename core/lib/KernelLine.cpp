#include "triton_plugin/KernelLine.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace triton_plugin {

std::string getKernelLine(Location loc) {
  std::string line;
  loc->walk([&](Location nested) {
    auto file = dyn_cast<FileLineColLoc>(nested);
    if (!file)
      return WalkResult::advance();
    line = (file.getFilename().getValue() + ":" + Twine(file.getLine())).str();
    return WalkResult::interrupt();
  });
  return line;
}

} // namespace triton_plugin
