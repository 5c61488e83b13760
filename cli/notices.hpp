// What a command says and remembers about the records that are no events.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/session.hpp"
#include "tracedeck/model/batch.hpp"

namespace tracedeck::cli {

// Names every damaged range and every error on standard error, counts what was tolerated and lost,
// and lets it bear on the exit code. `finish` says the counts.
class Notices {
 public:
  // The options must outlive it.
  Notices(Session& session, const Options& options) : session_(session), options_(options) {}

  // Whether `see` will write a line, so that what goes before it can be shown first.
  [[nodiscard]] bool speaks(const Record& record) const {
    return record.kind == RecordKind::kProblem ||
           (record.kind == RecordKind::kFinding && speaks(*record.notice));
  }
  void see(const Record& record);
  void see(RecordKind kind, const Notice& notice);
  void see(const Batch& batch);

  // One line for each TRACE with findings, and one for losses.
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
    return finding.finding.rule->severity == Severity::kError || session_.diagnostics.verbose();
  }
  void count(const Notice& notice);

  Session& session_;
  const Options& options_;
  std::vector<TraceFindings> findings_;
  std::uint64_t losses_ = 0;
  std::uint64_t lost_events_ = 0;
  std::uint64_t lost_packets_ = 0;
  std::uint64_t losses_of_unknown_size_ = 0;  // places
};

}  // namespace tracedeck::cli
