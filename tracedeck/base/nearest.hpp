// What a misspelt word was probably meant to be.
#pragma once

#include <span>
#include <string_view>

namespace tracedeck {

// The one of `words` that `word` was probably meant to be: with two letters or fewer added, left
// out or exchanged, and half of it right. "" if none is. Words of more than 256 bytes are near to
// none.
[[nodiscard]] std::string_view nearest(std::string_view word,
                                       std::span<const std::string_view> words);

}  // namespace tracedeck
