#include "tracedeck/ctf/opening.hpp"

#include <utility>
#include <vector>

namespace tracedeck::ctf {

Opening open_trace(Trace& trace, bool findings) {
  Opening opening{.batch = std::make_shared<Batch>(std::size_t{0})};
  for (const EventClass& each : trace.description()->event_classes())
    opening.batch->add(Record(&each));
  opening.batch->pin(std::shared_ptr<const TraceDescription>(trace.description()));
  std::vector<FileFinding> found = trace.take_findings();
  opening.rejection = take_rejection(trace, found);
  for (FileFinding& each : found) {
    const bool is_error = each.finding.rule->severity == Severity::kError;
    if (!is_error && !findings) continue;
    // What an auxiliary stream holds is not read from its fault on; the events are.
    const RecordKind kind = is_error && !each.rejects ? RecordKind::kProblem : RecordKind::kFinding;
    opening.batch->add_notice(kind, {std::move(each.file), std::move(each.finding)});
  }
  return opening;
}

}  // namespace tracedeck::ctf
