// How values of any kind look as babeltrace2 prints them.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "tracedeck/model/tape.hpp"
#include "tracedeck/render/babeltrace_notes.hpp"
#include "tracedeck/render/member_program.hpp"
#include "tracedeck/text/plain_characters.hpp"

namespace tracedeck::render {

// A `CompiledStyle`. One thread at a time.
class BabeltraceStyle {
 public:
  using Spelling = BabeltraceInteger;
  static constexpr bool kOpensChoices = true;

  explicit BabeltraceStyle(BabeltracePalette palette) : palette_(palette) {}

  // Whether names of members and indices stand before them, as they do unless this says otherwise.
  void show_names(bool shown) { names_ = shown; }
  // What is known of the classes of values; must outlive their being written.
  void set_notes(BabeltraceNotes& notes) { notes_ = &notes; }

  void scalar(TextBuffer& out, const Slot& slot, const FieldClass* field_class) const;
  void packed(TextBuffer& out, const Slot& slot, const FieldClass* element) const;
  void absent(TextBuffer& out) const { out.append("<none>"); }
  void open(TextBuffer& out, SlotKind kind) const {
    out.append(kind == SlotKind::kArray ? "[" : kind >= SlotKind::kOptional ? "{ " : "{");
  }
  void close(TextBuffer& out, SlotKind kind) const {
    out.append(kind == SlotKind::kArray ? " ]" : " }");
  }
  void begin_part(TextBuffer& out, SlotKind kind, std::size_t index) const;
  void member(TextBuffer& out, std::string_view name) const;
  void key(TextBuffer& out, const Slot& slot) const {
    scalar(out, slot, nullptr);
    split_pair(out);
  }
  void open_pair(TextBuffer&) const {}
  void split_pair(TextBuffer& out) const { out.append(" = "); }
  void close_pair(TextBuffer&) const {}
  [[nodiscard]] const std::vector<bool>* shown_members(const StructureClass* structure) const {
    return notes_->shown_members(structure);
  }

  [[nodiscard]] ValueForm form_of(const FieldClass* field_class, Spelling& spelling) const;
  [[nodiscard]] static bool is_bare(const Slot&) { return true; }
  static char* write_integer(char* to, const Slot& slot, const Spelling& spelling) {
    return spelling.write(to, slot);
  }
  static char* write_real(char* to, double value) { return write_babeltrace_real(to, value); }
  static char* write_text(char* to, std::string_view text) {
    constexpr Escaped kEscaped = {.marks = {'"', '\'', '\\', '?'}, .beyond_ascii = false};
    return write_plain_quoted<kEscaped>(to, text);
  }
  [[nodiscard]] static std::size_t columns() { return 0; }
  [[nodiscard]] static int faults() { return 0; }  // none is counted

 private:
  void bytes(TextBuffer& out, ByteSpan bytes) const;

  BabeltracePalette palette_;
  bool names_ = true;
  BabeltraceNotes* notes_ = nullptr;
};

using BabeltraceValues = CompiledValues<BabeltraceStyle>;

}  // namespace tracedeck::render
