// What a file is that is no trace, as far as its first bytes show: for the message that says so.
#pragma once

#include <cstddef>
#include <string>

#include "tracedeck/base/bytes.hpp"

namespace tracedeck {

// How many first bytes a guess looks at.
inline constexpr std::size_t kGuessSize = 512;

// A half-sentence after "it": "looks like a zip archive; unpack it first", "begins with the bytes
// 7F 00". `head` are the first bytes, up to `kGuessSize`; not empty.
[[nodiscard]] std::string guess_content(ByteSpan head);

}  // namespace tracedeck
