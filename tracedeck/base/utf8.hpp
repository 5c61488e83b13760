// UTF-8: validation, and a scanner that walks any bytes.
//
// Where bytes are no UTF-8 the scanner steps over one "maximal subpart" of an ill-formed sequence
// (The Unicode Standard, section 3.9, "U+FFFD Substitution of Maximal Subparts"), so that replacing
// each invalid step by U+FFFD gives what other conforming decoders give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tracedeck/base/bytes.hpp"

namespace tracedeck {

// U+FFFD in UTF-8.
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

// One step over text.
struct Utf8Step {
  std::uint32_t length = 1;      // bytes, at least 1
  char32_t code_point = 0xFFFD;  // U+FFFD for an invalid step
  bool valid = false;
};

// The step at `at`, which must be before `end`.
[[nodiscard]] Utf8Step utf8_step(const std::uint8_t* at, const std::uint8_t* end);

// How many of the first bytes are well-formed UTF-8: all of them when the text is valid.
[[nodiscard]] std::size_t utf8_valid_prefix(ByteSpan text);

[[nodiscard]] inline bool is_valid_utf8(ByteSpan text) {
  return utf8_valid_prefix(text) == text.size();
}
[[nodiscard]] inline bool is_valid_utf8(std::string_view text) {
  return is_valid_utf8(as_bytes(text));
}

// The text, each invalid step replaced by U+FFFD.
[[nodiscard]] std::string repaired_utf8(std::string_view text);

}  // namespace tracedeck
