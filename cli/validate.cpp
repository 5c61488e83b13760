#include "cli/commands.hpp"
#include "cli/traces.hpp"
#include "tracedeck/flow/loss_count.hpp"
#include "tracedeck/format/error_notice.hpp"
#include "tracedeck/render/finding.hpp"
#include "tracedeck/render/loss_text.hpp"
#include "tracedeck/render/sentences.hpp"

namespace tracedeck::cli {
namespace {

// Prints the findings of traces and remembers whether one is an error.
class Validator {
 public:
  Validator(const Options& options, Session& session) : options_(options), session_(session) {}

  // Returns false when standard output is gone.
  bool validate(const flow::TracePlace& place, Result<std::unique_ptr<flow::SingleTrace>> trace) {
    const std::uint64_t before = findings_;
    if (!trace) return show(error_notice(trace.error(), place.operand));
    bool delivered = true;
    losses_ = {};
    const auto read = read_through(**trace, [&](const Batch& batch) {
      for (const Record& record : batch.records()) {
        if (record.kind != RecordKind::kEvent) delivered = delivered && look(record);
      }
      if (place.live && delivered) delivered = session_.delivered(session_.out.flush());
      return delivered;
    });
    if (!read) delivered = delivered && show(error_notice(read.error(), place.operand));
    const std::string& name = (*trace)->reader().description()->input();
    if (const std::string losses = render::losses_text(losses_.totals()); !losses.empty()) {
      session_.diagnostics.note(name + ": " + render::say<"notice/lost">(losses));
      if (options_.strict) session_.outcome.note(ExitCode::kNegative);
    }
    if (findings_ == before) session_.diagnostics.detail(name + ": no findings");
    return delivered;
  }

 private:
  bool look(const Record& record) {
    switch (record.kind) {
      case RecordKind::kProblem:
        session_.outcome.note(ExitCode::kNegative);
        return show(*record.notice);
      case RecordKind::kFinding:
        return show(*record.notice);
      case RecordKind::kLoss:
        losses_.add(*record.loss);
        return true;
      default:
        return true;
    }
  }

  bool show(const Notice& notice) {
    ++findings_;
    if (notice.finding.rule->severity == Severity::kError)
      session_.outcome.note(ExitCode::kNegative);
    return print(
        session_,
        (options_.json ? render::finding_json(notice) : render::finding_line(notice)) + "\n");
  }

  const Options& options_;
  Session& session_;
  std::uint64_t findings_ = 0;
  flow::LossCount losses_;  // of the trace at hand
};

}  // namespace

void run_validate(const Options& options, Session& session) {
  Validator validator(options, session);
  bool live = false;
  constexpr flow::Needs kNeeds = {.values = true, .findings = true};
  for_each_trace(options, session, kNeeds, [&](const auto& place, auto trace) {
    live = place.live;
    return validator.validate(place, std::move(trace));
  });
  // Live TRACEs have no other end.
  if (session.stop.stop_requested() && !live) {
    session.diagnostics.error("interrupted before everything was looked at");
    session.outcome.note(ExitCode::kNegative);
  }
}

}  // namespace tracedeck::cli
