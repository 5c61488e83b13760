#include "tracedeck/ctf/metadata/metadata.hpp"

#include <algorithm>
#include <utility>

namespace tracedeck::ctf {

Metadata::Metadata(std::string input, std::int64_t clock_shift)
    : description_(std::make_shared<TraceDescription>(std::move(input), "ctf",
                                                      std::string(trace_version(Dialect::kRc3)))),
      clock_shift_(clock_shift) {}

void Metadata::set_dialect(Dialect dialect) {
  dialect_ = dialect;
  description_->set_version(std::string(trace_version(dialect)));
  builder_.set_dialect(dialect);
}

const ClockClass& Metadata::add_clock(ClockClass clock) {
  clock.shift = clock_shift_;
  ClockClass& added = description_->add_clock(std::move(clock));
  clocks_.try_emplace(added.id, &added);
  return added;
}

void Metadata::move_clock(const std::string& id, std::int64_t ticks) {
  const auto found = clocks_.find(id);
  if (found == clocks_.end()) return;
  ClockClass& clock = *found->second;
  const Int128 second = Int128{1'000'000'000} * clock.tick.denominator / clock.tick.numerator;
  if (second == 0) return;
  Int128 offset = Int128{clock.offset_seconds} * second + Int128{clock.offset_ticks} + ticks;
  Int128 seconds = offset / second;
  offset %= second;
  if (offset < 0) {
    offset += second;
    --seconds;
  }
  clock.offset_seconds = static_cast<std::int64_t>(seconds);
  clock.offset_ticks = static_cast<std::uint64_t>(offset);
}

std::vector<ClassFault> Metadata::set_trace_class(TraceClass trace_class) {
  description_->set_trace_class(std::move(trace_class));
  return builder_.set_trace_class(description_->trace_class());
}

std::vector<ClassFault> Metadata::add_stream_class(DataStreamClass stream_class) {
  const DataStreamClass& added = description_->add_stream_class(std::move(stream_class));
  stream_classes_.emplace(added.id.value_or(0), &added);
  return builder_.add_stream_class(added);
}

std::vector<ClassFault> Metadata::add_event_class(std::uint64_t stream_class_id,
                                                  EventClass event_class) {
  event_class.stream_class = find_stream_class(stream_class_id);
  event_class.clock = event_class.stream_class->default_clock;
  const EventClass& added = description_->add_event_class(std::move(event_class));
  return builder_.add_event_class(added);
}

const ClockClass* Metadata::find_clock(const std::string& id) const {
  const auto& clocks = description_->clocks();
  const auto found = std::ranges::find(clocks, id, &ClockClass::id);
  return found == clocks.end() ? nullptr : &*found;
}

const DataStreamClass* Metadata::find_stream_class(std::uint64_t id) const {
  const auto found = stream_classes_.find(id);
  return found == stream_classes_.end() ? nullptr : found->second;
}

const EventClass* Metadata::find_event_class(std::uint64_t stream_class_id,
                                             std::uint64_t id) const {
  return builder_.find_event_class(stream_class_id, id);
}

}  // namespace tracedeck::ctf
