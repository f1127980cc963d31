//===- OpCall.h - Typed arguments of one DSL op call ------------*- C++ -*-===//
//
// Triton hands a plugin's op callback a builder and a vector of values. OpCall
// turns that into named, typed arguments and makes failures exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_PLUGIN_OPCALL_H
#define TRITON_PLUGIN_OPCALL_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "python/src/ir.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <optional>
#include <string>
#include <vector>

namespace triton_plugin {

/// One call of a DSL op.
///
/// Values arrive as operands. Everything else arrives as one dictionary
/// attribute on the carrier, a constant that the Python side appends as the
/// last operand; the call reads it and erases the carrier.
///
/// Accessors throw std::runtime_error, which Python sees as RuntimeError, when
/// an argument is missing or has another type. The message names the op, the
/// argument, what it must be and what it is.
class OpCall {
public:
  OpCall(llvm::StringRef opName, TritonOpBuilder &builder,
         llvm::ArrayRef<mlir::Value> operands);

  mlir::OpBuilder &builder() { return tritonBuilder.getBuilder(); }
  mlir::MLIRContext *context() { return tritonBuilder.getContext(); }
  mlir::Location loc() { return tritonBuilder.getLastLoc(); }

  /// True if the argument was given, as a value or as an attribute.
  bool has(llvm::StringRef argument) const;

  mlir::Value value(llvm::StringRef argument) const;
  mlir::Value optionalValue(llvm::StringRef argument) const;
  /// All values of a list argument; empty if the argument was not given.
  llvm::SmallVector<mlir::Value> values(llvm::StringRef argument) const;

  int64_t integer(llvm::StringRef argument) const;
  double real(llvm::StringRef argument) const;
  bool boolean(llvm::StringRef argument) const;
  std::string string(llvm::StringRef argument) const;
  mlir::Type type(llvm::StringRef argument) const;
  llvm::SmallVector<int64_t> integers(llvm::StringRef argument) const;
  /// Any attribute, for lists of other things; null if not given.
  mlir::Attribute attribute(llvm::StringRef argument) const;

  std::optional<int64_t> optionalInteger(llvm::StringRef argument) const;
  std::optional<double> optionalReal(llvm::StringRef argument) const;
  std::optional<bool> optionalBoolean(llvm::StringRef argument) const;
  std::optional<std::string> optionalString(llvm::StringRef argument) const;

  /// Fails if an argument was given that nobody asked for: the Python side may
  /// belong to another build, whose op knows more.
  void checkAllUsed() const;

  /// Ends the call with an exception "<op>: <message>".
  [[noreturn]] void fail(const llvm::Twine &message) const;

  /// Creates and verifies an op at the call's location. An op that does not
  /// verify is erased and its diagnostics become the exception's message.
  template <typename OpTy, typename... Args> OpTy create(Args &&...args) {
    OpTy op = OpTy::create(builder(), loc(), std::forward<Args>(args)...);
    verifyOrFail(op);
    return op;
  }

  /// Makes a type or attribute that verifies its parameters; what the verifier
  /// says becomes the exception's message.
  template <typename T, typename... Args> T getChecked(Args &&...args) {
    DiagnosticCollector collector(context());
    T made = T::getChecked([&] { return mlir::emitError(loc()); }, context(),
                           std::forward<Args>(args)...);
    if (!made)
      fail(collector.text);
    return made;
  }

private:
  /// The errors emitted while it lives, which then nobody else sees.
  struct DiagnosticCollector {
    explicit DiagnosticCollector(mlir::MLIRContext *context);
    std::string text;
    mlir::ScopedDiagnosticHandler handler;
  };

  mlir::Attribute find(llvm::StringRef argument) const;
  mlir::Attribute required(llvm::StringRef argument,
                           const llvm::Twine &expected) const;
  [[noreturn]] void failType(llvm::StringRef argument,
                             const llvm::Twine &expected,
                             mlir::Attribute found) const;
  void verifyOrFail(mlir::Operation *op) const;

  llvm::StringRef opName;
  TritonOpBuilder &tritonBuilder;
  mlir::DictionaryAttr attributes;
  llvm::SmallVector<std::pair<llvm::StringRef, mlir::Value>> operands;
  /// The names that accessors were called with.
  mutable llvm::StringSet<> asked;
};

} // namespace triton_plugin

#endif // TRITON_PLUGIN_OPCALL_H
