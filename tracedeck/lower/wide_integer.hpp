// Integers of more than 64 bits as hexadecimal text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tracedeck/lower/byte_arena.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck::lower {

// Appends a kWideUnsigned or kWideSigned: "0x1f", "-0x1f".
void append_wide_integer(std::string& out, const Slot& slot);

// The slot of an integer class with fields of `width` bits, more than 64, or of variable length.
// Nothing: the text is none, or does not fit.
[[nodiscard]] std::optional<Slot> parse_wide_integer(std::string_view text, bool is_signed,
                                                     std::optional<std::uint32_t> width,
                                                     ByteArena& arena);

}  // namespace tracedeck::lower
