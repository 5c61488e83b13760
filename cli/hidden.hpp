// What `convert` hides: --drop, --mask, --mask-key, --share.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "cli/receipt.hpp"
#include "cli/session.hpp"

namespace tracedeck::cli {

// Reads `[KIND:]GLOB` or `[CLASS:]GLOB`. Errors are sentences.
[[nodiscard]] std::expected<flow::HiddenPattern, std::string> parse_hidden(std::string_view text);

// The same for --drop and --mask. Returns what is wrong, or "".
[[nodiscard]] std::string add_hidden(Options& options, const std::string& text, bool drops);

// Completes `options.selection` by what the options say is hidden. Returns what is wrong, or "".
[[nodiscard]] std::string check_hidden(Options& options);

// The TRACEs, as results may name them.
[[nodiscard]] std::vector<std::string> shown_operands(const Options& options);

// A report without what is hidden, and with what was.
[[nodiscard]] ConversionReport hidden_report(const Options& options,
                                             const ConversionReport& report);
// Says what was hidden, and what matched nothing.
void report_hidden(const Options& options, Session& session, const ConversionReport& report);

}  // namespace tracedeck::cli
