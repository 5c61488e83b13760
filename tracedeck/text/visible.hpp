// Text from traces as text for people: nothing that a terminal would obey gets through.
//
// Control characters (ASCII's and those of U+0080 to U+009F), bytes that are no UTF-8, and
// characters that reorder text, break its lines or show nothing are escaped: `\n`, `\x1b`,
// `\u{202e}`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck {

// Each appends and returns how many columns of a terminal that takes.

// The text; a backslash stands for itself.
std::size_t append_visible(TextBuffer& out, std::string_view text);
// The text in double quotes; quotes and backslashes are escaped too, so that nothing is ambiguous.
std::size_t append_visible_quoted(TextBuffer& out, std::string_view text);
// The text as it is if it looks like a name (letters, digits, `_ . : @ $ # / -`), else in quotes.
std::size_t append_visible_name(TextBuffer& out, std::string_view text);

[[nodiscard]] std::string visible(std::string_view text);

// Columns that text without control characters takes.
[[nodiscard]] std::size_t columns_of(std::string_view text);

}  // namespace tracedeck
