// Random traces of the model, for properties that hold of all traces, and one small change to each.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/flow/random_classes_test.hpp"
#include "tracedeck/flow/random_values_test.hpp"
#include "tracedeck/flow/trace_plan_test.hpp"

namespace tracedeck::flow {

// All that a random trace is made from: the same trace for the same numbers.
struct RandomTrace {
  std::uint64_t seed = 0;
  std::size_t event_classes = 1;  // at least 1
  std::size_t streams = 1;        // at least 1
  std::size_t records = 0;
  int depth = 1;  // how deep field classes nest
};

inline std::ostream& operator<<(std::ostream& out, const RandomTrace& trace) {
  return out << "{seed " << trace.seed << ", " << trace.event_classes << " classes, "
             << trace.streams << " streams, " << trace.records << " records, depth " << trace.depth
             << '}';
}

// Small ones shrink to smaller ones.
inline rc::Gen<RandomTrace> gen_trace() {
  return rc::gen::build<RandomTrace>(
      rc::gen::set(&RandomTrace::seed, rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>())),
      rc::gen::set(&RandomTrace::event_classes, rc::gen::inRange<std::size_t>(1, 7)),
      rc::gen::set(&RandomTrace::streams, rc::gen::inRange<std::size_t>(1, 5)),
      rc::gen::set(&RandomTrace::records, rc::gen::inRange<std::size_t>(0, 60)),
      rc::gen::set(&RandomTrace::depth, rc::gen::inRange(0, 4)));
}

// Makes a plan of it.
class TracePlanner {
 public:
  explicit TracePlanner(const RandomTrace& trace) : trace_(trace), random_(trace.seed) {}

  TracePlan plan() {
    add_trace();
    add_clocks();
    add_stream_classes();
    for (std::size_t i = 0; i < trace_.event_classes; ++i) add_event_class(i);
    for (std::size_t i = 0; i < trace_.streams; ++i) add_stream(i);
    for (std::size_t i = 0; i < trace_.records; ++i) add_record();
    return std::move(plan_);
  }

 private:
  void add_trace() {
    for (std::uint64_t i = random_.below(4); i > 0; --i) {
      plan_.environment.push_back({.key = "key" + std::to_string(i), .value = random_.letters(5)});
    }
    if (random_.once_in(2)) plan_.trace_class.name = random_.letters(4);
    if (random_.once_in(3)) plan_.trace_class.packet_header = heads("packet-magic-number");
    plan_.trace_class.attributes = classes_.attributes();
  }

  void add_clocks() {
    static constexpr std::array<Tick, 4> kTicks = {Tick{}, Tick{3, 1}, Tick{1'000'000, 3},
                                                   Tick{7, 3}};
    for (std::uint64_t i = random_.below(3); i < 3; ++i) {
      ClockClass clock;
      clock.id = "clock" + std::to_string(i);
      clock.tick = random_.one_of(kTicks);
      clock.offset_seconds = static_cast<std::int64_t>(random_.below(2'000'000'000)) - 5;
      clock.offset_ticks = random_.below(1000);
      clock.origin = random_.once_in(2) ? ClockOrigin::kUnixEpoch : ClockOrigin::kUnknown;
      if (random_.once_in(3)) clock.identity.uid = random_.letters(6);
      if (random_.once_in(3)) clock.precision = random_.below(100);
      if (random_.once_in(4)) clock.accuracy = random_.below(100);
      if (random_.once_in(4)) clock.description = random_.letters(9);
      clock.attributes = classes_.attributes();
      plan_.clocks.push_back(std::move(clock));
    }
    // One with the same numbers under another name; what uses it, if anything, is left to chance.
    if (random_.once_in(3)) {
      plan_.clocks.push_back(random_.one_of(plan_.clocks));
      plan_.clocks.back().id += '+';
    }
  }

  // A structure with one member of bookkeeping and others.
  FieldClassPtr heads(std::string role) {
    StructureClass result = *classes_.structure(std::min(trace_.depth, 1), 3)->as<StructureClass>();
    result.members.push_back({.name = "bookkeeping",
                              .field_class = bookkeeping(std::make_shared<FieldClass>(FieldClass{
                                  .kind = IntegerClass{.layout = FixedLayout{.width = 32}},
                                  .roles = {std::move(role)}}))});
    return make_field_class(std::move(result));
  }
  // A head of any kind around the field that has the role.
  FieldClassPtr bookkeeping(FieldClassPtr field) {
    switch (random_.below(8)) {
      case 0:
        return make_field_class(OptionalClass{.value = std::move(field)});
      case 1:
        return make_field_class(
            VariantClass{.options = {{.name = "a", .field_class = field, .ranges = {}},
                                     {.name = "b", .field_class = field, .ranges = {}}}});
      case 2:
        return make_field_class(
            StructureClass{.members = {{.name = "first", .field_class = field, .attributes = {}},
                                       {.name = "again", .field_class = field, .attributes = {}}}});
      default:
        return field;
    }
  }

  void add_stream_classes() {
    for (std::uint64_t i = random_.below(3); i < 3; ++i) {
      TracePlan::StreamClass result;
      result.of.id = i;
      if (random_.once_in(2)) result.of.name = random_.letters(3) + std::to_string(i);
      if (!random_.once_in(5)) result.clock = random_.below(plan_.clocks.size());
      if (random_.once_in(2)) result.of.packet_context = heads("packet-content-length");
      if (random_.once_in(3)) result.of.common_context = classes_.structure(trace_.depth, 3);
      result.of.attributes = classes_.attributes();
      plan_.stream_classes.push_back(std::move(result));
    }
  }

  // The first of each data stream class stands for it, so that every stream can have events.
  void add_event_class(std::size_t index) {
    TracePlan::Class result;
    result.stream_class = index % plan_.stream_classes.size();
    result.clock = plan_.stream_classes[result.stream_class].clock;
    if (random_.once_in(6)) result.clock = {};
    result.of.id = index;
    if (!random_.once_in(6))
      result.of.name = random_.once_in(4) ? classes_.odd_name() : classes_.name();
    result.of.has_duration = result.clock && random_.once_in(4);
    result.of.nominal_time = result.clock && random_.once_in(8);
    result.of.describes_others = random_.once_in(8);
    if (random_.once_in(4)) result.of.specific_context = classes_.structure(trace_.depth, 3);
    if (!random_.once_in(8)) result.of.payload = classes_.structure(trace_.depth);
    result.of.attributes = classes_.attributes();
    plan_.event_classes.push_back(std::move(result));
    // It may be described once more.
    if (random_.once_in(8)) plan_.event_classes.push_back(plan_.event_classes.back());
  }

  void add_stream(std::size_t index) {
    TracePlan::Stream stream;
    stream.stream_class =
        plan_.event_classes[random_.below(plan_.event_classes.size())].stream_class;
    stream.keys = {{"class", stream.stream_class}, {"id", index}};
    plan_.streams.push_back(stream);
    times_.push_back(random_.once_in(20) ? random_.any() : random_.below(1'000'000));
    packets_.emplace_back();
  }

  void add_record() {
    const std::size_t stream = random_.below(plan_.streams.size());
    // A loss stands between packets.
    if (random_.once_in(15) && (packets_[stream] || !has_packets(stream))) {
      plan_.records.push_back({.stream = stream, .what = loss()});
      return;
    }
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < plan_.event_classes.size(); ++i) {
      if (plan_.event_classes[i].stream_class == plan_.streams[stream].stream_class)
        candidates.push_back(i);
    }
    const std::size_t event_class = random_.one_of(candidates);
    plan_.records.push_back({.stream = stream, .what = event(stream, event_class)});
  }

  // Each number may be unknown, also all of them.
  Loss loss() {
    Loss result;
    if (random_.once_in(2)) {
      result.events = random_.below(1000);
    } else if (!random_.once_in(3)) {
      result.packets = random_.below(10);
    }
    if (random_.once_in(2))
      result.begin = Nanoseconds(static_cast<std::int64_t>(random_.below(1000)));
    if (random_.once_in(2))
      result.end = Nanoseconds(static_cast<std::int64_t>(1000 + random_.below(1000)));
    return result;
  }

  TracePlan::PlannedEvent event(std::size_t stream, std::size_t event_class) {
    const TracePlan::Class& of = plan_.event_classes[event_class];
    const TracePlan::StreamClass& stream_class = plan_.stream_classes[of.stream_class];
    std::uint64_t& time = times_[stream];
    // Mostly forward, with ties and steps back.
    if (random_.once_in(8)) {
      time -= std::min<std::uint64_t>(time, random_.below(100));
    } else {
      time += random_.below(50);
    }
    return {.event_class = event_class,
            .packet = packet(stream),
            .time = time,
            .end_time = time + random_.below(1000),
            .common = values_.members(stream_class.of.common_context.get()),
            .specific = values_.members(of.of.specific_context.get()),
            .payload = values_.members(of.of.payload.get())};
  }

  [[nodiscard]] const FieldClassPtr& context_of(std::size_t stream) const {
    return plan_.stream_classes[plan_.streams[stream].stream_class].of.packet_context;
  }
  // Whether something is said in packets.
  [[nodiscard]] bool has_packets(std::size_t stream) const {
    return context_of(stream) != nullptr || plan_.trace_class.packet_header != nullptr;
  }

  // The packet that a stream is in, if it has any.
  std::optional<std::size_t> packet(std::size_t stream) {
    if (!has_packets(stream)) return {};
    std::optional<std::size_t>& current = packets_[stream];
    if (!current || random_.once_in(5)) {
      current = plan_.packets.size();
      plan_.packets.push_back({.stream = stream,
                               .header = values_.members(plan_.trace_class.packet_header.get()),
                               .context = values_.members(context_of(stream).get())});
    }
    return current;
  }

  RandomTrace trace_;
  RandomNumbers random_;
  RandomClasses classes_{random_};
  RandomValues values_{random_};
  TracePlan plan_;
  std::vector<std::uint64_t> times_;                 // of each stream
  std::vector<std::optional<std::size_t>> packets_;  // of each stream
};

inline TracePlan plan_of(const RandomTrace& trace) { return TracePlanner(trace).plan(); }

// The same trace with its data streams interleaved in another way, each in its own order, and its
// packets cut into more, with other bookkeeping.
[[nodiscard]] inline TracePlan laid_out_otherwise(const TracePlan& plan, std::uint64_t seed) {
  RandomNumbers random(seed);
  TracePlan result = plan;
  std::vector<std::deque<TracePlan::PlannedRecord>> of_streams(plan.streams.size());
  for (const TracePlan::PlannedRecord& record : plan.records)
    of_streams[record.stream].push_back(record);
  result.records.clear();
  while (result.records.size() < plan.records.size()) {
    auto& records = random.one_of(of_streams);
    if (records.empty()) continue;
    result.records.push_back(std::move(records.front()));
    records.pop_front();
    auto* const event = std::get_if<TracePlan::PlannedEvent>(&result.records.back().what);
    if (event == nullptr || !event->packet || !random.once_in(3)) continue;
    result.packets.push_back(plan.packets[*event->packet]);
    auto& context = result.packets.back().context.slots;
    // The last member, if it is bookkeeping itself.
    const FieldClassPtr& of =
        plan.stream_classes[plan.streams[result.records.back().stream].stream_class]
            .of.packet_context;
    const bool is_own =
        of != nullptr && !of->as<StructureClass>()->members.back().field_class->roles.empty();
    if (!context.empty() && is_own) context.back().bits ^= 1;
    event->packet = result.packets.size() - 1;
  }
  return result;
}

// A class that differs from another in one property, somewhere inside.
[[nodiscard]] inline FieldClassPtr changed_class(const FieldClassPtr& of, RandomNumbers& random) {
  FieldClass changed = *of;
  const auto inside = [&](FieldClassPtr& child) { child = changed_class(child, random); };
  auto* const structure = std::get_if<StructureClass>(&changed.kind);
  auto* const variant = std::get_if<VariantClass>(&changed.kind);
  if (random.once_in(4)) {
    changed.attributes.push_back({.key = "more", .value = "1"});
  } else if (structure != nullptr && !structure->members.empty()) {
    inside(random.one_of(structure->members).field_class);
  } else if (variant != nullptr) {
    inside(random.one_of(variant->options).field_class);
  } else if (auto* const array = std::get_if<ArrayClass>(&changed.kind)) {
    inside(array->element);
  } else if (auto* const optional = std::get_if<OptionalClass>(&changed.kind)) {
    inside(optional->value);
  } else if (auto* const map = std::get_if<MapClass>(&changed.kind)) {
    inside(random.once_in(2) ? map->key : map->value);
  } else if (auto* const integer = std::get_if<IntegerClass>(&changed.kind)) {
    integer->is_signed = !integer->is_signed;
  } else if (auto* const string = std::get_if<StringClass>(&changed.kind)) {
    string->interned = !string->interned;
  } else if (auto* const blob = std::get_if<BlobClass>(&changed.kind)) {
    blob->media_type = "more/" + blob->media_type.str();
  } else {
    changed.kind = BooleanClass{.layout = {.width = 77}};
  }
  return std::make_shared<FieldClass>(std::move(changed));
}

// Changes one thing. Returns what, "" if the trace has nothing of the kind that was chosen.
[[nodiscard]] inline std::string change_something(TracePlan& plan, std::uint64_t seed) {
  RandomNumbers random(seed);
  const auto some_event = [&]() -> TracePlan::PlannedEvent* {
    if (plan.records.empty()) return nullptr;
    return std::get_if<TracePlan::PlannedEvent>(&random.one_of(plan.records).what);
  };
  const auto change_values = [&](PlannedValues& values) {
    if (values.slots.empty()) return false;
    Slot& slot = random.one_of(values.slots);
    if (slot.kind == SlotKind::kUnsigned || slot.kind == SlotKind::kSigned ||
        slot.kind == SlotKind::kReal || slot.kind == SlotKind::kBoolean) {
      slot.bits ^= 1;
      return true;
    }
    if (slot.kind >= SlotKind::kUnresolved || slot.length == 0) return false;
    std::string bytes(slot.text());
    bytes[random.below(bytes.size())] ^= 1;
    slot.pointer = values.keep(std::move(bytes));
    return true;
  };
  switch (random.below(12)) {
    case 0:
      plan.environment.push_back({.key = "more", .value = "1"});
      return "environment";
    case 1:
      random.one_of(plan.clocks).offset_ticks += 1;
      return "clock";
    case 2:
      random.one_of(plan.event_classes).of.attributes.push_back({.key = "more", .value = "1"});
      return "attribute of a class";
    case 3:
      random.one_of(plan.streams).keys[1].value += 100;
      return "stream key";
    case 4: {
      if (plan.records.empty()) return "";
      plan.records.erase(plan.records.begin() +
                         static_cast<std::ptrdiff_t>(random.below(plan.records.size())));
      return "record left out";
    }
    case 5: {
      TracePlan::PlannedEvent* const event = some_event();
      if (event == nullptr || !plan.event_classes[event->event_class].clock) return "";
      event->time += 1;
      event->end_time += 1;
      return "time";
    }
    case 6: {
      TracePlan::PlannedEvent* const event = some_event();
      if (event == nullptr || !plan.event_classes[event->event_class].of.has_duration) return "";
      event->end_time += 1;
      return "duration";
    }
    case 7: {
      TracePlan::PlannedEvent* const event = some_event();
      return event != nullptr && change_values(event->payload) ? "payload" : "";
    }
    case 8: {
      TracePlan::PlannedEvent* const event = some_event();
      return event != nullptr && change_values(event->common) ? "common context" : "";
    }
    case 9:
    case 10: {
      EventClass& event_class = random.one_of(plan.event_classes).of;
      FieldClassPtr& part = random.once_in(4) ? event_class.specific_context : event_class.payload;
      if (part == nullptr) return "";
      part = changed_class(part, random);
      return "field class";
    }
    default: {
      EventClass& event_class = random.one_of(plan.event_classes).of;
      event_class.name = event_class.name.value_or("") + "?";
      return "name of a class";
    }
  }
}

}  // namespace tracedeck::flow
