// What `convert` hides: --drop, --mask, --mask-key, --share.
#pragma once

#include <string>

#include "cli/options.hpp"
#include "cli/session.hpp"
#include "tracedeck/convert/report.hpp"

namespace tracedeck::cli {

// Reads a pattern of --drop or --mask. Returns what is wrong, or "".
[[nodiscard]] std::string add_hidden(Options& options, const std::string& text, bool drops);

// Completes `options.selection` by what the options say is hidden. Returns what is wrong, or "".
[[nodiscard]] std::string check_hidden(Options& options);

// Says what was hidden, and what matched nothing.
void report_hidden(const Options& options, Session& session, const ConversionReport& report);

}  // namespace tracedeck::cli
