#include "triton_plugin/DiagnosticRecorder.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "triton_plugin/KernelLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace triton_plugin {

DiagnosticRecorder::DiagnosticRecorder(ModuleOp module,
                                       llvm::StringRef passName)
    : module(module),
      handler(module.getContext(),
              [this, name = passName.str()](Diagnostic &diagnostic) {
                if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
                  return failure();
                llvm::raw_string_ostream os(text);
                if (!text.empty())
                  os << '\n';
                os << name << ": " << diagnostic.str();
                std::string line =
                    getKernelLineAndCalls(diagnostic.getLocation());
                if (!line.empty())
                  os << "\n  at " << line;
                for (Diagnostic &note : diagnostic.getNotes()) {
                  os << "\n  note: " << note.str();
                  line = getKernelLineAndCalls(note.getLocation());
                  if (!line.empty())
                    os << "\n    at " << line;
                }
                return failure(); // Let the next handler print it as usual.
              }) {}

DiagnosticRecorder::~DiagnosticRecorder() {
  if (!text.empty())
    module->setAttr("triton_plugin.error",
                    StringAttr::get(module.getContext(), text));
}

} // namespace triton_plugin
