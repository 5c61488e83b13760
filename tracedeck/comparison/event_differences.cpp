#include "tracedeck/comparison/event_differences.hpp"

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "tracedeck/comparison/class_differences.hpp"
#include "tracedeck/comparison/event_pairing.hpp"
#include "tracedeck/comparison/property_differences.hpp"

namespace tracedeck::comparison {
namespace {

std::string time_in_words(const ClockClass& clock, std::uint64_t value) {
  return clock.to_nanoseconds(value).to_string() + " ns (" + std::to_string(value) + ")";
}

}  // namespace

bool EventDifferences::Paired::add(const EntityId& left, const EntityId& right) {
  if (!pairs_.emplace(left, right).second) return false;
  left_.insert(left);
  right_.insert(right);
  return true;
}

void EventDifferences::compare(const BatchPtr& left_batch, const Event& left,
                               const BatchPtr& right_batch, const Event& right) {
  if (classes_.left != left.event_class->entity || classes_.right != right.event_class->entity)
    select_classes(*left.event_class, *right.event_class);
  compare_packets(left_batch, left, right_batch, right);
  compare_times(left, right);
  if (!classes_.same_identity) {
    const auto of_class = [](const Event& event) {
      const EventClass& event_class = *event.event_class;
      const std::string id = event_class.id ? " #" + std::to_string(*event_class.id) : "";
      return event_class.name ? *event_class.name + id : id;
    };
    return add(DifferenceKind::kEvent, left, right, "class", of_class(left), of_class(right));
  }
  compare_values(left, right);
}

void EventDifferences::select_classes(const EventClass& left, const EventClass& right) {
  classes_.left = left.entity;
  classes_.right = right.entity;
  classes_.same_identity = same_identity(left, right);
  classes_.same_clock = counts_alike(left.clock, right.clock);
  if (!classes_.same_identity || !event_classes_.add(left.entity, right.entity)) return;
  compare_event_classes(left, right, found_);
  compare_clocks_once(left.clock, right.clock);
  compare(left.stream_class, right.stream_class);
}

void EventDifferences::compare_clocks_once(const ClockClass* left, const ClockClass* right) {
  if (left == nullptr || right == nullptr || !clocks_.add(left->entity, right->entity)) return;
  compare_clocks(left, right, found_);
}

void EventDifferences::compare(const DataStreamClass* left, const DataStreamClass* right) {
  const auto entity = [](const DataStreamClass* stream_class) {
    return stream_class == nullptr ? EntityId::none() : stream_class->entity;
  };
  if (!stream_classes_.add(entity(left), entity(right))) return;
  compare_stream_classes(left, right, found_);
  if (left != nullptr && right != nullptr)
    compare_clocks_once(left->default_clock, right->default_clock);
}

void EventDifferences::compare_times(const Event& left, const Event& right) {
  if (!left.has_time() && !right.has_time()) return;
  const ClockClass* const a = left.event_class->clock;
  const ClockClass* const b = right.event_class->clock;
  const auto compare_time = [&](DifferenceKind kind, std::string_view what, std::uint64_t x,
                                std::uint64_t y) {
    const bool equal = classes_.same_clock ? x == y
                                           : a != nullptr && b != nullptr &&
                                                 a->to_nanoseconds(x) == b->to_nanoseconds(y);
    if (equal) return;
    add(kind, left, right, what, a == nullptr ? "" : time_in_words(*a, x),
        b == nullptr ? "" : time_in_words(*b, y));
  };
  compare_time(DifferenceKind::kTime, "time", left.time, right.time);
  if (left.event_class->has_duration || right.event_class->has_duration)
    compare_time(DifferenceKind::kDuration, "end", left.end_time, right.end_time);
}

void EventDifferences::compare_packets(const BatchPtr& left_batch, const Event& left,
                                       const BatchPtr& right_batch, const Event& right) {
  if (left.packet == nullptr && right.packet == nullptr) return;
  if (packets_.equal && packets_.left == left.packet && packets_.right == right.packet &&
      packets_.left_batch == left_batch && packets_.right_batch == right_batch)
    return;
  bool equal = true;
  const DifferentValue report = reporter(DifferenceKind::kContext, left, right);
  compare_members("packet", packet_members(left.packet), packet_members(right.packet),
                  [&](const std::string& path, const Slot* a, const Slot* b) {
                    equal = false;
                    report(path, a, b);
                  });
  packets_ = {left_batch, right_batch, left.packet, right.packet, equal};
}

void EventDifferences::compare_values(const Event& left, const Event& right) {
  const EventClass& a = *left.event_class;
  const EventClass& b = *right.event_class;
  const auto compare_part = [&](DifferenceKind kind, const std::string& prefix,
                                std::span<const Slot> x, const FieldClass* x_class,
                                std::span<const Slot> y, const FieldClass* y_class) {
    if (same_values(x, y)) return;
    compare_members(prefix, named_members(x, x_class), named_members(y, y_class),
                    reporter(kind, left, right));
  };
  const auto common = [](const EventClass& event_class) {
    return event_class.stream_class == nullptr ? nullptr
                                               : event_class.stream_class->common_context.get();
  };
  compare_part(DifferenceKind::kContext, "common", left.common_context(), common(a),
               right.common_context(), common(b));
  compare_part(DifferenceKind::kContext, "specific", left.specific_context(),
               a.specific_context.get(), right.specific_context(), b.specific_context.get());
  compare_part(DifferenceKind::kValue, "", left.payload(), a.payload.get(), right.payload(),
               b.payload.get());
}

DifferentValue EventDifferences::reporter(DifferenceKind kind, const Event& left,
                                          const Event& right) const {
  return [this, kind, &left, &right](const std::string& path, const Slot* a, const Slot* b) {
    found_.add({.key = {kind, class_name(*left.event_class), path,
                        a == nullptr || b == nullptr ? "missing" : "value"},
                .left = words_of(a),
                .right = words_of(b),
                .left_offset = left.offset,
                .right_offset = right.offset});
  };
}

void EventDifferences::add(DifferenceKind kind, const Event& left, const Event& right,
                           std::string_view what, std::string left_words,
                           std::string right_words) const {
  found_.add({.key = {kind, class_name(*left.event_class), "", std::string(what)},
              .left = std::move(left_words),
              .right = std::move(right_words),
              .left_offset = left.offset,
              .right_offset = right.offset});
}

void EventDifferences::add_missing(const Event* left, const Event* right) {
  const Event& there = left != nullptr ? *left : *right;
  found_.add({.key = {DifferenceKind::kEvent, class_name(*there.event_class), "", "missing"},
              .left = left != nullptr ? "event" : "",
              .right = right != nullptr ? "event" : "",
              .left_offset = left != nullptr ? left->offset : 0,
              .right_offset = right != nullptr ? right->offset : 0});
}

void EventDifferences::compare_the_rest(const TraceDescription& left,
                                        const TraceDescription& right) {
  compare_traces(left, right, found_);
  compare_classes_without_events(left, right);
  compare_clocks_without_events(left, right);
}

void EventDifferences::compare_classes_without_events(const TraceDescription& left,
                                                      const TraceDescription& right) {
  std::map<std::string, std::deque<const EventClass*>> rights;
  for (const EventClass& each : right.event_classes()) {
    if (!event_classes_.right(each.entity)) rights[identity_of(each)].push_back(&each);
  }
  const auto missing = [&](const EventClass& event_class, bool on_left) {
    PropertyDifferences(found_, DifferenceKind::kClass, class_name(event_class), "")
        .add("missing", on_left ? "class" : "", on_left ? "" : "class");
  };
  for (const EventClass& each : left.event_classes()) {
    if (event_classes_.left(each.entity)) continue;
    std::deque<const EventClass*>& same = rights[identity_of(each)];
    if (same.empty()) {
      missing(each, true);
      continue;
    }
    compare_event_classes(each, *same.front(), found_);
    compare_clocks_once(each.clock, same.front()->clock);
    compare(each.stream_class, same.front()->stream_class);
    same.pop_front();
  }
  for (const auto& [identity, classes] : rights) {
    for (const EventClass* each : classes) missing(*each, false);
  }
}

void EventDifferences::compare_clocks_without_events(const TraceDescription& left,
                                                     const TraceDescription& right) {
  std::deque<const ClockClass*> rights;
  for (const ClockClass& each : right.clocks()) {
    if (!clocks_.right(each.entity)) rights.push_back(&each);
  }
  for (const ClockClass& each : left.clocks()) {
    if (clocks_.left(each.entity)) continue;
    const ClockClass* const partner = rights.empty() ? nullptr : rights.front();
    if (!rights.empty()) rights.pop_front();
    compare_clocks(&each, partner, found_);
  }
  for (const ClockClass* each : rights) compare_clocks(nullptr, each, found_);
}

}  // namespace tracedeck::comparison
