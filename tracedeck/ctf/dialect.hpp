// The documents that a CTF trace can follow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tracedeck::ctf {

enum class Dialect : std::uint8_t {
  kRc3,    // CTF2-SPECRC-3.0
  kFinal,  // CTF2-SPEC-2.0
  kCtf1,   // CTF 1.8
};
inline constexpr std::size_t kDialectCount = 3;

// How a document is called: "CTF2-SPECRC-3.0", "CTF2-SPEC-2.0", "CTF 1.8.3".
[[nodiscard]] constexpr std::string_view document_name(Dialect dialect) {
  constexpr std::string_view kNames[kDialectCount] = {"CTF2-SPECRC-3.0", "CTF2-SPEC-2.0",
                                                      "CTF 1.8.3"};
  return kNames[static_cast<std::size_t>(dialect)];
}

// The version of a trace's description.
[[nodiscard]] constexpr std::string_view trace_version(Dialect dialect) {
  constexpr std::string_view kVersions[kDialectCount] = {"2 (CTF2-SPECRC-3.0)", "2 (CTF2-SPEC-2.0)",
                                                         "1.8"};
  return kVersions[static_cast<std::size_t>(dialect)];
}

// CTF 1.8: what fields with times are mapped to where the metadata declares no clock.
inline constexpr std::string_view kImplicitClock = "default";

// The word of --to for traces of a dialect.
[[nodiscard]] constexpr std::string_view target_name(Dialect dialect) {
  constexpr std::string_view kNames[kDialectCount] = {"ctf2rc", "ctf2", "ctf1"};
  return kNames[static_cast<std::size_t>(dialect)];
}

}  // namespace tracedeck::ctf
