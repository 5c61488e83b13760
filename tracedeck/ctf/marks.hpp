// Where a trace keeps what this project says about it: the namespace `tracedeck` of user attributes
// in CTF 2. CTF 1.8 has none, so its environment keeps the marks of conversions as entries
// `tracedeck_mark_stream_S` and `tracedeck_mark_event_S_E`, with the ids of the data stream class
// and of the event class that they are about, and readers hand them up as attributes of these.
// Where the environment has an entry of that name, underscores follow it.
// Earlier results number their entries; each is about the class whose block follows it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tracedeck::ctf {

// The namespace of our user attributes in CTF 2, and what our environment entries begin with in
// CTF 1.8.
inline constexpr std::string_view kOurNamespace = "tracedeck";

// Attributes of plain text, of which CTF 2 has none, stand together in ours under this key:
// [[key, value], ...].
inline constexpr std::string_view kAnnotations = "annotations";

// What the names of entries begin with.
inline constexpr std::string_view kMarkEntry = "tracedeck_mark_";
[[nodiscard]] inline std::string mark_entry(std::uint64_t stream_class) {
  return std::string(kMarkEntry) + "stream_" + std::to_string(stream_class);
}
[[nodiscard]] inline std::string mark_entry(std::uint64_t stream_class, std::uint64_t event_class) {
  return std::string(kMarkEntry) + "event_" + std::to_string(stream_class) + "_" +
         std::to_string(event_class);
}

// The name of an entry without the underscores that follow it.
[[nodiscard]] inline std::string_view named_mark(std::string_view entry) {
  return entry.substr(0, entry.find_last_not_of('_') + 1);
}

// Whether JSON text of our attribute has a mark in it.
[[nodiscard]] inline bool holds_mark(std::string_view json) {
  return json.find("\"marks\":") != std::string_view::npos;
}

}  // namespace tracedeck::ctf
