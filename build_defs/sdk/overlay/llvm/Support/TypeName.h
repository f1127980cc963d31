//===- TypeName.h - Type names as the wheel's compiler spells them -*- C++ -*-//
//
// MLIR makes the TypeID of every trait, and of each type that declares none,
// from the name that llvm::getTypeName finds in __PRETTY_FUNCTION__. Where a
// plugin and libtriton.so spell a name differently they disagree on its TypeID:
// hasTrait is false, m_Constant matches nothing, and no error says so. clang
// built libtriton.so; this gives gcc's names clang's spelling.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_PLUGINS_SDK_LLVM_SUPPORT_TYPENAME_H
#define TRITON_PLUGINS_SDK_LLVM_SUPPORT_TYPENAME_H

#if defined(__clang__)
#include_next "llvm/Support/TypeName.h"
#else

#include "llvm/ADT/StringRef.h"
#include <cstddef>
#include <string_view>
#define getTypeName getTypeNameAsGccSpellsIt
#include_next "llvm/Support/TypeName.h"
#undef getTypeName

namespace llvm {
namespace type_name_detail {

struct Spelling {
  std::string_view gcc, clang;
};

/// Longer spellings before those that are part of them.
inline constexpr Spelling integers[] = {
    {"long long unsigned int", "unsigned long long"},
    {"long unsigned int", "unsigned long"},
    {"short unsigned int", "unsigned short"},
    {"long long int", "long long"},
    {"long int", "long"},
    {"short int", "short"},
    {"{anonymous}", "(anonymous namespace)"},
};

/// MLIR names a trait by applying it to a class local to this function, which
/// gcc qualifies by the function and clang doesn't.
inline constexpr std::string_view localTo = "mlir::TypeID::get<";

/// The length of "mlir::TypeID::get<...>()::" at the start of `name`.
constexpr size_t qualifierLength(std::string_view name) {
  size_t depth = 1, end = localTo.size();
  for (; end < name.size() && depth; ++end)
    depth += name[end] == '<' ? 1 : name[end] == '>' ? -1 : 0;
  return end + std::string_view("()::").size();
}

/// Writes `name` in clang's spelling to `out`, if given, and returns its
/// length.
constexpr size_t respell(std::string_view name, char *out) {
  size_t size = 0;
  auto write = [&](std::string_view text) {
    for (char c : text) {
      if (out)
        out[size] = c;
      ++size;
    }
  };
  while (!name.empty()) {
    if (name.starts_with(localTo)) {
      name.remove_prefix(qualifierLength(name));
      continue;
    }
    Spelling found{name.substr(0, 1), name.substr(0, 1)};
    for (Spelling spelling : integers)
      if (found.gcc.size() == 1 && name.starts_with(spelling.gcc))
        found = spelling;
    write(found.clang);
    name.remove_prefix(found.gcc.size());
  }
  return size;
}

template <typename T> struct Name {
  static constexpr std::string_view gcc = getTypeNameAsGccSpellsIt<T>();
  struct Text {
    char data[respell(gcc, nullptr)] = {};
  };
  static constexpr Text text = [] {
    Text text;
    respell(gcc, text.data);
    return text;
  }();
};

} // namespace type_name_detail

/// The name of a type, as clang spells it.
template <typename DesiredTypeName> constexpr StringRef getTypeName() {
  constexpr auto &text = type_name_detail::Name<DesiredTypeName>::text;
  return StringRef(text.data, sizeof(text.data));
}

} // namespace llvm

#endif // defined(__clang__)

#endif // TRITON_PLUGINS_SDK_LLVM_SUPPORT_TYPENAME_H
