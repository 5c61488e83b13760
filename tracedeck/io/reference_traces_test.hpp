// Where the reference traces lie, for tests that read them.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace tracedeck {

// A file or folder of theirs: under $TRACEDECK_TRACES or, without it, beside the project, from
// whose folder tests run.
inline std::filesystem::path reference_traces(std::string_view name) {
  const char* const given = std::getenv("TRACEDECK_TRACES");
  return std::filesystem::path(given != nullptr ? given : "../shared/traces") / name;
}

// Why a test of one of them is skipped; empty: it is there.
inline std::string missing(const std::filesystem::path& trace) {
  if (std::filesystem::exists(trace)) return {};
  return "the reference traces are not there: " + trace.string() + " (see TRACEDECK_TRACES)";
}

}  // namespace tracedeck
