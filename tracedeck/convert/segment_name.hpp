// What files of a result of tables are named after.
#pragma once

#include <span>
#include <string>

#include "tracedeck/base/error.hpp"
#include "tracedeck/flow/hiding.hpp"
#include "tracedeck/flow/trace_place.hpp"

namespace tracedeck {

// An option of `convert` that changes what is written of a trace, and its value.
struct Change {
  std::string option;  // "begin", as the command calls it
  std::string value;
};

// The first 16 bytes of the SHA-256 of what is stored of all traces, file after file, in
// hexadecimal: the same input makes the same names wherever it lies. Where there are changes, `-`
// and 8 digits of them come behind. Of what can be read once: "stream". `hiding` may be null.
// Errors: kReadFailed, kCannotOpen.
[[nodiscard]] Result<std::string> segment_of(std::span<const flow::TracePlace> places,
                                             std::span<const Change> changes,
                                             const flow::Hiding* hiding);

// What is wrong with a name that was given, or "".
[[nodiscard]] std::string check_segment(const std::string& name);

}  // namespace tracedeck
