#include "tracedeck/lower/target_traces.hpp"

#include <algorithm>
#include <utility>

#include "tracedeck/lower/description_text.hpp"
#include "tracedeck/lower/lower_marks.hpp"
#include "tracedeck/lower/nested_description.hpp"
#include "tracedeck/lower/nested_fields.hpp"

namespace tracedeck::lower {
namespace {

// Classes without events are there in the target too, but no more than these: of all others there
// are marks alone, written when they take so many bytes.
constexpr std::size_t kMostWithoutEvents = 1024;
constexpr std::size_t kTextAtOnce = std::size_t{64} << 10;

}  // namespace

void TargetTraces::add_text(TraceInTarget& trace, std::string_view text) {
  receipt_.count(Convention::kDescription);
  trace.texts.next().append(text);
}

void TargetTraces::describe_streams(TraceInTarget& trace, const DataStreamClass& stream_class) {
  if (!trace.stream_classes.insert(&stream_class).second) return;
  if (!trace.same_format) receipt_.note_heads(stream_class.packet_context, trace.source->input());
  add_text(trace, text_of(trace.same_format ? stream_class : without_heads(stream_class)));
}

void TargetTraces::describe_new(TraceInTarget& trace, const TraceDescription& of) {
  for (; trace.environment < of.environment().size(); ++trace.environment)
    add_text(trace, text_of(of.environment()[trace.environment], trace.environment));
  for (; trace.clocks < of.clocks().size(); ++trace.clocks)
    add_text(trace, text_of(of.clocks()[trace.clocks]));
}

void TargetTraces::describe_class(TraceInTarget& trace, const EventClass& source) {
  if (trace.has_class(source)) return;
  trace.classes[source.entity.ordinal] = true;
  receipt_.count(Convention::kDescription);
  append_text_of(trace.texts.next(), source);
}

Attributes TargetTraces::marked(TraceInTarget& trace, const AttributeMark& mark,
                                const Attributes& source) const {
  return trace.texts.take(mark, nested_.attributes ? source : Attributes());
}

TraceInTarget& TargetTraces::of(const TraceDescription& source) {
  const auto [place, is_new] = traces_.try_emplace(source.number());
  TraceInTarget& trace = place->second;
  if (is_new) {
    trace.index = next_trace_++;
    trace.texts = MarkText(trace.index);
    trace.source = source.shared_from_this();
    add_text(trace,
             text_of(source, names_ ? names_(source) : source.name_among_others(), are_parts_));
    trace.target = lowered_trace(source, nested_);
    if (!environment_) environment_ = source.environment();
    trace.target->set_environment(*environment_);
    note_environment(source);
    trace.same_format = source.format() == nested_.format;
    if (!trace.same_format) receipt_.note_heads(source.trace_class().packet_header, source.input());
  }
  describe_new(trace, source);
  // Whether packets can have the heads that they had depends on all of them.
  if (is_new && trace.same_format) {
    for (const DataStreamClass& each : source.stream_classes()) {
      if (!check_size(each)) continue;
      const DataStream any{.stream_class = &each};
      trace.streams_of[&each] = &add_streams(trace, any, false);
    }
  }
  return trace;
}

void TargetTraces::note_environment(const TraceDescription& source) {
  for (const Attribute& entry : source.environment()) {
    if (std::ranges::find(*environment_, entry) != environment_->end()) continue;
    Account*& account = environments_[entry.key];
    if (account == nullptr) {
      account = &receipt_.add(
          {.kept = {{.convention = Convention::kEnvironment, .path = "environment." + entry.key}},
           .input = source.input()});
    }
    ++account->events;
  }
}

const ClockClass* TargetTraces::clock_of(TraceInTarget& trace, const ClockClass* source) {
  if (source == nullptr) return nullptr;
  const ClockClass*& known = trace.clock_of[source];
  if (known != nullptr) return known;
  known = &trace.target->add_clock(lowered_clock(*source));
  if (!any_clock_) any_clock_ = *known;
  return known;
}

const ClockClass* TargetTraces::clock_of(TraceInTarget& trace, const DataStreamClass& source) {
  const ClockClass* const own = source.default_clock;
  if (own != nullptr || !needs_clocks(*trace.source)) return clock_of(trace, own);
  if (trace.clock_of_others == nullptr) {
    if (!trace.source->clocks().empty()) {
      trace.clock_of_others = clock_of(trace, &trace.source->clocks()[0]);
    } else {
      trace.clock_of_others = &trace.target->add_clock(any_clock_.value_or(
          ClockClass{.id = "none",
                     .origin = ClockOrigin::kUnixEpoch,
                     .description = "of data streams whose events have no times"}));
    }
  }
  return trace.clock_of_others;
}

bool TargetTraces::needs_clocks(const TraceDescription& source) const {
  const auto has_clock = [](const DataStreamClass& each) { return each.default_clock != nullptr; };
  return nested_.clocks_for_all &&
         (names_ != nullptr || std::ranges::any_of(source.stream_classes(), has_clock));
}

FieldClassPtr TargetTraces::packet_context(const std::vector<std::string>& keys) const {
  if (keys.empty()) return nullptr;
  NestedFields fields(nested_, false, false);
  // Tools look for the number of a processor under this name.
  for (const std::string& key : keys)
    fields.add(key == "core" ? "cpu_id" : nested_.member_name(key), wide_number());
  return fields.take();
}

StreamsOf& TargetTraces::add_streams(TraceInTarget& trace, const DataStream& stream, bool alone) {
  const DataStreamClass& source = *stream.stream_class;
  StreamsOf& made = trace.streams.emplace_back(StreamsOf{.source = &source});
  made.common = std::make_shared<NestedContext>(source, nested_);
  if (trace.same_format) {
    made.packets = std::make_unique<NestedPacket>(source, nested_);
  } else {
    made.packets_say_more =
        user_members(source.packet_context).field_class != nullptr ||
        user_members(source.trace->trace_class().packet_header).field_class != nullptr;
  }
  if (source.default_clock != nullptr)
    made.whole_frequency = has_whole_frequency(*source.default_clock);
  if (alone) {
    describe_streams(trace, source);
    made.only = stream.entity.ordinal;
    add_text(trace, text_of(stream));
  } else if (!trace.same_format) {
    for (const StreamKey& key : stream.keys) made.keys.push_back(key.name);
  }
  DataStreamClass target = source;
  if (alone) target.id.reset();
  made.target = &add_stream_class(trace, made, std::move(target), false);
  return made;
}

DataStreamClass& TargetTraces::add_stream_class(TraceInTarget& trace, const StreamsOf& streams,
                                                DataStreamClass target, bool is_loss) {
  target.default_clock = clock_of(trace, *streams.source);
  if (streams.packets != nullptr) {
    target.packet_context = streams.packets->context;
  } else {
    target.packet_context = packet_context(streams.keys);
    target.event_header = nullptr;
  }
  target.common_context = is_loss ? nullptr : streams.common->field_class;
  target.streams_are_parts = false;
  return trace.target->add_stream_class(std::move(target));
}

void TargetTraces::mark(TraceInTarget& trace, const StreamsOf& streams, DataStreamClass& target,
                        bool is_loss) {
  describe_streams(trace, *streams.source);
  AttributeMark mark{.is_loss = is_loss};
  if (streams.only) {
    mark.stream = streams.only;
  } else {
    mark.streams = {.stream_class = streams.source->entity.ordinal, .keys = streams.keys};
  }
  target.attributes = marked(trace, mark, target.attributes);
}
void TargetTraces::mark(TraceInTarget& trace, StreamsOf& streams) {
  if (!std::exchange(streams.is_marked, true)) mark(trace, streams, *streams.target, false);
}

void TargetTraces::mark_all(TraceInTarget& trace) {
  for (StreamsOf& each : trace.streams) mark(trace, each);
}

Result<void> TargetTraces::check_size(const DataStreamClass& of) {
  if (of.trace->format() != nested_.format || !checked_.insert(of.entity).second) return {};
  auto fits = written_out_.add(
      {of.trace->trace_class().packet_header, of.packet_context, of.common_context},
      of.trace->input());
  if (!fits) checked_.erase(of.entity);
  return fits;
}

bool TargetTraces::check_size(const EventClass& of) {
  const TraceDescription& trace = *of.stream_class->trace;
  return trace.format() != nested_.format ||
         written_out_.add({of.specific_context, of.payload}, trace.input()).has_value();
}

Result<void> TargetTraces::add_without_events(TraceInTarget& trace, const StreamsOf& streams,
                                              Writer* target) {
  std::size_t lowered = 0;
  std::size_t size = 0;  // of marks that the target does not have yet
  for (const EventClass& each : trace.source->event_classes()) {
    if (each.stream_class != streams.source || trace.has_class(each)) continue;
    if (lowered++ == kMostWithoutEvents) break;
    if (!check_size(each)) continue;
    const EventClass& made = add_class(trace, streams, *lowered_class(each, streams, {}));
    trace.without_events[{&streams, each.entity.ordinal}] = &made;
    if (target == nullptr) continue;
    trace.marked.push_back(&made);
    for (const Attribute& attribute : made.attributes) size += attribute.value.size();
    if (size < kTextAtOnce) continue;
    size = 0;
    if (auto written = hand_on(trace, *target); !written) return written;
  }
  return {};
}

Result<void> TargetTraces::describe_rest(TraceInTarget& trace, const StreamsOf& streams,
                                         Writer& target) {
  describe_new(trace, *trace.source);
  // A mark of a data stream class finds its text in those of such classes alone.
  mark_all(trace);
  for (const DataStreamClass& each : trace.source->stream_classes()) describe_streams(trace, each);
  if (auto added = add_without_events(trace, streams, &target); !added) return added;
  for (const EventClass& each : trace.source->event_classes()) {
    if (trace.has_class(each)) continue;
    describe_class(trace, each);
    if (trace.texts.size() < kTextAtOnce) continue;
    if (auto written = write_texts(trace, streams, target); !written) return written;
  }
  return trace.texts.empty() ? Result<void>() : write_texts(trace, streams, target);
}

Result<void> TargetTraces::write_texts(TraceInTarget& trace, const StreamsOf& streams,
                                       Writer& target) {
  trace.marked.push_back(&trace.target->add_event_class({.name = std::string(kMarkName),
                                                         .name_space = {},
                                                         .uid = {},
                                                         .stream_class = streams.target,
                                                         .clock = streams.target->default_clock,
                                                         .attributes = trace.texts.take({}, {})}));
  return hand_on(trace, target);
}

Result<void> TargetTraces::hand_on(TraceInTarget& trace, Writer& target) {
  // The target gets those of data streams that have not begun, too.
  mark_all(trace);
  if (auto described = target.describe(*trace.target); !described) return described;
  for (const EventClass* const each : std::exchange(trace.marked, {})) forget_mark(*each);
  return {};
}

void TargetTraces::forget_mark(const EventClass& of) {
  Attributes& attributes = const_cast<EventClass&>(of).attributes;  // NOLINT(*-const-cast)
  const auto mark = std::ranges::find_if(attributes, is_mark);
  if (mark != attributes.end()) attributes.erase(mark);
}

const EventClass& TargetTraces::add_class(TraceInTarget& trace, const StreamsOf& streams,
                                          const NestedClass& lowered) {
  const EventClass& source = lowered.source();
  describe_class(trace, source);
  const AttributeMark mark{.events =
                               AttributeMark::OfEvents{source.entity.ordinal, lowered.shape()}};
  EventClass target = lowered_event_class(lowered);
  target.stream_class = streams.target;
  target.clock = streams.target->default_clock;
  target.attributes = marked(trace, mark, source.attributes);
  return trace.target->add_event_class(std::move(target));
}

std::unique_ptr<NestedClass> TargetTraces::lowered_class(const EventClass& source,
                                                         const StreamsOf& streams,
                                                         NestedShape shape) const {
  return std::make_unique<NestedClass>(source, shape, streams.common, nested_);
}

TraceInTarget& TargetTraces::describe(const TraceDescription& source) {
  TraceInTarget& trace = of(source);
  for (const ClockClass& each : source.clocks()) static_cast<void>(clock_of(trace, &each));
  for (StreamsOf& each : trace.streams) {
    mark(trace, each);
    // Without a target there is none that could fail.
    [[maybe_unused]] const Result<void> added = add_without_events(trace, each, nullptr);
  }
  for (const DataStreamClass& each : source.stream_classes()) describe_streams(trace, each);
  for (const EventClass& each : source.event_classes()) describe_class(trace, each);
  // The marks of what else there is stand at a data stream class of their own.
  if (!trace.texts.empty()) {
    DataStreamClass made;
    made.attributes = trace.texts.take({}, {});
    trace.target->add_stream_class(std::move(made));
  }
  return trace;
}

}  // namespace tracedeck::lower
