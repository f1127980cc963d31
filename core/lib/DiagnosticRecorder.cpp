#include "triton_plugin/DiagnosticRecorder.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace triton_plugin {

namespace {
/// The innermost source position of a location, which is the kernel's line.
FileLineColLoc findFileLoc(Location loc) {
  FileLineColLoc found;
  loc->walk([&](Location nested) {
    found = dyn_cast<FileLineColLoc>(nested);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}
} // namespace

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
                if (FileLineColLoc loc = findFileLoc(diagnostic.getLocation()))
                  os << "\n  at " << loc.getFilename().getValue() << ':'
                     << loc.getLine();
                for (Diagnostic &note : diagnostic.getNotes())
                  os << "\n  note: " << note.str();
                return failure(); // Let the next handler print it as usual.
              }) {}

DiagnosticRecorder::~DiagnosticRecorder() {
  if (!text.empty())
    module->setAttr("triton_plugin.error",
                    StringAttr::get(module.getContext(), text));
}

} // namespace triton_plugin
