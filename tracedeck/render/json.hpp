// Values off the tape in JSON, in the form that `print --output jsonl` promises
// (docs/json/jsonl-record.schema.json).
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/time.hpp"
#include "tracedeck/model/field_class.hpp"
#include "tracedeck/model/tape.hpp"
#include "tracedeck/render/member_program.hpp"
#include "tracedeck/render/value_walk.hpp"
#include "tracedeck/text/json_scalars.hpp"
#include "tracedeck/text/number.hpp"
#include "tracedeck/text/plain_characters.hpp"
#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck::render {

// How values off the tape look in JSON: a `ValueStyle`.
class JsonStyle {
 public:
  // `large_as_strings`: integers beyond `kLargestExactInteger` are strings.
  explicit JsonStyle(bool large_as_strings = false) : large_as_strings_(large_as_strings) {}

  void scalar(TextBuffer& out, const Slot& slot, const FieldClass* field_class);
  void packed(TextBuffer& out, const Slot& slot, const FieldClass* element);
  void absent(TextBuffer& out) { out.append("null"); }
  void open(TextBuffer& out, SlotKind kind) { out.append(is_object(kind) ? '{' : '['); }
  void close(TextBuffer& out, SlotKind kind) { out.append(is_object(kind) ? '}' : ']'); }
  void begin_part(TextBuffer& out, SlotKind, std::size_t index) {
    if (index != 0) out.append(',');
  }
  void member(TextBuffer& out, std::string_view name) {
    string(out, name);
    out.append(':');
  }
  void key(TextBuffer& out, const Slot& slot) { member(out, slot.text()); }
  static constexpr bool kOpensChoices = false;
  static const std::vector<bool>* shown_members(const StructureClass*) { return nullptr; }
  void open_pair(TextBuffer& out) { out.append('['); }
  void split_pair(TextBuffer& out) { out.append(','); }
  void close_pair(TextBuffer& out) { out.append(']'); }

  // Writes what `append(buffer)` appends, which is JSON.
  template <class Append>
  void json(TextBuffer& out, Append append) {
    append(out);
  }

  [[nodiscard]] bool large_as_strings() const { return large_as_strings_; }

  // See `CompiledStyle`.
  struct Spelling {};
  [[nodiscard]] static ValueForm form_of(const FieldClass* field_class, Spelling&);
  [[nodiscard]] static bool is_bare(const Slot& slot) {
    if (slot.kind == SlotKind::kUnsigned) return slot.bits <= kLargestExactInteger;
    return slot.bits + kLargestExactInteger <= 2 * kLargestExactInteger;
  }
  static char* write_integer(char*, const Slot&, Spelling) { return nullptr; }
  static char* write_real(char* to, double value) {
    return std::isfinite(value) ? write_finite_real(to, value) : nullptr;
  }
  static char* write_text(char* to, std::string_view text) {
    return write_plain_quoted<kQuotesEscaped>(to, text);
  }
  [[nodiscard]] static std::size_t columns() { return 0; }

  // What JSON could not hold.
  struct Faults {
    std::uint64_t replaced_texts = 0;  // strings with U+FFFD put in
    std::uint64_t rounded_reals = 0;   // reals that lost bits
    std::uint64_t large_numbers = 0;   // integers beyond `kLargestExactInteger` that are numbers

    friend bool operator==(const Faults&, const Faults&) = default;
    friend Faults operator+(const Faults& a, const Faults& b) {
      return {a.replaced_texts + b.replaced_texts, a.rounded_reals + b.rounded_reals,
              a.large_numbers + b.large_numbers};
    }
    friend Faults operator-(const Faults& a, const Faults& b) {
      return {a.replaced_texts - b.replaced_texts, a.rounded_reals - b.rounded_reals,
              a.large_numbers - b.large_numbers};
    }
  };
  // Counted so far.
  [[nodiscard]] const Faults& faults() const { return faults_; }
  // Of what is written once more without this style.
  void count(const Faults& faults) { faults_ = faults_ + faults; }

 private:
  static bool is_object(SlotKind kind) {
    return kind == SlotKind::kStructure || kind == SlotKind::kStringMap;
  }
  void string(TextBuffer& out, std::string_view text) {
    if (!append_json_string(out, text)) ++faults_.replaced_texts;
  }
  void plain(TextBuffer& out, const Slot& slot);
  void quoted(TextBuffer& out, const Slot& slot);

  bool large_as_strings_;
  Faults faults_;
};

using JsonValues = StyledValues<JsonStyle>;

}  // namespace tracedeck::render
