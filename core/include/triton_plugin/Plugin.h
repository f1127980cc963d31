//===- Plugin.h - What a plugin exports -------------------------*- C++ -*-===//
//
// The whole registration contract. A plugin's Plugin.cpp lists its dialects,
// passes and ops in one constexpr Definition and ends with
// TRITON_PLUGIN_EXPORT; see plugins/tlx/Plugin.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_PLUGIN_PLUGIN_H
#define TRITON_PLUGIN_PLUGIN_H

#include "mlir/Pass/Pass.h"
#include "triton/Tools/PluginUtils.h"
#include "triton_plugin/Note.h"
#include "triton_plugin/OpCall.h"
#include <span>

namespace triton_plugin {

using mlir::triton::plugin::DialectInfo;
using mlir::triton::plugin::OpInfo;
using mlir::triton::plugin::PassInfo;

/// Everything a plugin exports. All strings must have static storage.
struct Definition {
  const char *name;
  const char *version;
  /// Architectures the plugin generates code for, as Triton spells them.
  std::span<const char *const> architectures;
  std::span<const DialectInfo> dialects;
  std::span<const PassInfo> passes;
  std::span<const OpInfo> ops;
};

/// Adds `pass` to `passManager` with options given as "key=value" strings.
/// Throws std::runtime_error naming the pass if an option is refused.
void addPass(mlir::PassManager *passManager, std::unique_ptr<mlir::Pass> pass,
             const char *name, const std::vector<std::string> &options);

/// A string that can be a template argument, so that a callback without state
/// knows the name it was registered under.
template <size_t N> struct FixedString {
  constexpr FixedString(const char (&text)[N]) { std::copy_n(text, N, data); }
  char data[N];
};

/// The entry of a pass: `pass<"tlx_lower", createTLXLower>()`. The name is a C
/// identifier that starts with the plugin's name; Triton 3.9 exposes it as
/// `passes.plugin.add_<name>`.
template <FixedString Name, std::unique_ptr<mlir::Pass> (*Create)()>
constexpr PassInfo pass() {
  return {Name.data, "",
          [](mlir::PassManager *passManager,
             const std::vector<std::string> &options) {
            addPass(passManager, Create(), Name.data, options);
          },
          [] { mlir::registerPass([] { return Create(); }); }};
}

/// The entry of a dialect: `dialect<"tlx", TLXDialect>()`.
template <FixedString Name, typename DialectT> constexpr DialectInfo dialect() {
  return {Name.data, "", [](mlir::DialectRegistry *registry) {
            registry->insert<DialectT>();
          }};
}

/// The entry of a DSL op: `op<"tlx_local_load", createLocalLoad>()`. `Build`
/// returns the op's result; for an op without results it returns a null value,
/// and Python must not use the result of the call.
template <FixedString Name, mlir::Value (*Build)(OpCall &)>
constexpr OpInfo op() {
  return {Name.data,
          [](TritonOpBuilder &builder, std::vector<mlir::Value> &operands) {
            // Element 0 is the slot that Triton reads the result from.
            OpCall call(Name.data, builder,
                        llvm::ArrayRef(operands).drop_front());
            operands[0] = Build(call);
            call.checkAllUsed();
          }};
}

/// The table that Triton reads; `definition` must outlive the process.
mlir::triton::plugin::PluginInfo *getPluginInfo(const Definition &definition);

} // namespace triton_plugin

/// Defines the library's one exported symbol and its note.
#define TRITON_PLUGIN_EXPORT(definition)                                       \
  namespace {                                                                  \
  [[gnu::section(".note.triton_plugin"), gnu::used, gnu::aligned(4)]]          \
  constexpr ::triton_plugin::Note<::triton_plugin::noteSize(definition)>       \
      tritonPluginNote =                                                       \
          ::triton_plugin::makeNote<::triton_plugin::noteSize(definition)>(    \
              definition);                                                     \
  }                                                                            \
  TRITON_PLUGIN_API mlir::triton::plugin::PluginInfo *tritonGetPluginInfo() {  \
    return ::triton_plugin::getPluginInfo(definition);                         \
  }

#endif // TRITON_PLUGIN_PLUGIN_H
