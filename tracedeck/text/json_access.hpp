// Members of JSON objects by their names, integers of any size, and values as messages quote them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tracedeck/base/integer.hpp"
#include "tracedeck/text/json_text.hpp"

namespace tracedeck {

// The child of an object by name, if any: the first of repeated ones.
[[nodiscard]] JsonRef find_child(JsonRef object, std::string_view name);
// Elements of an array, members of an object.
[[nodiscard]] std::size_t count_children(JsonRef value);
// Whether it is a JSON number without fraction and exponent.
[[nodiscard]] bool is_json_integer(JsonRef value);
// The value of such a number; nothing when neither 128 bits nor signed 128 bits hold it.
[[nodiscard]] std::optional<Integer> json_integer(JsonRef value);

// "3", "\"lettle-endian\"", "an object": a value as a message quotes it.
[[nodiscard]] std::string quoted(JsonRef value);

}  // namespace tracedeck
