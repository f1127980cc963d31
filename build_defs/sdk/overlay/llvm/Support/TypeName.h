//===- TypeName.h - Type names as libtriton.so spells them ------*- C++ -*-===//
//
// Stands in front of LLVM's header of the same name. MLIR identifies a type
// without an explicit TypeID, every trait and most interfaces among them, by
// the text that the compiler prints for it, in one table that lives in
// libtriton.so. Clang, which built it, prints
//     mlir::OpTrait::ConstantLike<Empty>
// where GCC prints
//     mlir::OpTrait::ConstantLike<mlir::TypeID::get<mlir::OpTrait::...>()::Empty>
// so that a plugin built with GCC would see no trait of a stock op, and stock
// passes none of a plugin's. This header gives Clang's spelling under both.
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_SUPPORT_TYPENAME_H
#define LLVM_SUPPORT_TYPENAME_H

#include "llvm/ADT/StringRef.h"
#include <string_view>

namespace llvm {
namespace type_name_detail {

/// What the compiler prints for the type.
template <typename DesiredTypeName> constexpr std::string_view printed() {
  std::string_view name = __PRETTY_FUNCTION__;
  std::string_view key = "DesiredTypeName = ";
  name.remove_prefix(name.find(key) + key.size());
  // GCC explains the aliases of the signature after a semicolon.
  return name.substr(0, std::min(name.rfind(']'), name.rfind(';')));
}

template <size_t Capacity> struct Spelling {
  char text[Capacity] = {};
  size_t size = 0;

  constexpr void append(std::string_view part) {
    for (char c : part)
      text[size++] = c;
  }
};

/// Length of the function that qualifies a local class at the start of `name`,
/// "mlir::TypeID::get<...>()::", or 0.
constexpr size_t localQualifier(std::string_view name) {
  constexpr std::string_view start = "mlir::TypeID::get<", end = ">()::";
  if (!name.starts_with(start))
    return 0;
  int depth = 0;
  for (size_t i = start.size() - 1; i < name.size(); ++i) {
    depth += name[i] == '<' ? 1 : name[i] == '>' ? -1 : 0;
    if (depth == 0)
      return name.substr(i).starts_with(end) ? i + end.size() : 0;
  }
  return 0;
}

template <size_t Capacity>
constexpr Spelling<Capacity> clangSpelling(std::string_view name) {
  constexpr std::string_view gccAnonymous = "{anonymous}";
  Spelling<Capacity> spelling;
  while (!name.empty()) {
    if (size_t qualifier = localQualifier(name)) {
      name.remove_prefix(qualifier);
    } else if (name.starts_with(gccAnonymous)) {
      spelling.append("(anonymous namespace)");
      name.remove_prefix(gccAnonymous.size());
    } else {
      spelling.append(name.substr(0, 1));
      name.remove_prefix(1);
    }
  }
  return spelling;
}

// Twice the length holds any number of "{anonymous}" written out.
template <typename DesiredTypeName>
inline constexpr auto spelling =
    clangSpelling<2 * printed<DesiredTypeName>().size()>(
        printed<DesiredTypeName>());

} // namespace type_name_detail

/// The type's name; points to static storage and has no terminating null.
template <typename DesiredTypeName> constexpr StringRef getTypeName() {
  const auto &spelling = type_name_detail::spelling<DesiredTypeName>;
  return StringRef(spelling.text, spelling.size);
}

} // namespace llvm

#endif // LLVM_SUPPORT_TYPENAME_H
