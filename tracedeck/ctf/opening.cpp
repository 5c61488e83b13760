#include "tracedeck/ctf/opening.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tracedeck::ctf {
namespace {

// The event classes that are known when it is made, some in each batch.
class Descriptions final : public RecordSource {
 public:
  explicit Descriptions(std::shared_ptr<const TraceDescription> description)
      : description_(std::move(description)), count_(description_->event_classes().size()) {}

  Result<BatchPtr> next() override {
    if (next_ == count_) return nullptr;
    auto batch = std::make_shared<Batch>(std::size_t{0});
    const std::size_t end = std::min(next_ + Batch::kRecords, count_);
    for (; next_ < end; ++next_) batch->add(Record(&description_->event_classes()[next_]));
    batch->pin(description_);
    return BatchPtr(std::move(batch));
  }

 private:
  std::shared_ptr<const TraceDescription> description_;
  std::size_t count_;
  std::size_t next_ = 0;
};

}  // namespace

Opening open_trace(Trace& trace, bool findings) {
  Opening opening{.batch = std::make_shared<Batch>(std::size_t{0})};
  if (!trace.description()->event_classes().empty())
    opening.classes = std::make_unique<Descriptions>(trace.description());
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
