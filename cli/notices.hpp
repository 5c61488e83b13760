// What a command says and remembers about the records that are no events.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/session.hpp"
#include "tracedeck/model/batch.hpp"

namespace tracedeck::cli {

// Names every damaged range on standard error, counts what was tolerated and lost, and lets both
// bear on the exit code. `finish` says the counts.
class Notices {
 public:
  Notices(Session& session, bool strict) : session_(session), strict_(strict) {}

  // Whether `see` will write a line, so that what goes before it can be shown first.
  [[nodiscard]] bool speaks(const Record& record) const {
    return record.kind == RecordKind::kProblem ||
           (record.kind == RecordKind::kFinding && session_.diagnostics.verbose());
  }
  void see(const Record& record);
  void see(RecordKind kind, const Notice& notice);
  void see(const Batch& batch);

  // One line for each input with findings, and one for losses.
  void finish();

 private:
  struct RuleCount {
    const Rule* rule;
    std::uint64_t count;
  };
  struct InputFindings {
    std::string input;
    std::uint64_t count = 0;
    std::vector<RuleCount> rules;
  };

  void count(const Notice& notice);

  Session& session_;
  bool strict_;
  std::vector<InputFindings> findings_;
  std::uint64_t losses_ = 0;
  std::uint64_t lost_events_ = 0;
  std::uint64_t lost_packets_ = 0;
};

}  // namespace tracedeck::cli
