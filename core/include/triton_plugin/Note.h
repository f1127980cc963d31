//===- Note.h - What must be known before a library is opened ---*- C++ -*-===//
//
// Loading a library built for another Triton crashes the process, so whoever
// loads it must know what it was built for without opening it. The note is an
// ELF note whose descriptor is a JSON object; triton_plugins/note.py reads it.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_PLUGIN_NOTE_H
#define TRITON_PLUGIN_NOTE_H

#include "triton/Tools/PluginUtils.h"
#include "triton/Version.h"
#include "triton_sdk.h"
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace triton_plugin {

constexpr std::string_view noteOwner = "TritonPlugin";
constexpr uint32_t noteType = 1;

/// The ELF note record (gABI, "Note Section"): three words, the owner's name
/// and the descriptor, each padded to four bytes.
template <size_t DescriptorSize> struct Note {
  uint32_t nameSize = noteOwner.size() + 1;
  uint32_t descriptorSize = DescriptorSize;
  uint32_t type = noteType;
  char name[(noteOwner.size() + 1 + 3) / 4 * 4] = {};
  char descriptor[(DescriptorSize + 3) / 4 * 4] = {};
};

namespace detail {

/// Counts characters when `out` is null, else writes them.
struct NoteWriter {
  char *out = nullptr;
  size_t size = 0;

  constexpr void text(std::string_view text) {
    for (char c : text) {
      if (out)
        out[size] = c;
      ++size;
    }
  }
  constexpr void string(std::string_view value) {
    text("\"");
    text(value);
    text("\"");
  }
  constexpr void field(std::string_view key, std::string_view value) {
    text(",");
    string(key);
    text(":");
    string(value);
  }
  template <typename Range, typename Projection>
  constexpr void list(std::string_view key, const Range &range,
                      Projection name) {
    text(",");
    string(key);
    text(":[");
    bool first = true;
    for (const auto &element : range) {
      if (!first)
        text(",");
      first = false;
      string(name(element));
    }
    text("]");
  }
};

template <typename DefinitionT>
constexpr void writeNote(NoteWriter &writer, const DefinitionT &definition) {
  static_assert(TRITON_PLUGIN_API_VERSION < 10, "the note writes one digit");
  constexpr char apiVersion[] = {'0' + TRITON_PLUGIN_API_VERSION, 0};
  auto nameOf = [](const auto &entry) { return entry.name; };
  writer.text("{\"note\":1,\"api_version\":");
  writer.text(apiVersion);
  writer.field("name", definition.name);
  writer.field("version", definition.version);
  writer.field("triton_version", TRITON_VERSION);
  writer.field("llvm_commit", TRITON_SDK_LLVM_COMMIT);
  writer.list("archs", definition.architectures,
              [](const char *arch) { return arch; });
  writer.list("dialects", definition.dialects, nameOf);
  writer.list("passes", definition.passes, nameOf);
  writer.list("ops", definition.ops, nameOf);
  writer.text("}");
}

} // namespace detail

template <typename DefinitionT>
consteval size_t noteSize(const DefinitionT &definition) {
  detail::NoteWriter counter;
  detail::writeNote(counter, definition);
  return counter.size;
}

template <size_t Size, typename DefinitionT>
consteval Note<Size> makeNote(const DefinitionT &definition) {
  Note<Size> note;
  std::copy_n(noteOwner.data(), noteOwner.size(), note.name);
  detail::NoteWriter writer{note.descriptor};
  detail::writeNote(writer, definition);
  return note;
}

} // namespace triton_plugin

#endif // TRITON_PLUGIN_NOTE_H
