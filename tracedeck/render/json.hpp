// JSON building blocks: strings, reals, base64, and values off the tape, in the form that
// `print --output jsonl` promises (docs/json/jsonl-record.schema.json).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/time.hpp"
#include "tracedeck/model/field_class.hpp"
#include "tracedeck/model/tape.hpp"
#include "tracedeck/render/text_buffer.hpp"
#include "tracedeck/render/value_walk.hpp"

namespace tracedeck::render {

// Quoted and escaped. Each maximal invalid UTF-8 sequence becomes U+FFFD; returns whether there was
// none. Control characters are escaped, those of ISO 6429 (U+007F to U+009F) too: terminals obey
// them.
bool append_json_string(TextBuffer& out, std::string_view text);

// The shortest form that reads back the same, with a `.` or an `e`; "NaN", "Infinity" and
// "-Infinity" as strings.
void append_json_real(TextBuffer& out, double value);

// RFC 4648, section 4, quoted.
void append_json_base64(TextBuffer& out, ByteSpan bytes);

// Up to here, and down to its negative, readers that take numbers for doubles keep integers exact.
inline constexpr std::uint64_t kLargestExactInteger = std::uint64_t{1} << 53;

// The digits of a time, as a string when such a reader would round them.
void append_json_integer(TextBuffer& out, Nanoseconds value);

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
  void separate(TextBuffer& out) { out.append(','); }
  void member(TextBuffer& out, std::string_view name) {
    string(out, name);
    out.append(':');
  }
  void key(TextBuffer& out, const Slot& slot) { member(out, slot.text()); }
  void open_pair(TextBuffer& out) { out.append('['); }
  void split_pair(TextBuffer& out) { out.append(','); }
  void close_pair(TextBuffer& out) { out.append(']'); }

  [[nodiscard]] bool large_as_strings() const { return large_as_strings_; }

  // What JSON could not hold, counted so far.
  [[nodiscard]] std::uint64_t replaced_texts() const {
    return replaced_texts_;
  }  // strings with U+FFFD put in
  [[nodiscard]] std::uint64_t rounded_reals() const {
    return rounded_reals_;
  }  // reals that lost bits
  // Integers beyond `kLargestExactInteger` that are numbers.
  [[nodiscard]] std::uint64_t large_numbers() const { return large_numbers_; }

 private:
  static bool is_object(SlotKind kind) {
    return kind == SlotKind::kStructure || kind == SlotKind::kStringMap;
  }
  void string(TextBuffer& out, std::string_view text) {
    if (!append_json_string(out, text)) ++replaced_texts_;
  }
  void plain(TextBuffer& out, const Slot& slot);
  void quoted(TextBuffer& out, const Slot& slot);

  bool large_as_strings_;
  std::uint64_t replaced_texts_ = 0;
  std::uint64_t rounded_reals_ = 0;
  std::uint64_t large_numbers_ = 0;
};

// Writes values off the tape.
class JsonValues {
 public:
  explicit JsonValues(bool large_integers_as_strings = false) : style_(large_integers_as_strings) {}
  JsonValues(const JsonValues&) = delete;
  JsonValues& operator=(const JsonValues&) = delete;

  // The value at `slot`, of a class that may be null. Returns the slot after it.
  const Slot* append(TextBuffer& out, const Slot* slot, const FieldClass* field_class) {
    return walk_.value(out, slot, field_class);
  }
  // An object of members that lie one after the other without a head.
  void append_members(TextBuffer& out, std::span<const Slot> slots, const FieldClass* structure) {
    walk_.members(out, slots, structure);
  }
  [[nodiscard]] const JsonStyle& style() const { return style_; }

 private:
  JsonStyle style_;
  ValueWalk<JsonStyle> walk_{style_};
};

}  // namespace tracedeck::render
