#include "cli/notices.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tracedeck::cli {
namespace {

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

void Notices::see(const Record& record) {
  switch (record.kind) {
    case RecordKind::kProblem:
    case RecordKind::kFinding:
      see(record.kind, *record.notice);
      break;
    case RecordKind::kLoss:
      ++losses_;
      lost_events_ += record.loss->events.value_or(0);
      lost_packets_ += record.loss->packets.value_or(0);
      if (strict_) session_.outcome.note(ExitCode::kDamage);
      break;
    default:
      break;
  }
}

void Notices::see(RecordKind kind, const Notice& notice) {
  if (kind == RecordKind::kProblem) {
    session_.outcome.note(ExitCode::kDamage);
    session_.diagnostics.notice(notice);
    return;
  }
  if (session_.diagnostics.verbose()) session_.diagnostics.notice(notice);
  count(notice);
}

void Notices::see(const Batch& batch) {
  for (const Record& record : batch.records()) {
    if (record.kind != RecordKind::kEvent) see(record);
  }
}

void Notices::count(const Notice& notice) {
  const auto same_input = [&](const InputFindings& each) { return each.input == notice.input; };
  auto input = std::find_if(findings_.begin(), findings_.end(), same_input);
  if (input == findings_.end())
    input = findings_.insert(input, {.input = notice.input, .count = 0, .rules = {}});
  ++input->count;
  const auto same_rule = [&](const RuleCount& each) { return each.rule == notice.finding.rule; };
  const auto rule = std::find_if(input->rules.begin(), input->rules.end(), same_rule);
  if (rule == input->rules.end()) {
    input->rules.push_back({.rule = notice.finding.rule, .count = 1});
  } else {
    ++rule->count;
  }
}

void Notices::finish() {
  for (const InputFindings& input : findings_) {
    std::vector<std::string> rules;
    rules.reserve(input.rules.size());
    for (const RuleCount& each : input.rules) {
      rules.push_back(fmt::format("{} ({})", each.rule->id, each.count));
    }
    const std::string hint = input.input == "standard input"
                                 ? ""
                                 : fmt::format("; see 'tracedeck validate {}'", input.input);
    session_.diagnostics.note(fmt::format("{}: {}: {}{}", input.input,
                                          counted(input.count, "finding"), fmt::join(rules, ", "),
                                          hint));
  }
  if (losses_ > 0) {
    session_.diagnostics.note(
        fmt::format("the producer lost {} and {}, in {}", counted(lost_events_, "event"),
                    counted(lost_packets_, "packet"), counted(losses_, "place")));
  }
}

}  // namespace tracedeck::cli
