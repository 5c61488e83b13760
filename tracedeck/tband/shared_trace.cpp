#include "tracedeck/tband/shared_trace.hpp"

#include "tracedeck/tband/model_classes.hpp"
#include "tracedeck/tband/wire.hpp"

namespace tracedeck::tband {

SharedTrace::SharedTrace(const std::string& name, const ReadOptions& options,
                         std::optional<std::uint64_t> resolution)
    : options_(options),
      description_(std::make_shared<TraceDescription>(name, "tband", "unversioned")),
      names_(*description_, options.max_state),
      resolution_(resolution) {
  make_clock(resolution.value_or(kDefaultResolution));
}

const EventClass& SharedTrace::add_class(const EventFacts& facts) {
  const EventClass& added = description_->add_event_class(event_class(facts, *stream_class_));
  classes_[facts.id] = &added;
  return added;
}

void SharedTrace::set_resolution(std::uint64_t resolution) {
  resolution_ = resolution;
  // What was read until now keeps its clock and classes.
  if (resolution != kDefaultResolution) make_clock(resolution);
}

void SharedTrace::make_clock(std::uint64_t resolution) {
  ClockClass& clock = description_->add_clock(
      {.id = "timestamp", .tick = {resolution, 1}, .shift = options_.clock_shift});
  stream_class_ =
      &description_->add_stream_class({.default_clock = &clock, .has_describing_events = true});
  classes_ = {};
  ++generation_;
}

}  // namespace tracedeck::tband
