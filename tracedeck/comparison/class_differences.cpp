#include "tracedeck/comparison/class_differences.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "tracedeck/comparison/field_class_differences.hpp"
#include "tracedeck/comparison/property_differences.hpp"
#include "tracedeck/comparison/value_differences.hpp"

namespace tracedeck::comparison {
namespace {

std::string identity_text(const std::optional<std::uint64_t>& id,
                          const std::optional<std::string>& name, std::string_view name_space,
                          std::string_view uid) {
  std::string text = in_words(id);
  for (const std::string_view part : {name ? std::string_view(*name) : "", name_space, uid}) {
    text += '\n' + std::to_string(part.size()) + ':';
    text += part;
  }
  return name ? text + '\n' : text;
}

// The members of packet headers or packet contexts that are no bookkeeping.
void compare_packet_members(const FieldClass* left, const FieldClass* right,
                            const std::string& name, Differences& found) {
  const FieldClass a{.kind = members_without_roles(left)};
  const FieldClass b{.kind = members_without_roles(right)};
  compare_field_classes(&a, &b, name, "packet", found);
}

std::string clock_name(const ClockClass* left, const ClockClass* right) {
  return left != nullptr ? left->id : right->id;
}

}  // namespace

std::string class_name(const EventClass& event_class) {
  if (event_class.name && !event_class.name->empty()) return *event_class.name;
  return event_class.id ? "#" + std::to_string(*event_class.id) : "";
}

std::string identity_of(const EventClass& event_class) {
  return identity_of(event_class.stream_class) + '/' +
         identity_text(event_class.id, event_class.name, event_class.name_space, event_class.uid);
}

std::string identity_of(const DataStreamClass* stream_class) {
  if (stream_class == nullptr) return "";
  return identity_text(stream_class->id, stream_class->name, stream_class->name_space,
                       stream_class->uid);
}

bool same_identity(const EventClass& left, const EventClass& right) {
  return left.id == right.id && left.name == right.name &&
         left.name_space == right.name_space.view() && left.uid == right.uid.view();
}

bool same_identity(const DataStreamClass* left, const DataStreamClass* right) {
  if (left == nullptr || right == nullptr) return left == right;
  return left->id == right->id && left->name == right->name &&
         left->name_space == right->name_space.view() && left->uid == right->uid.view();
}

void compare_event_classes(const EventClass& left, const EventClass& right, Differences& found) {
  const PropertyDifferences properties(found, DifferenceKind::kClass, class_name(left), "");
  properties.compare("id", left.id, right.id);
  properties.compare("name", left.name, right.name);
  properties.compare("namespace", left.name_space.view(), right.name_space.view());
  properties.compare("uid", left.uid.view(), right.uid.view());
  properties.compare("has a time", left.clock != nullptr, right.clock != nullptr);
  properties.compare("has a duration", left.has_duration, right.has_duration);
  properties.compare("time is nominal", left.nominal_time, right.nominal_time);
  properties.compare("describes others", left.describes_others, right.describes_others);
  properties.compare("describes itself", left.self_described, right.self_described);
  properties.compare(left.attributes, right.attributes);
  const std::string name = class_name(left);
  compare_field_classes(left.specific_context.get(), right.specific_context.get(), name, "specific",
                        found);
  compare_field_classes(left.payload.get(), right.payload.get(), name, "", found);
}

void compare_stream_classes(const DataStreamClass* left, const DataStreamClass* right,
                            Differences& found) {
  if (left == nullptr && right == nullptr) return;
  static const DataStreamClass kNone;
  const DataStreamClass& a = left == nullptr ? kNone : *left;
  const DataStreamClass& b = right == nullptr ? kNone : *right;
  const std::string name = a.name ? *a.name : in_words(a.id);
  const PropertyDifferences properties(found, DifferenceKind::kStream, name, "");
  properties.compare("has a class", left != nullptr, right != nullptr);
  properties.compare("class id", a.id, b.id);
  properties.compare("class name", a.name, b.name);
  properties.compare("class namespace", a.name_space.view(), b.name_space.view());
  properties.compare("class uid", a.uid.view(), b.uid.view());
  properties.compare("has a clock", a.default_clock != nullptr, b.default_clock != nullptr);
  properties.compare("context identifies", a.context_identifies, b.context_identifies);
  properties.compare("streams are parts", a.streams_are_parts, b.streams_are_parts);
  properties.compare(a.attributes, b.attributes);
  compare_packet_members(a.packet_context.get(), b.packet_context.get(), name, found);
  compare_field_classes(a.common_context.get(), b.common_context.get(), name, "common", found);
}

void compare_clocks(const ClockClass* left, const ClockClass* right, Differences& found) {
  if (left == nullptr && right == nullptr) return;
  const PropertyDifferences properties(found, DifferenceKind::kClock, clock_name(left, right), "");
  if (left == nullptr || right == nullptr) {
    return properties.add("missing", left == nullptr ? "" : left->id,
                          right == nullptr ? "" : right->id);
  }
  const auto tick = [](const ClockClass& clock) {
    return std::to_string(clock.tick.numerator) + "/" + std::to_string(clock.tick.denominator);
  };
  const auto identity = [](const Identity& of) {
    return of.name_space + '/' + of.name + '/' + of.uid;
  };
  const auto origin = [](const ClockClass& clock) {
    return clock.origin == ClockOrigin::kUnknown     ? "unknown"
           : clock.origin == ClockOrigin::kUnixEpoch ? "Unix epoch"
                                                     : "custom";
  };
  properties.compare("id", left->id, right->id);
  properties.compare("tick", tick(*left), tick(*right));
  properties.compare("offset in seconds", left->offset_seconds, right->offset_seconds);
  properties.compare("offset in ticks", left->offset_ticks, right->offset_ticks);
  properties.compare("origin", std::string_view(origin(*left)), std::string_view(origin(*right)));
  properties.compare("identity", identity(left->identity), identity(right->identity));
  properties.compare("origin's identity", identity(left->origin_identity),
                     identity(right->origin_identity));
  properties.compare("precision", left->precision, right->precision);
  properties.compare("accuracy", left->accuracy, right->accuracy);
  properties.compare("description", left->description, right->description);
  properties.compare(left->attributes, right->attributes);
}

void compare_traces(const TraceDescription& left, const TraceDescription& right,
                    Differences& found) {
  const TraceClass& a = left.trace_class();
  const TraceClass& b = right.trace_class();
  const auto uuid = [](const TraceClass& trace) {
    return trace.uuid ? std::string(trace.uuid->begin(), trace.uuid->end()) : std::string();
  };
  const PropertyDifferences properties(found, DifferenceKind::kTrace, "", "");
  properties.compare("uuid", uuid(a), uuid(b));
  properties.compare("namespace", a.name_space, b.name_space);
  properties.compare("name", a.name, b.name);
  properties.compare("uid", a.uid, b.uid);
  properties.compare(a.attributes, b.attributes);
  PropertyDifferences(found, DifferenceKind::kEnvironment, "", "")
      .compare(left.environment(), right.environment());
  compare_packet_members(a.packet_header.get(), b.packet_header.get(), "", found);
}

}  // namespace tracedeck::comparison
