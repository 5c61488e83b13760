#include "cli/notices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "tracedeck/clock_sentences.hpp"
#include "tracedeck/io/live.hpp"
#include "tracedeck/render/counted.hpp"
#include "tracedeck/render/loss_text.hpp"
#include "tracedeck/render/sentences.hpp"

namespace tracedeck::cli {
namespace {

// The TRACE that `input` is, or is a file of.
std::string trace_of(const std::string& input, const Options& options) {
  for (const std::string& trace : options.operands) {
    if (!input.starts_with(trace) || trace.empty()) continue;
    if (input.size() > trace.size() && (trace.ends_with('/') || input[trace.size()] == '/'))
      return trace;
  }
  return input;
}

bool is_live(const Options& options) {
  return options.follow || std::ranges::any_of(options.operands, io::is_live_address);
}

// Whether events of several traces may come by their times, as they are recorded.
bool merges_traces(const Options& options) {
  const bool as_they_come = is_live(options) && options.slack == Nanoseconds();
  if (options.selection.order == flow::Order::kRecorded || as_they_come) return false;
  std::error_code ignored;
  return options.operands.size() > 1 ||
         std::ranges::any_of(options.operands, [&](const std::string& operand) {
           return std::filesystem::is_directory(operand, ignored);
         });
}

}  // namespace

void report_unrelated(const Options& options, Session& session, const std::string& sentence) {
  if (!options.strict) return session.diagnostics.note(sentence);
  session.diagnostics.error(sentence);
  session.outcome.note(ExitCode::kDamage);
}

Notices::Notices(Session& session, const Options& options, NoticePolicy policy)
    : session_(session),
      options_(options),
      policy_(std::move(policy)),
      merges_(merges_traces(options)) {}

// What was lost may come after all, so that all of it has to be seen.
Notices::~Notices() {
  if (options_.strict && losses_.totals().places > 0) session_.outcome.note(ExitCode::kDamage);
}

void Notices::see(const Record& record) {
  switch (record.kind) {
    case RecordKind::kProblem:
    case RecordKind::kFinding:
      see(record.kind, *record.notice);
      break;
    case RecordKind::kLoss:
      losses_.add(*record.loss);
      break;
    default:
      break;
  }
}

void Notices::see(RecordKind kind, const Notice& notice) {
  if (kind == RecordKind::kProblem) {
    session_.outcome.note(notice.finding.rule->lacks_classes ? ExitCode::kNoTrace
                                                             : ExitCode::kDamage);
    say(notice);
    return;
  }
  if (speaks(notice)) say(notice);
  count(notice);
}

void Notices::say(const Notice& notice) {
  if (policy_.silent) return;
  const auto same_rule = [&](const Said& each) { return each.rule == notice.finding.rule; };
  auto said = std::ranges::find_if(said_, same_rule);
  if (said == said_.end()) said = said_.insert(said, {.rule = notice.finding.rule});
  // Anybody can send datagrams, and many.
  const bool is_datagram = io::is_datagram_address(notice.input);
  if (said->lines < (is_datagram ? 1 : policy_.lines_per_rule)) {
    ++said->lines;
    session_.diagnostics.notice(notice);
  } else {
    ++said->counted;
    said->is_gone = said->is_gone || is_datagram;
  }
}

void Notices::see(const Batch& batch) {
  for (const std::uint32_t place : batch.others()) see(batch.records()[place]);
}

void Notices::count(const Notice& notice) {
  if (notice.finding.rule->severity == Severity::kNote) return;
  const std::string name = policy_.trace.empty() ? trace_of(notice.input, options_) : policy_.trace;
  const auto same_trace = [&](const TraceFindings& each) { return each.trace == name; };
  auto trace = std::find_if(findings_.begin(), findings_.end(), same_trace);
  if (trace == findings_.end())
    trace = findings_.insert(trace, {.trace = name, .count = 0, .rules = {}});
  ++trace->count;
  const auto same_rule = [&](const RuleCount& each) { return each.rule == notice.finding.rule; };
  const auto rule = std::find_if(trace->rules.begin(), trace->rules.end(), same_rule);
  if (rule == trace->rules.end()) {
    trace->rules.push_back({.rule = notice.finding.rule, .count = 1});
  } else {
    ++rule->count;
  }
}

void Notices::finish() {
  if (policy_.silent) return finish_order();
  for (const Said& said : said_) {
    if (said.counted == 0) continue;
    session_.diagnostics.error(
        fmt::format("{} more of {}{}", said.counted, said.rule->id,
                    said.is_gone ? "" : "; 'tracedeck validate' names each"));
  }
  for (const TraceFindings& trace : findings_) {
    std::vector<std::string> rules;
    rules.reserve(trace.rules.size());
    for (const RuleCount& each : trace.rules) {
      rules.push_back(fmt::format("{} ({})", each.rule->id, each.count));
    }
    const bool is_gone = trace.trace == "standard input" || io::is_live_address(trace.trace);
    const std::string hint =
        is_gone ? "" : fmt::format("; see 'tracedeck validate {}'", trace.trace);
    session_.diagnostics.note(fmt::format("{}: {}: {}{}", trace.trace,
                                          render::counted(trace.count, "finding"),
                                          fmt::join(rules, ", "), hint));
  }
  if (const std::string losses = render::losses_text(losses_.totals()); !losses.empty())
    session_.diagnostics.note(render::say<"notice/lost">(losses));
  finish_order();
}

void Notices::relate() {
  if (std::exchange(related_, true) || !merges_) return;
  unrelated_ = order_.unrelated(relates_);
  of_other_hosts_ = order_.of_other_hosts(relates_);
}

void Notices::finish_order() {
  relate();
  if (unrelated_) {
    report_unrelated(options_, session_, unrelated_order(unrelated_->first, unrelated_->others));
  }
  if (of_other_hosts_)
    session_.diagnostics.note(other_hosts(of_other_hosts_->first, of_other_hosts_->others));
  if (!counts_steps_back_ || order_.steps_back() == 0) return;
  session_.diagnostics.note(render::say<"notice/steps-back">(order_.steps_back()));
}

}  // namespace tracedeck::cli
