#include "tracedeck/lower/nested_description.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "tracedeck/lower/located_fields.hpp"
#include "tracedeck/model/written_out.hpp"

namespace tracedeck::lower {

std::shared_ptr<TraceDescription> lowered_trace(const TraceDescription& source,
                                                const NestedProfile& profile) {
  auto made = std::make_shared<TraceDescription>(source.input(), source.format(), source.version());
  if (!profile.all_numbers && needs_class_ids(source)) {
    made->set_stored_as(source.format(), source.version());
  } else {
    made->set_stored_as(source.stored_as(), source.stored_version());
    if (source.has_heads()) made->set_restored_heads();
  }
  TraceClass trace_class = source.trace_class();
  trace_class.packet_header = nullptr;
  if (source.format() == profile.format)
    trace_class.packet_header = NestedPacket(DataStreamClass{.trace = &source}, profile).header;
  if (!profile.attributes) trace_class.attributes.clear();
  made->set_trace_class(std::move(trace_class));
  for (const Attribute& entry : source.environment()) made->add_environment(entry);
  return made;
}

ClockClass lowered_clock(const ClockClass& source) {
  ClockClass made = source;
  if (has_whole_frequency(source)) return made;
  made.offset_ticks = in_nanoseconds(source.tick, source.offset_ticks);
  made.tick = {};
  made.precision.reset();
  made.accuracy.reset();
  return made;
}

EventClass lowered_event_class(const NestedClass& lowered) {
  const NestedShape& shape = lowered.shape();
  EventClass made = lowered.source();
  if (!lowered.same_format()) made.name = lowered.name();
  if (shape != NestedShape{.clock_value = shape.clock_value}) made.id.reset();
  made.has_duration = false;
  made.nominal_time = false;
  made.self_described = false;
  made.specific_context = lowered.specific_context();
  made.payload = lowered.payload();
  return made;
}

Result<LoweredDescription> lowered_description(const TraceDescription& source,
                                               const TargetProfile& profile) {
  const DataStreamClass any{.trace = &source};
  if (profile.holds({.stream_class = &any}))
    return LoweredDescription{source.shared_from_this(), event_classes_of(source)};
  if (auto fits = WrittenOut().add(source); !fits) return std::unexpected(fits.error());
  const NestedProfile& nested = *profile.nested;
  auto made = lowered_trace(source, nested);
  std::map<const ClockClass*, const ClockClass*> clock_of;
  for (const ClockClass& each : source.clocks())
    clock_of[&each] = &made->add_clock(lowered_clock(each));
  struct Streams {
    const DataStreamClass* target = nullptr;
    std::shared_ptr<const NestedContext> common = {};
  };
  std::map<const DataStreamClass*, Streams> streams_of;
  for (const DataStreamClass& each : source.stream_classes()) {
    Streams& streams = streams_of[&each];
    streams.common = std::make_shared<NestedContext>(each, nested);
    DataStreamClass target = each;
    if (each.default_clock != nullptr) target.default_clock = clock_of[each.default_clock];
    const bool same_format = source.format() == nested.format;
    target.packet_context = same_format ? NestedPacket(each, nested).context : nullptr;
    if (!same_format) target.event_header = nullptr;
    target.common_context = streams.common->field_class;
    if (!nested.attributes) target.attributes.clear();
    streams.target = &made->add_stream_class(std::move(target));
  }
  const auto each_class = [source = source.shared_from_this(), streams_of = std::move(streams_of),
                           &nested](const auto& visit) -> Result<void> {
    for (const EventClass& each : source->event_classes()) {
      const Streams& streams = streams_of.at(each.stream_class);
      EventClass target = lowered_event_class(NestedClass(each, {}, streams.common, nested));
      target.stream_class = streams.target;
      target.clock = streams.target->default_clock;
      if (!nested.attributes) target.attributes.clear();
      if (auto done = visit(target); !done) return done;
    }
    return {};
  };
  return LoweredDescription{std::move(made), each_class};
}

}  // namespace tracedeck::lower
