// Integers, enumerations, reals and strings as babeltrace2 prints them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/model/field_class.hpp"
#include "tracedeck/model/tape.hpp"
#include "tracedeck/render/babeltrace_paint.hpp"
#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck::render {

// Whether a slot is an integer of up to 64 bits.
[[nodiscard]] inline bool is_narrow_integer(const Slot& slot) {
  return slot.kind == SlotKind::kUnsigned || slot.kind == SlotKind::kSigned;
}
// Whether it is an integer of any size.
[[nodiscard]] inline bool is_integer(const Slot& slot) {
  return is_narrow_integer(slot) || slot.kind == SlotKind::kWideUnsigned ||
         slot.kind == SlotKind::kWideSigned;
}

// How the integers of one class, of up to 64 bits, are spelt.
class BabeltraceInteger {
 public:
  // Characters that an integer takes at most: 64 bits behind "0b".
  static constexpr std::size_t kSize = 66;

  BabeltraceInteger() = default;  // decimal
  // `field_class` may be null or no integer's.
  explicit BabeltraceInteger(const FieldClass* field_class);

  [[nodiscard]] bool decimal() const { return base_ == DisplayBase::kDecimal; }
  [[nodiscard]] DisplayBase base() const { return base_; }

  // Writes a kUnsigned or kSigned slot to room of `kSize` and returns its end.
  char* write(char* to, const Slot& slot) const;

 private:
  DisplayBase base_ = DisplayBase::kDecimal;
  unsigned width_ = 64;
  std::uint64_t mask_ = ~std::uint64_t{0};         // hexadecimal
  std::uint64_t signed_mask_ = ~std::uint64_t{0};  // octal
};

// Writes digits without zeros in front and returns their end.
char* write_upper_hexadecimal(char* to, std::uint64_t value);

// A string in quotation marks, up to its first NUL, with the escape sequences of C.
void append_babeltrace_string(TextBuffer& out, std::string_view text);

// Writes a real as `%g` of C does to room of `kRealSize`, and returns the end.
char* write_babeltrace_real(char* to, double value);

// Values of one enumeration: `( "A", "B" : container = 3 )`.
class BabeltraceEnumeration {
 public:
  BabeltraceEnumeration(const FieldClass& field_class, BabeltracePalette palette);

  // `slot` is an integer.
  void append(TextBuffer& out, const Slot& slot) const;

 private:
  struct Label {
    std::string text;  // in quotation marks
    std::vector<IntegerRange> ranges;
  };
  struct Range {
    Integer lower;
    Integer upper;
    std::uint32_t label;
  };

  void append_labels(TextBuffer& out, const std::optional<Integer>& value) const;
  // The labels of a value; null when `ranges_` does not say.
  [[nodiscard]] const Range* range_of(const Integer& value) const;

  BabeltracePalette palette_;
  BabeltraceInteger integer_;
  std::vector<Label> labels_;
  std::vector<Range> ranges_;  // sorted; empty when some overlap
};

// Any scalar slot that is no value of an enumeration.
void append_babeltrace_scalar(TextBuffer& out, const Slot& slot, const FieldClass* field_class);

}  // namespace tracedeck::render
