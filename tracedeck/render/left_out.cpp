#include "tracedeck/render/left_out.hpp"

#include <algorithm>
#include <utility>

#include "tracedeck/model/class_tree.hpp"

namespace tracedeck::render {
namespace {

constexpr AdaptationCounts<LeftOutKind>::Table kFacts = {{
    {"packets", "left out, but for the contexts that events are shown with", true},
    {"losses that the producer recorded", "left out", true},
    {"damaged ranges", "left out", true},
    {"clocks of which more is known than their times", "left out", true},
    {"entries of the environment", "left out", true},
    {"attributes of traces, classes and fields", "left out", true},
    {"identities of traces and classes beside names and ids", "left out", true},
    {"classes without events", "left out", true},
}};

// Times are shown as ns from the origin, and nothing else of a clock.
bool says_more(const ClockClass& clock) {
  return clock.tick != Tick{} || clock.identity != Identity{} ||
         clock.origin_identity != Identity{} || clock.precision || clock.accuracy ||
         !clock.description.empty() || !clock.attributes.empty();
}

}  // namespace

void LeftOut::see(const Record& record) {
  if (!counts_any_) return;
  switch (record.kind) {
    case RecordKind::kStreamBegin:
      if (open_.begin(record.stream->entity.trace)) forget_traces();
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
      losses_.add(*record.loss);
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

// Those that have ended.
void LeftOut::forget_traces() {
  noted_.clear();
  std::erase_if(traces_, [this](const auto& each) {
    if (open_.has(each.first)) return false;
    counts_.add(LeftOutKind::kUnused, each.second.unused());
    return true;
  });
}

void LeftOut::see(const DataStream& stream) {
  if (stream.stream_class != nullptr && stream.stream_class->trace != nullptr)
    see(*stream.stream_class->trace);
}

void LeftOut::see(const TraceDescription& trace) {
  if (!counts_any_) return;
  Counted& counted = traces_[trace.number()];
  for (; counted.clocks < trace.clocks().size(); ++counted.clocks) {
    if (!describes_traces_ && says_more(trace.clocks()[counted.clocks]))
      counts_.add(LeftOutKind::kClock);
  }
  const std::size_t entries = trace.environment().size();
  const std::size_t more = entries - std::exchange(counted.environment, entries);
  if (!describes_traces_) counts_.add(LeftOutKind::kEnvironment, more);
  if (!std::exchange(counted.begun, true)) {
    const TraceClass& of = trace.trace_class();
    const bool named = of.uuid || of.name || !of.name_space.empty() || !of.uid.empty();
    if (named) counts_.add(LeftOutKind::kIdentity);
    counts_.add(LeftOutKind::kAttribute, of.attributes.size());
    see_attributes(counted, of.packet_header);
  }
  const auto is_named = [](const auto& of) { return !of.name_space.empty() || !of.uid.empty(); };
  for (; counted.stream_classes < trace.stream_classes().size(); ++counted.stream_classes) {
    const DataStreamClass& each = trace.stream_classes()[counted.stream_classes];
    if (each.name || is_named(each)) counts_.add(LeftOutKind::kIdentity);
    counts_.add(LeftOutKind::kAttribute, each.attributes.size());
    for (const FieldClassPtr& of : {each.packet_context, each.event_header, each.common_context})
      see_attributes(counted, of);
  }
  for (; counted.event_classes < trace.event_classes().size(); ++counted.event_classes) {
    const EventClass& each = trace.event_classes()[counted.event_classes];
    static_cast<void>(counted.has_events(each));
    if (is_named(each)) counts_.add(LeftOutKind::kIdentity);
    counts_.add(LeftOutKind::kAttribute, each.attributes.size());
    for (const FieldClassPtr& of : {each.specific_context, each.payload})
      see_attributes(counted, of);
  }
}

// Of a class that many others hold once.
void LeftOut::see_attributes(Counted& counted, const FieldClass& field_class) {
  if (is_compound(field_class) && !counted.compounds.insert(&field_class).second) return;
  std::uint64_t count = field_class.attributes.size();
  if (const auto* const structure = field_class.as<StructureClass>()) {
    for (const Member& member : structure->members) count += member.attributes.size();
  }
  if (const auto* const variant = field_class.as<VariantClass>()) {
    for (const VariantOption& option : variant->options) count += option.attributes.size();
  }
  counts_.add(LeftOutKind::kAttribute, count);
  for_each_child(field_class, [&](const FieldClassPtr& inner) { see_attributes(counted, inner); });
}

void LeftOut::note_class(const EventClass& event_class) {
  last_class_ = event_class.entity;
  if (!counts_any_) return;
  if (noted_.contains(event_class.entity)) return;
  noted_.insert(event_class.entity);
  traces_[event_class.entity.trace].has_events(event_class) = true;
}

std::uint64_t LeftOut::Counted::unused() const {
  return static_cast<std::uint64_t>(
      std::ranges::count(classes, false, [](const auto& each) { return each.second; }));
}

Receipt LeftOut::receipt() const {
  AdaptationCounts<LeftOutKind> counts = counts_;
  if (!all_records_) counts.add(LeftOutKind::kLoss, losses_.totals().places);
  for (const auto& [number, trace] : traces_) counts.add(LeftOutKind::kUnused, trace.unused());
  return counts.receipt(kFacts);
}

}  // namespace tracedeck::render
