// Where a trace keeps what this project says about it: the namespace `tracedeck` of user attributes
// in CTF 2. CTF 1.8 has none, so its environment keeps the marks of conversions, each right before
// the block that it is about, and readers hand it up as an attribute of that class.
#pragma once

#include <string_view>

namespace tracedeck::ctf {

// The namespace of our user attributes in CTF 2, and what our environment entries begin with in
// CTF 1.8.
inline constexpr std::string_view kOurNamespace = "tracedeck";

// Attributes of plain text, of which CTF 2 has none, stand together in ours under this key:
// [[key, value], ...].
inline constexpr std::string_view kAnnotations = "annotations";

// The entry's name, without its number.
inline constexpr std::string_view kMarkEntry = "tracedeck_mark_";

// Whether JSON text of our attribute has a mark in it.
[[nodiscard]] inline bool holds_mark(std::string_view json) {
  return json.find("\"marks\":") != std::string_view::npos;
}

}  // namespace tracedeck::ctf
