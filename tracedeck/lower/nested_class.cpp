#include "tracedeck/lower/nested_class.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "tracedeck/lower/lower_marks.hpp"
#include "tracedeck/lower/nested_fields.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::lower {
namespace {

bool has_duration(const EventClass& source) {
  return source.has_duration && source.clock != nullptr;
}

// What a step of any kind that restores in place lowers to itself.
bool are_plain(const Event& event) {
  const Slot* const end = event.slots + event.slot_count;
  return std::all_of(event.slots, end,
                     [](const Slot& slot) { return slot.kind <= SlotKind::kReal; });
}

}  // namespace

// Its values cannot come in another shape, so it takes the one that holds them all.
NestedContext::NestedContext(const FieldClassPtr& source, const NestedProfile& profile) {
  NestedFields fields(profile, true, true);
  program = fields.add_members(source.get());
  field_class = fields.take();
  kept = fields.kept();
}

NestedClass::NestedClass(const EventClass& source, NestedShape shape,
                         std::shared_ptr<const NestedContext> common, const NestedProfile& profile)
    : source_(source), shape_(shape), common_(std::move(common)) {
  NestedFields fields(profile, shape.any_string, shape.any_integer);
  if (has_duration(source)) {
    fields.add("duration", wide_number());
    kept_.push_back({.convention = Convention::kDuration});
  }
  payload_program_ = fields.add_members(source.payload.get());
  if (shape.in_packet) {
    const auto part = [&](std::string_view name, const FieldClassPtr& of) -> PacketPart {
      UserMembers users = user_members(of);
      FieldProgram program = fields.add_structure(name, users.field_class.get());
      return {.kept = std::move(users.kept), .program = std::move(program)};
    };
    const TraceDescription* const trace = source.stream_class->trace;
    if (trace != nullptr)
      packet_header_ = part("packet_header", trace->trace_class().packet_header);
    packet_context_ = part("packet", source.stream_class->packet_context);
    kept_.push_back({.convention = Convention::kPacketContext});
  }
  if (shape.clock_value) {
    fields.add("clock_value", wide_number());
    kept_.push_back({.convention = Convention::kClockValue});
  }
  if (shape.ordered) {
    fields.add("tracedeck_order", wide_number());
    kept_.push_back({.convention = Convention::kOrder});
  }
  payload_ = fields.take();
  kept_.insert(kept_.end(), fields.kept().begin(), fields.kept().end());
  NestedFields specific(profile, shape.any_string, shape.any_integer);
  specific_ = specific.add_members(source.specific_context.get());
  specific_context_ = specific.take();
  kept_.insert(kept_.end(), specific.kept().begin(), specific.kept().end());
  in_place_ =
      shape == NestedShape{.any_string = shape.any_string, .any_integer = shape.any_integer} &&
      !has_duration(source) && !source.self_described && restores_in_place(common_->program) &&
      restores_in_place(specific_) && restores_in_place(payload_program_);
  name_ = source.name.value_or("");
  if (name_.empty() && source.id) name_ = fmt::format("#{}", *source.id);
}

std::size_t NestedClass::memory() const {
  const std::size_t steps = payload_program_.size() + specific_.size() +
                            packet_header_.program.size() + packet_context_.program.size();
  std::size_t bytes = steps * sizeof(FieldStep);
  for (const Kept& each : kept_) bytes += sizeof(Kept) + each.path.size();
  return bytes;
}

bool NestedClass::lower(const Event& event, std::uint64_t order, NestedValues& values,
                        ByteArena& arena) const {
  if (in_place_ && are_plain(event)) {
    values.slots = {event.slots, event.slot_count};
    values.common_count = event.common_count;
    values.specific_count = event.specific_count;
    return true;
  }
  values.made.clear();
  SlotRun out(values.made);
  if (!lower_values(common_->program, event.common_context().data(), out, arena)) return false;
  values.common_count = static_cast<std::uint32_t>(out.size());
  if (!lower_values(specific_, event.specific_context().data(), out, arena)) return false;
  values.specific_count = static_cast<std::uint32_t>(out.size()) - values.common_count;
  if (has_duration(source_)) out.add(unsigned_slot(event.end_time - event.time));
  if (!lower_values(payload_program_, event.payload().data(), out, arena)) return false;
  if (shape_.in_packet) {
    const auto part = [&](const PacketPart& of, const std::vector<Slot>& slots) {
      if (of.program.empty()) return true;
      const std::size_t head = out.open(head_slot(SlotKind::kStructure, 0, 0));
      if (!of.lower(slots, out, arena)) return false;
      out.close(head);
      return true;
    };
    if (!part(packet_header_, event.packet->header) ||
        !part(packet_context_, event.packet->context))
      return false;
  }
  if (shape_.clock_value) out.add(unsigned_slot(event.time));
  if (shape_.ordered) out.add(unsigned_slot(order));
  values.slots = out.slots();
  return true;
}

bool NestedClass::restore(const Event& event, RestoredValues& values, ByteArena& arena) const {
  if (in_place_) {
    values.slots = {event.slots, event.slot_count};
    values.common_count = event.common_count;
    values.specific_count = event.specific_count;
    values.packet.clear();
    values.time = values.end_time = source_.clock == nullptr ? 0 : event.time;
    return true;
  }
  values.made.clear();
  SlotRun out(values.made);
  const auto part = [&](const FieldProgram& program, std::span<const Slot> slots) {
    const Slot* slot = slots.data();
    const Slot* const end = slot + slots.size();
    return restore_values(program, slot, end, out, arena) && slot == end;
  };
  if (!part(common_->program, event.common_context())) return false;
  values.common_count = static_cast<std::uint32_t>(out.size());
  if (!part(specific_, event.specific_context())) return false;
  values.specific_count = static_cast<std::uint32_t>(out.size()) - values.common_count;
  const std::span<const Slot> payload = event.payload();
  const Slot* slot = payload.data();
  const Slot* const end = slot + payload.size();
  const auto number = [&](std::uint64_t& to) {
    if (slot >= end || slot->kind != SlotKind::kUnsigned) return false;
    to = (slot++)->bits;
    return true;
  };
  std::uint64_t duration = 0;
  if (has_duration(source_) && !number(duration)) return false;
  const std::size_t begin = out.size();
  if (!restore_values(payload_program_, slot, end, out, arena)) return false;
  values.slots = out.slots();
  if (source_.self_described && !is_name_and_texts(values.slots.subspan(begin))) return false;
  values.packet.clear();
  const auto packet_part = [&](const PacketPart& of, std::vector<Slot>& slots) {
    if (of.program.empty()) return true;
    if (slot >= end || slot->kind != SlotKind::kStructure) return false;
    ++slot;
    return of.restore(slot, end, slots, arena);
  };
  if (!packet_part(packet_header_, values.packet.header) ||
      !packet_part(packet_context_, values.packet.context))
    return false;
  values.time = source_.clock == nullptr ? 0 : event.time;
  if (shape_.clock_value && !number(values.time)) return false;
  std::uint64_t order = 0;
  if (shape_.ordered && !number(order)) return false;
  values.end_time = values.time + duration;
  return slot == end;
}

std::uint64_t NestedClass::order_of(const Event& event) {
  return event.slot_count == 0 ? 0 : event.slots[event.slot_count - 1].bits;
}

bool has_whole_frequency(const ClockClass& clock) {
  const Int128 hertz = Int128{1'000'000'000} * clock.tick.denominator;
  return hertz % clock.tick.numerator == 0 &&
         hertz / clock.tick.numerator <= std::numeric_limits<std::uint64_t>::max();
}

const EventClass& loss_class() {
  static const EventClass kClass = {
      .name = std::string(kLossName), .name_space = {}, .uid = {}, .payload = loss_payload()};
  return kClass;
}

NestedClass nested_loss_class(const NestedProfile& profile) {
  return {loss_class(), {}, std::make_shared<NestedContext>(nullptr, profile), profile};
}

}  // namespace tracedeck::lower
