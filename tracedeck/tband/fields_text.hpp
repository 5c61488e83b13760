// Values off the tape as JSON, for the messages that stand for events of other formats.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tracedeck/model/field_class.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck::tband {

// Appends `"NAME":VALUE` for each member, with commas between them.
//
// As `print --output jsonl` writes values, but for these: an enumeration is its value, bytes and
// integers above 64 bits are strings of hexadecimal digits, text is kept as it is even where it is
// no UTF-8, and what lies deeper than `kDeepest` is null.
void append_members(std::string& out, std::span<const Slot> slots, const FieldClass* structure);
inline constexpr int kDeepest = 32;

// Quoted; quotes, backslashes and control characters are escaped.
void append_text(std::string& out, std::string_view text);

}  // namespace tracedeck::tband
