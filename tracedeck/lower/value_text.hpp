// Values as JSON text and back, exactly: what a target without a class for them holds instead.
//
//   boolean                 true, false
//   integer                 its digits; above 64 bits "0x..." or "-0x..."
//   real                    the shortest decimal that is it; "inf", "-inf", "nan:7ff8000000000000"
//   real above 64 bits, blob  its bytes in hexadecimal, as a string
//   string                  a string; a byte that is no UTF-8 as \udc80 to \udcff
//   array                   [...]
//   structure               {"member": ...}, in the order of the class
//   map                     [[key, value], ...], of keys that are strings {"key": ...}
//   optional                null, or [value]; only the value where that cannot be null itself
//   variant                 {"option": ...}, or {"#2": ...} by index where options share a name
//   value with its own type {"type": ...}
//
// It is read by the class it was written by.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/lower/byte_arena.hpp"
#include "tracedeck/model/field_class.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck::lower {

// Appends the value that begins at `slot`, which is one of the class. Returns what is behind it.
const Slot* append_value_text(std::string& out, const Slot* slot, const FieldClass& field_class);

// Appends the digits of an integer.
template <std::integral T>
void append_integer(std::string& out, T value) {
  std::array<char, 20> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  out.append(text.data(), end);
}

// Appends a text as such a string.
void append_quoted(std::string& out, std::string_view text);

// Appends the slots of a value of the class to `slots`. Bytes of strings are kept in `arena`.
// False, and what was appended is to be dropped: the text is none of such a value, or says one that
// the class cannot have.
[[nodiscard]] bool parse_value_text(std::string_view text, const FieldClass& field_class,
                                    std::vector<Slot>& slots, ByteArena& arena);

// Whether `width` bits hold an integer of at most 64 bits; 0: any do.
[[nodiscard]] bool has_width(const Slot& slot, std::uint32_t width);

}  // namespace tracedeck::lower
