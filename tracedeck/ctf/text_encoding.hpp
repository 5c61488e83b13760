// Strings of other encodings than UTF-8, and where strings end (CTF2-SPEC-2.0, nt-str-field-dec).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf {

// Bytes of a code unit: 1, 2 or 4.
[[nodiscard]] constexpr std::size_t code_unit_size(TextEncoding encoding) {
  if (encoding == TextEncoding::kUtf8) return 1;
  return encoding == TextEncoding::kUtf16Le || encoding == TextEncoding::kUtf16Be ? 2 : 4;
}

// Where the first code unit of zero begins, counted from the first byte; without one, the size.
[[nodiscard]] std::size_t find_terminator(ByteSpan bytes, std::size_t unit);

// How many bytes `size` bytes of an encoding can come to in UTF-8.
[[nodiscard]] std::size_t most_utf8_size(std::size_t size, TextEncoding encoding);

// Writes UTF-8, with U+FFFD for what is not valid, and returns how many bytes.
std::size_t to_utf8(ByteSpan bytes, TextEncoding encoding, std::uint8_t* to);

// The bytes of a text in an encoding other than UTF-8; U+FFFD for what is not valid.
[[nodiscard]] std::string from_utf8(std::string_view text, TextEncoding encoding);

}  // namespace tracedeck::ctf
