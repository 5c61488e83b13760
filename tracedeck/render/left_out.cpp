#include "tracedeck/render/left_out.hpp"

#include <utility>

namespace tracedeck::render {
namespace {

constexpr AdaptationCounts<LeftOutKind>::Table kFacts = {{
    {"packets", "left out, but for the contexts that events are shown with", true},
    {"losses that the producer recorded", "left out", true},
    {"damaged ranges", "left out", true},
    {"clocks of which more is known than their times", "left out", true},
    {"entries of the environment", "left out", true},
}};

// Times are shown as ns from the origin, and nothing else of a clock.
bool says_more(const ClockClass& clock) {
  return clock.tick != Tick{} || clock.identity != Identity{} ||
         clock.origin_identity != Identity{} || clock.precision || clock.accuracy ||
         !clock.description.empty() || !clock.attributes.empty();
}

}  // namespace

void LeftOut::see(const Record& record) {
  switch (record.kind) {
    case RecordKind::kStreamBegin:
      if (open_.begin(record.stream->entity.trace))
        std::erase_if(traces_, [this](const auto& each) { return !open_.has(each.first); });
      see(*record.stream);
      break;
    case RecordKind::kStreamEnd:
      see(*record.stream);
      open_.end(record.stream->entity.trace);
      break;
    case RecordKind::kPacketBegin:
      if (!all_records_) counts_.add(LeftOutKind::kPacket);
      break;
    case RecordKind::kLoss:
      see(*record.loss);
      break;
    case RecordKind::kProblem:
      if (!all_records_) counts_.add(LeftOutKind::kProblem);
      break;
    case RecordKind::kEvent:
    case RecordKind::kPacketEnd:
    case RecordKind::kDescription:
    case RecordKind::kFinding:
      break;
  }
}

void LeftOut::see(const Loss& loss) {
  const std::uint64_t events = loss.events.value_or(0);
  if (loss.taken_back) {
    lost_events_ -= events;
    return;
  }
  ++losses_;
  lost_events_ += events;
  all_came_ = all_came_ && loss.events && !loss.packets;
}

void LeftOut::see(const DataStream& stream) {
  if (stream.stream_class != nullptr && stream.stream_class->trace != nullptr)
    see(*stream.stream_class->trace);
}

void LeftOut::see(const TraceDescription& trace) {
  Counted& counted = traces_[trace.number()];
  for (; counted.clocks < trace.clocks().size(); ++counted.clocks) {
    if (says_more(trace.clocks()[counted.clocks])) counts_.add(LeftOutKind::kClock);
  }
  const std::size_t entries = trace.environment().size();
  counts_.add(LeftOutKind::kEnvironment, entries - std::exchange(counted.environment, entries));
}

Receipt LeftOut::receipt() const {
  AdaptationCounts<LeftOutKind> counts = counts_;
  const bool all_came = all_came_ && lost_events_ == 0;
  if (!all_records_ && !all_came) counts.add(LeftOutKind::kLoss, losses_);
  return counts.receipt(kFacts);
}

}  // namespace tracedeck::render
