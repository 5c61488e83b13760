#include "tracedeck/ctf/write/event_writer.hpp"

#include <array>
#include <string>

#include "tracedeck/model/class_tree.hpp"

namespace tracedeck::ctf {
namespace {

// Whether something in a header is there for the one number and not for the other.
bool selects_otherwise(const FieldClassPtr& header, std::uint64_t one, std::uint64_t other) {
  if (header == nullptr) return false;
  bool found = false;
  const auto compare = [&](const IntegerRanges& ranges) {
    found = found || ranges.contains(one) != ranges.contains(other);
  };
  if (const auto* const optional = header->as<OptionalClass>()) compare(optional->presence.ranges);
  if (const auto* const variant = header->as<VariantClass>()) {
    for (const VariantOption& each : variant->options) compare(each.ranges);
  }
  for_each_child(*header, [&](const FieldClassPtr& inner) {
    found = found || selects_otherwise(inner, one, other);
  });
  return found;
}

}  // namespace

// With an event record header of ours.
Result<bool> EventWriter::put_behind_ours(StreamWriter& stream, TargetEventClass& target,
                                          const Event& event, std::uint64_t time) {
  PacketWriter& packets = stream.packets();
  packets.begin_event(target.id, time);
  const EncodeStatus status = encode_values(stream, target, event);
  if (status == EncodeStatus::kOk) return true;
  packets.abandon_event();
  return unencodable(trace_, status, event.event_class->name.value_or("an event"));
}

// With the source's event record header.
Result<bool> EventWriter::put_as_it_was(StreamWriter& stream, TargetEventClass& target,
                                        const Event& event, std::uint64_t time) {
  PacketWriter& packets = stream.packets();
  packets.begin_event();
  EncodeStatus status = encode_header(stream, target, event);
  bool understood = packets.end_event_header(roles_, time);
  if (!understood && status == EncodeStatus::kOk && can_say(target, time)) {
    status = encode_header_at(stream, target, event, time);
    understood = packets.end_event_header(roles_, time);
  }
  if (status == EncodeStatus::kOk) status = put_class_id(packets.bits(), target);
  if (status == EncodeStatus::kOk) status = encode_values(stream, target, event);
  if (status == EncodeStatus::kOk) return understood || !stream.stream_class().layout.has_clock;
  packets.abandon_event();
  return unencodable(trace_, status, event.event_class->name.value_or("an event"));
}

EncodeStatus EventWriter::encode_header(StreamWriter& stream, TargetEventClass& target,
                                        const Event& event) {
  roles_.clear();
  if (!target.header) return EncodeStatus::kOk;
  trace_.encoder.note_roles(&roles_);
  const EncodeStatus status =
      trace_.encoder.encode(target.program, *target.header, event.header(), stream.packets().bits(),
                            target.values, stream.packet_values());
  trace_.encoder.note_roles(nullptr);
  return status;
}

// The same with that time: where the reader corrected it, or its clock was a number of fewer bytes
// than the source spent on it, or without what was left out before.
EncodeStatus EventWriter::encode_header_at(StreamWriter& stream, TargetEventClass& target,
                                           const Event& event, std::uint64_t time) {
  stream.packets().abandon_event();
  trace_.encoder.pad_leb128(role_bit(Role::kClock));
  const EncodeStatus status = encode_header(stream, target, event);
  trace_.encoder.pad_leb128(0);
  roles_[*last_clock()].value = time;
  put_low_bits_again(stream.packets().bits(), roles_[*last_clock()], time);
  return status;
}

// The last field that updates the clock.
std::optional<std::size_t> EventWriter::last_clock() const {
  for (std::size_t i = roles_.size(); i-- > 0;) {
    if (roles_[i].has(Role::kClock)) return i;
  }
  return {};
}

bool EventWriter::can_say(const TargetEventClass& target, std::uint64_t time) const {
  const auto last = last_clock();
  if (!last) return false;
  const PlacedRole& clock = roles_[*last];
  return clock.is_leb128 || !selects_otherwise(target.stream_class->target.event_header,
                                               clock.value, low_bits_for(clock, time));
}

// The last of several ids counts.
EncodeStatus EventWriter::put_class_id(BitWriter& bits, const TargetEventClass& target) const {
  for (auto place = roles_.rbegin(); place != roles_.rend(); ++place) {
    if (!place->has(Role::kEventClassId)) continue;
    const FieldClassPtr& header = target.stream_class->target.event_header;
    const bool says_it =
        place->value == target.id ||
        (!selects_otherwise(header, place->value, target.id) && put_again(bits, *place, target.id));
    return says_it ? EncodeStatus::kOk : EncodeStatus::kTooLarge;
  }
  return target.id == target.source->id.value_or(0) ? EncodeStatus::kOk : EncodeStatus::kTooLarge;
}

EncodeStatus EventWriter::encode_roots(StreamWriter& stream, TargetEventClass& target,
                                       const Event& event) {
  const EncodeProgram& program = target.program;
  BitWriter& bits = stream.packets().bits();
  if (target.body && !target.common && !target.specific)
    return trace_.encoder.encode(program, *target.body, event.payload(), bits, target.values,
                                 stream.packet_values());
  std::array<EncodeRoot, 3> roots;
  std::size_t count = 0;
  if (target.common) roots[count++] = {*target.common, event.common_context()};
  if (target.specific) roots[count++] = {*target.specific, event.specific_context()};
  if (target.body) roots[count++] = {*target.body, event.payload()};
  return trace_.encoder.encode(program, std::span(roots).first(count), bits, target.values,
                               stream.packet_values());
}

}  // namespace tracedeck::ctf
