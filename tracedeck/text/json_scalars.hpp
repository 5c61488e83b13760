// Scalars in JSON: strings, reals, integers and base64.
#pragma once

#include <cstdint>
#include <string_view>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/time.hpp"
#include "tracedeck/text/number.hpp"
#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck {

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

// The digits of a time, as a string when such a reader would round them. Writes to room of
// `kJsonIntegerSize` and returns the end.
inline constexpr std::size_t kJsonIntegerSize = 2 * kIntegerSize + 2;
char* write_json_integer(char* to, Nanoseconds value);
inline void append_json_integer(TextBuffer& out, Nanoseconds value) {
  out.commit(write_json_integer(out.reserve(kJsonIntegerSize), value));
}

}  // namespace tracedeck
