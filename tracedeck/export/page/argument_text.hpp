// Arguments of marks: put aside while a slice is open, and written for the page.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tracedeck/timeline/arguments.hpp"
#include "tracedeck/timeline/mark.hpp"

namespace tracedeck::page {

// Appends the arguments of a mark as bytes of our own; of texts and blobs what `arguments_json`
// with the same `most` shows.
void put_aside(std::string& into, const timeline::Mark& mark, std::size_t most);

// Arguments that `put_aside` made, as one JSON object; of two with one name the later. Values are
// numbers, or texts as people read them, with characters that hide or reorder text escaped. Stops
// before `most` bytes with a member "…".
[[nodiscard]] std::string arguments_json(std::string_view aside, std::size_t most);

}  // namespace tracedeck::page
