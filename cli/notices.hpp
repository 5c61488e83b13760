// What a command says and remembers about the records that are no events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.hpp"
#include "cli/session.hpp"
#include "tracedeck/flow/loss_count.hpp"
#include "tracedeck/flow/order_watch.hpp"
#include "tracedeck/model/batch.hpp"

namespace tracedeck::cli {

// How much is said of single findings.
struct NoticePolicy {
  // Lines of each rule that has more; the others are counted.
  std::uint64_t lines_per_rule = ~std::uint64_t{0};
  bool silent = false;     // nothing is said, only the exit code knows
  std::string trace = {};  // the one that all is of; "": TRACEs of the options

  // Of commands whose result does not show where in a trace something is.
  static constexpr std::uint64_t kFewLines = 20;
};

// Names every damaged range and every error on standard error, counts what was tolerated and lost,
// and lets it bear on the exit code, of losses when it is destroyed. `finish` says the counts, and
// what the order of the events is worth.
class Notices {
 public:
  // The options must outlive it.
  Notices(Session& session, const Options& options, NoticePolicy policy = {});
  ~Notices();
  Notices(const Notices&) = delete;
  Notices& operator=(const Notices&) = delete;

  // Whether `see` will write a line, so that what goes before it can be shown first.
  [[nodiscard]] bool speaks(const Record& record) const {
    return record.kind == RecordKind::kProblem ||
           (record.kind == RecordKind::kFinding && speaks(*record.notice));
  }
  void see(const Record& record);
  void see(RecordKind kind, const Notice& notice);
  // Not part of a larger loop's function, where its few registers would lie in memory.
  [[gnu::noinline]] void see(const Batch& batch);

  // From here on `see_order` counts events that are printed after later ones.
  void count_steps_back() { counts_steps_back_ = true; }
  // What relates traces besides their clocks, which saves a notice that nothing does. Asked by
  // `finish` or `relate`.
  void relate_by(flow::OrderWatch::Relates relates) { relates_ = std::move(relates); }
  // Finds out now whether the clocks are related, for who closes before `finish` what is asked.
  void relate();
  // Every batch of events that is delivered in the order that the options ask for.
  void see_order(const Batch& batch) {
    if (watches_order()) order_.see(batch);
  }

  // One line for each TRACE with findings, one for losses, and one for each thing that is to be
  // known about the order.
  void finish();

 private:
  struct RuleCount {
    const Rule* rule;
    std::uint64_t count;
  };
  struct TraceFindings {
    std::string trace;
    std::uint64_t count = 0;
    std::vector<RuleCount> rules;
  };

  [[nodiscard]] bool speaks(const Notice& finding) const {
    const Rule& rule = *finding.finding.rule;
    return rule.severity == Severity::kError || rule.doubts_times || session_.diagnostics.verbose();
  }
  // Says it, unless there were too many of its rule.
  void say(const Notice& notice);
  void count(const Notice& notice);
  [[nodiscard]] bool watches_order() const { return counts_steps_back_ || merges_; }
  void finish_order();

  // How often a rule was met with in all traces: said, or counted alone.
  struct Said {
    const Rule* rule;
    std::uint64_t lines = 0;
    std::uint64_t counted = 0;
    bool is_gone = false;  // some of what was counted cannot be read again
  };

  Session& session_;
  const Options& options_;
  NoticePolicy policy_;
  std::vector<Said> said_;
  std::vector<TraceFindings> findings_;
  flow::LossCount losses_;
  bool merges_;  // events of several traces may come by their times
  bool counts_steps_back_ = false;
  flow::OrderWatch order_;
  flow::OrderWatch::Relates relates_;
  bool related_ = false;  // `unrelated_` is known
  std::optional<flow::UnrelatedTraces> unrelated_;
  std::optional<flow::UnrelatedTraces> of_other_hosts_;
};

// Reports that nothing relates the clocks of traces whose times were compared, which is an error
// with --strict.
void report_unrelated(const Options& options, Session& session, const std::string& sentence);

}  // namespace tracedeck::cli
