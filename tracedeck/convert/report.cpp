#include "tracedeck/convert/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tracedeck/text/json_object.hpp"

namespace tracedeck {

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
  TextBuffer out;
  JsonObject object(out);
  JsonArray inputs(object.key("inputs"));
  for (const std::string& input : report.inputs) append_json_string(inputs.next(), input);
  inputs.end();
  object.string("output", report.output);
  object.string("to", report.to);
  if (!report.parts.empty()) {
    JsonArray parts(object.key("parts"));
    for (const std::string& part : report.parts) append_json_string(parts.next(), part);
    parts.end();
  }
  object.boolean("rewritten", report.rewritten);
  if (!report.rewritten) object.integer("events", report.events);
  object.boolean("lossy", is_lossy(report.receipt));
  JsonArray entries(object.key("entries"));
  const auto append = [&](const ReceiptEntry& entry) {
    entries.next();
    JsonObject member(out);
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

}  // namespace tracedeck
