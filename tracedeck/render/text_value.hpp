// Values off the tape as text for people: `[1, 2]`, `{a=1, b="x"}`, `{"key": 2}`, `FRQK_MUTEX(3)`,
// `0x1f`, `<00ff>`, `3 (sensor)` where the trace has a name for the value, `0x55d0 (main)` for an
// address.
#pragma once

#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

#include "tracedeck/model/field_class.hpp"
#include "tracedeck/model/symbols.hpp"
#include "tracedeck/model/tape.hpp"
#include "tracedeck/model/value_names.hpp"
#include "tracedeck/render/member_program.hpp"
#include "tracedeck/render/palette.hpp"
#include "tracedeck/render/value_walk.hpp"
#include "tracedeck/text/plain_characters.hpp"
#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck::render {

// How values off the tape look in text: a `ValueStyle` that counts the columns it fills.
class TextStyle {
 public:
  explicit TextStyle(Palette palette) : palette_(palette) {}

  void scalar(TextBuffer& out, const Slot& slot, const FieldClass* field_class);
  void packed(TextBuffer& out, const Slot& slot, const FieldClass* element);
  void absent(TextBuffer& out) { put(out, Paint::kFaint, "none"); }
  void open(TextBuffer& out, SlotKind kind) {
    put(out, Paint::kPlain, kind == SlotKind::kArray ? "[" : "{");
  }
  void close(TextBuffer& out, SlotKind kind) {
    put(out, Paint::kPlain, kind == SlotKind::kArray ? "]" : "}");
  }
  void begin_part(TextBuffer& out, SlotKind, std::size_t index) {
    if (index != 0) put(out, Paint::kPlain, ", ");
  }
  void member(TextBuffer& out, std::string_view name);
  void key(TextBuffer& out, const Slot& slot);
  static constexpr bool kOpensChoices = false;
  static const std::vector<bool>* shown_members(const StructureClass*) { return nullptr; }
  void open_pair(TextBuffer&) {}
  void split_pair(TextBuffer& out) { put(out, Paint::kPlain, ": "); }
  void close_pair(TextBuffer&) {}

  // ASCII without control characters.
  void put(TextBuffer& out, Paint paint, std::string_view text) {
    palette_.begin(out, paint);
    out.append(text);
    palette_.end(out, paint);
    columns_ += text.size();
  }

  // What the names of values are looked up in; null: they are not shown. Must outlive its use.
  void set_names(const ValueNames* names) { names_ = names; }

  // The same of the names of addresses.
  void set_symbols(const Symbols* symbols) { symbols_ = symbols; }

  // See `CompiledStyle`.
  struct Spelling {
    DisplayBase base = DisplayBase::kDecimal;
    bool is_address = false;
  };
  [[nodiscard]] ValueForm form_of(const FieldClass* field_class, Spelling& spelling) const;
  [[nodiscard]] static bool is_bare(const Slot& slot) { return (slot.flags & kSlotNamed) == 0; }
  char* write_integer(char* to, const Slot& slot, Spelling spelling) const;
  static char* write_real(char* to, double value) {
    return std::isfinite(value) ? write_finite_real(to, value) : nullptr;
  }
  static char* write_text(char* to, std::string_view text) {
    return write_plain_quoted<kQuotesEscaped>(to, text);
  }
  [[nodiscard]] static int faults() { return 0; }  // all can be shown

  // Columns filled so far, line ends not minded.
  [[nodiscard]] std::size_t columns() const { return columns_; }

 private:
  void integer(TextBuffer& out, const Slot& slot, const IntegerClass* integer);
  void labels(TextBuffer& out, const Slot& slot, const IntegerClass& integer);
  void flags(TextBuffer& out, const Slot& slot, const IntegerClass& integer);
  void number(TextBuffer& out, const Slot& slot, DisplayBase base, Paint paint);
  void address(TextBuffer& out, const Slot& slot);
  void addresses(TextBuffer& out, const std::uint8_t* from, std::size_t count);
  void name(TextBuffer& out, std::string_view name);
  void real(TextBuffer& out, double value);
  void blob(TextBuffer& out, ByteSpan bytes);

  Palette palette_;
  const ValueNames* names_ = nullptr;
  const Symbols* symbols_ = nullptr;
  std::size_t columns_ = 0;
};

using TextValues = StyledValues<TextStyle>;

}  // namespace tracedeck::render
