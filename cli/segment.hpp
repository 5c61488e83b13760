// What files of a result of tables are named after.
#pragma once

#include <span>
#include <string>

#include "cli/options.hpp"
#include "tracedeck/base/error.hpp"
#include "tracedeck/flow/trace_place.hpp"

namespace tracedeck::cli {

// The first 16 bytes of the SHA-256 of what is stored of all traces, file after file, in
// hexadecimal: the same input makes the same names wherever it lies. Where options choose or change
// what is written, `-` and 8 digits of them come behind. Of what can be read once: "stream".
// Errors: kReadFailed, kCannotOpen.
[[nodiscard]] Result<std::string> segment_of(std::span<const flow::TracePlace> places,
                                             const Options& options);

// What is wrong with a name that was given, or "".
[[nodiscard]] std::string check_segment(const std::string& name);

}  // namespace tracedeck::cli
