#include "triton_plugin/Plugin.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include <stdexcept>

namespace triton_plugin {

void addPass(mlir::PassManager *passManager, std::unique_ptr<mlir::Pass> pass,
             const char *name, const std::vector<std::string> &options) {
  std::string message;
  auto collect = [&](const llvm::Twine &text) {
    message = text.str();
    return mlir::failure();
  };
  if (failed(pass->initializeOptions(llvm::join(options, " "), collect)))
    throw std::runtime_error(
        std::string(name) + ": option refused: " +
        (message.empty() ? llvm::join(options, " ") : message));
  passManager->addPass(std::move(pass));
}

mlir::triton::plugin::PluginInfo *getPluginInfo(const Definition &definition) {
  // Triton's struct has no const, but it only reads the tables.
  static mlir::triton::plugin::PluginInfo info = {
      TRITON_PLUGIN_API_VERSION,
      definition.name,
      definition.version,
      const_cast<PassInfo *>(definition.passes.data()),
      definition.passes.size(),
      const_cast<DialectInfo *>(definition.dialects.data()),
      definition.dialects.size(),
      const_cast<OpInfo *>(definition.ops.data()),
      definition.ops.size(),
      TRITON_VERSION};
  return &info;
}

} // namespace triton_plugin
