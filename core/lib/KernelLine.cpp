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

std::string getKernelLineAndCalls(Location loc) {
  std::string lines;
  while (auto call = loc->findInstanceOf<CallSiteLoc>()) {
    lines += getKernelLine(call.getCallee()) + ", called at ";
    loc = call.getCaller();
  }
  return lines + getKernelLine(loc);
}

} // namespace triton_plugin
