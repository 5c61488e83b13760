#include "cli/hidden.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tracedeck/convert/hidden_patterns.hpp"

namespace tracedeck::cli {

std::string add_hidden(Options& options, const std::string& text, bool drops) {
  auto pattern = parse_hidden(text, drops, options.hidden.size() + 1);
  if (!pattern) return std::move(pattern).error();
  options.hidden.push_back(*std::move(pattern));
  return {};
}

std::string check_hidden(Options& options) {
  const auto masks = [](const flow::HiddenPattern& pattern) { return !pattern.drops; };
  const bool is_masked = options.shares || std::ranges::any_of(options.hidden, masks);
  if (!options.mask_key.empty() && !is_masked)
    return "option '--mask-key' goes with '--mask' or '--share' only";
  if (options.hidden.empty() && !options.shares) return {};
  if (options.as_stored) {
    return "option '--as-stored' does not go with '--drop', '--mask' or '--share': what a "
           "conversion keeps of another trace would be handed on with it";
  }
  if (options.mask_key.empty() && is_masked)
    options.notes.emplace_back(
        "texts are masked by a random key, and differ from those of any other run; --mask-key "
        "FILE makes equal texts equal everywhere");
  auto hiding = make_hiding(options.hidden, options.shares, options.mask_key);
  if (!hiding) return fmt::format("option '--mask-key': {}", hiding.error());
  options.selection.hiding = *std::move(hiding);
  return {};
}

void report_hidden(const Options& options, Session& session, const ConversionReport& report) {
  for (const ReceiptEntry& entry : report.hidden)
    session.diagnostics.note(
        fmt::format("{}: {} {}: {}", options.out, entry.done, entry.count, entry.what));
  if (options.selection.hiding == nullptr) return;
  for (const std::string& pattern : options.selection.hiding->unmatched()) {
    const std::string sentence =
        fmt::format("{}: '{}' matched nothing, and nothing is hidden by it", options.out, pattern);
    if (!options.strict) {
      session.diagnostics.note(sentence);
      continue;
    }
    session.diagnostics.error(sentence);
    session.outcome.note(ExitCode::kDamage);
  }
}

}  // namespace tracedeck::cli
