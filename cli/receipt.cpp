#include "cli/receipt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "cli/hidden.hpp"
#include "cli/places.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/io/output.hpp"
#include "tracedeck/render/json_object.hpp"

namespace tracedeck::cli {

bool is_lossy(const Receipt& receipt) {
  return std::any_of(receipt.begin(), receipt.end(),
                     [](const ReceiptEntry& entry) { return entry.lossy; });
}

std::string receipt_sentence(const ReceiptEntry& entry) {
  return fmt::format("{}: {} ({}): {}", entry.lossy ? "lost" : "by convention", entry.what,
                     entry.count, entry.done);
}

Receipt by_kind(const Receipt& receipt) {
  Receipt kinds;
  for (const ReceiptEntry& entry : receipt) {
    const auto kind = std::ranges::find_if(kinds, [&](const ReceiptEntry& each) {
      return each.what == entry.what && each.done == entry.done && each.lossy == entry.lossy;
    });
    if (kind != kinds.end()) {
      kind->count += entry.count;
    } else {
      kinds.push_back(
          {.what = entry.what, .done = entry.done, .count = entry.count, .lossy = entry.lossy});
    }
  }
  return kinds;
}

std::string report_json(const ConversionReport& report) {
  render::TextBuffer out;
  render::JsonObject object(out);
  render::JsonArray inputs(object.key("inputs"));
  for (const std::string& input : report.inputs) append_json_string(inputs.next(), input);
  inputs.end();
  object.string("output", report.output);
  object.string("to", report.to);
  if (!report.parts.empty()) {
    render::JsonArray parts(object.key("parts"));
    for (const std::string& part : report.parts) append_json_string(parts.next(), part);
    parts.end();
  }
  object.boolean("rewritten", report.rewritten);
  if (!report.rewritten) object.integer("events", report.events);
  object.boolean("lossy", is_lossy(report.receipt));
  render::JsonArray entries(object.key("entries"));
  const auto append = [&](const ReceiptEntry& entry) {
    entries.next();
    render::JsonObject member(out);
    member.string("what", entry.what);
    member.string("done", entry.done);
    member.integer("count", entry.count);
    member.boolean("lossy", entry.lossy);
    if (!entry.event_class.empty()) member.string("class", entry.event_class);
    if (!entry.path.empty()) member.string("path", entry.path);
    if (!entry.input.empty()) {
      member.string("input", entry.input);
      member.integer("offset", entry.offset);
    }
    member.end();
  };
  std::ranges::for_each(report.receipt, append);
  std::ranges::for_each(report.hidden, append);
  entries.end();
  object.end();
  out.append('\n');
  return std::string(out.view());
}

void conclude_conversion(const Options& options, Session& session, const ConversionReport& done) {
  const ConversionReport report = hidden_report(options, done);
  Diagnostics& diagnostics = session.diagnostics;
  for (const ReceiptEntry& entry : by_kind(report.receipt))
    diagnostics.note(fmt::format("{}: {}", options.out, receipt_sentence(entry)));
  report_hidden(options, session, report);
  if (report.parts.size() > 1) {
    diagnostics.note(fmt::format("{}: written as {} parts, {} to {}", options.out,
                                 report.parts.size(), report.parts.front(), report.parts.back()));
  }
  // A trace of no bytes does not say what it is.
  std::error_code unknown;
  if (find_format(options.to) != nullptr &&
      std::filesystem::is_regular_file(options.out, unknown) &&
      std::filesystem::file_size(options.out, unknown) == 0)
    diagnostics.note(
        fmt::format("{}: it is empty, as there was no event to write; --format {} reads it",
                    options.out, options.to));
  // Any other conversion that comes to its end was not cut.
  if (session.stop.stop_requested() && reads_live(options))
    diagnostics.note(fmt::format("interrupted; {} holds what was read until then", options.out));
  if (options.strict && is_lossy(report.receipt)) {
    diagnostics.error(fmt::format("{} does not hold everything that the input does", options.out));
    session.outcome.note(ExitCode::kDamage);
  }
  if (options.report.empty()) return;
  if (options.report == kStandard) {
    session.delivered(session.out.write(report_json(report)));
    return;
  }
  auto file = io::create_file(options.report, session.stop);
  if (!file) {
    diagnostics.error(file.error());
    session.outcome.note(ExitCode::kUsage);
    return;
  }
  if (session.delivered((*file)->write(report_json(report)))) session.delivered((*file)->finish());
}

}  // namespace tracedeck::cli
