// Options that only some outputs know.
#pragma once

#include <string>

#include "cli/options.hpp"
#include "tracedeck/outputs.hpp"

namespace tracedeck::cli {

// What is wrong with the options that were given for an output of that kind, or "". `option`: the
// one that names the output, "--to".
[[nodiscard]] std::string check_output_options(const Options& options, const OutputKind& kind,
                                               std::string_view option);

// What the options say about every output; the rest is the caller's.
[[nodiscard]] OutputSettings output_settings(const Options& options);

}  // namespace tracedeck::cli
