#include "cli/receipt.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tracedeck/render/json_object.hpp"

namespace tracedeck::cli {

bool is_lossy(const Receipt& receipt) {
  return std::any_of(receipt.begin(), receipt.end(),
                     [](const ReceiptEntry& entry) { return entry.lossy; });
}

std::string receipt_sentence(const ReceiptEntry& entry) {
  return fmt::format("{}: {} ({}): {}", entry.lossy ? "lost" : "kept", entry.what, entry.count,
                     entry.done);
}

std::string report_json(const ConversionReport& report) {
  render::TextBuffer out;
  render::JsonObject object(out);
  render::JsonArray inputs(object.key("inputs"));
  for (const std::string& input : report.inputs) append_json_string(inputs.next(), input);
  inputs.end();
  object.string("output", report.output);
  object.string("to", report.to);
  object.boolean("rewritten", report.rewritten);
  if (!report.rewritten) object.integer("events", report.events);
  object.boolean("lossy", is_lossy(report.receipt));
  render::JsonArray entries(object.key("entries"));
  for (const ReceiptEntry& entry : report.receipt) {
    entries.next();
    render::JsonObject member(out);
    member.string("what", entry.what);
    member.string("done", entry.done);
    member.integer("count", entry.count);
    member.boolean("lossy", entry.lossy);
    member.end();
  }
  entries.end();
  object.end();
  out.append('\n');
  return std::string(out.view());
}

}  // namespace tracedeck::cli
