#include "tracedeck/lower/nested_class.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/lower/lower_marks.hpp"
#include "tracedeck/lower/nested_fields.hpp"
#include "tracedeck/model/class_tree.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::lower {
namespace {

bool has_duration(const EventClass& source) {
  return source.has_duration && source.clock != nullptr;
}

// Whether values come back slot by slot as they lie.
bool stays(const FieldProgram& program) {
  const auto lengths = added_lengths(program);
  return lengths && lengths->empty();
}

// Whether a structure that was made, without an alignment, roles or attributes, is the source's.
bool is_as_it_was(const FieldClass* source, const FieldClass* made) {
  if (source == nullptr || made == nullptr) return false;
  if (source->alignment != 1 || !source->roles.empty() || !source->attributes.empty()) return false;
  const auto& before = *source->as<StructureClass>();
  const auto& after = *made->as<StructureClass>();
  const auto is_same = [](const Member& a, const Member& b) {
    return a.field_class == b.field_class && a.name.view() == b.name.view() &&
           std::ranges::equal(a.attributes, b.attributes);
  };
  return before.minimum_alignment == after.minimum_alignment &&
         std::ranges::equal(before.members, after.members, is_same);
}

// What a step of any kind that restores in place lowers to itself.
bool are_plain(const Event& event) {
  const Slot* const end = event.slots + event.slot_count;
  return std::all_of(event.slots, end,
                     [](const Slot& slot) { return slot.kind <= SlotKind::kReal; });
}

}  // namespace

using Root = FieldLocation::Root;

namespace {

// The names of the header's members that lengths and selectors inside of a class are.
void add_located(const FieldClassPtr& field_class, TextSet& names) {
  for_each_location(*field_class, [&](const FieldLocation& at) {
    if (at.root != Root::kPacketHeader && at.root != Root::kRelative) return;
    const auto first =
        std::ranges::find_if(at.path, [](const auto& step) { return step.has_value(); });
    if (first != at.path.end()) names.insert(**first);
  });
  for_each_child(*field_class, [&](const FieldClassPtr& inner) { add_located(inner, names); });
}

}  // namespace

// Its values cannot come in another shape, so it takes the one that holds them all. Strings of the
// same format have no NUL characters.
NestedContext::NestedContext(const DataStreamClass& source, const NestedProfile& profile) {
  const NestedOrigin origin = NestedOrigin::of(&source, profile);
  NestedFields fields(profile, !origin.same_format, true, origin, Root::kCommonContext);
  program = fields.add_members(source.common_context.get());
  field_class = fields.take();
  kept = fields.kept();
}

NestedPacket::NestedPacket(const DataStreamClass& source, const NestedProfile& profile) {
  const NestedOrigin origin = NestedOrigin::of(&source, profile);
  const FieldClassPtr& packet_header = source.trace->trace_class().packet_header;
  const UserMembers in_header = user_members(packet_header);
  const UserMembers in_context = user_members(source.packet_context);
  header_users_ = in_header.kept;
  if (packet_header != nullptr) {
    const auto& [members, alignment] = *packet_header->as<StructureClass>();
    StructureClass heads{.minimum_alignment = alignment};
    TextSet located;
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (!header_users_[i]) add_located(members[i].field_class, located);
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      header_heads_.push_back(!header_users_[i] || located.contains(members[i].name.str()));
      if (header_heads_[i]) heads.members.push_back(members[i]);
    }
    if (!heads.members.empty()) header = make_field_class(std::move(heads));
  }
  has_header_ = in_header.field_class != nullptr;
  NestedFields all(profile, false, true, origin, Root::kPacketContext);
  context_program_ = all.add_packet_context(source.packet_context);
  header_program_ = all.add_structure("packet_header", in_header.field_class.get());
  context = all.take();
  kept = all.kept();
  NestedFields own(profile, false, true, origin, Root::kPacketContext);
  users_program_ = own.add_members(in_context.field_class.get());
  static_cast<void>(own.add_structure("packet_header", in_header.field_class.get()));
  users = own.take();
}

bool NestedPacket::lower(const Packet& source, PacketValues& to, ByteArena& arena) const {
  to.clear();
  std::vector<Slot> header_users;
  const Slot* slot = source.header.data();
  const Slot* const end = slot + source.header.size();
  for (std::size_t i = 0; i < header_users_.size(); ++i) {
    if (slot >= end) return false;
    const Slot* const next = slot->next();
    if (header_users_[i]) header_users.insert(header_users.end(), slot, next);
    if (header_heads_[i]) to.header.insert(to.header.end(), slot, next);
    slot = next;
  }
  const auto lower_part = [&](const FieldProgram& program, const std::vector<Slot>& values) {
    SlotRun run(to.context);
    const bool fits = lower_values(program, values.data(), run, arena);
    static_cast<void>(run.settled());
    return fits;
  };
  if (!lower_part(context_program_, source.context)) return false;
  if (!has_header_) return true;
  const std::size_t head = to.context.size();
  to.context.push_back(head_slot(SlotKind::kStructure, 0, 0));
  if (!lower_part(header_program_, header_users)) return false;
  to.context[head].length = static_cast<std::uint32_t>(to.context.size() - head - 1);
  return true;
}

bool NestedPacket::restore(const FieldProgram& program, std::span<const Slot> slots,
                           std::vector<Slot>& to, std::vector<Slot>& header_users,
                           ByteArena& arena) const {
  const Slot* slot = slots.data();
  const Slot* const end = slot + slots.size();
  const auto restore_part = [&](const FieldProgram& steps, std::vector<Slot>& values) {
    SlotRun run(values);
    const bool fits = restore_values(steps, slot, end, run, arena);
    static_cast<void>(run.settled());
    return fits;
  };
  if (!restore_part(program, to)) return false;
  if (!has_header_) return slot == end;
  if (slot >= end || slot->kind != SlotKind::kStructure) return false;
  ++slot;
  return restore_part(header_program_, header_users) && slot == end;
}

bool NestedPacket::restore(const Packet& stored, PacketValues& to, ByteArena& arena) const {
  to.clear();
  std::vector<Slot> own;
  if (!restore(context_program_, stored.context, to.context, own, arena)) return false;
  const Slot* heads = stored.header.data();
  const Slot* const heads_end = heads + stored.header.size();
  const Slot* user = own.data();
  const Slot* const users_end = user + own.size();
  for (std::size_t i = 0; i < header_users_.size(); ++i) {
    const bool is_user = header_users_[i];
    const Slot*& slot = is_user ? user : heads;
    if (slot >= (is_user ? users_end : heads_end)) return false;
    to.header.insert(to.header.end(), slot, slot->next());
    slot = slot->next();
    if (!is_user || !header_heads_[i]) continue;
    if (heads >= heads_end) return false;
    heads = heads->next();
  }
  return heads == heads_end && user == users_end;
}

bool NestedPacket::restore_users(const Packet& stored, const std::vector<bool>& is_user,
                                 PacketValues& to, ByteArena& arena) const {
  to.clear();
  std::vector<Slot> own;
  const Slot* slot = stored.context.data();
  const Slot* const end = slot + stored.context.size();
  for (const bool is_kept : is_user) {
    if (slot >= end) return false;
    const Slot* const next = slot->next();
    if (is_kept) own.insert(own.end(), slot, next);
    slot = next;
  }
  return restore(users_program_, own, to.context, to.header, arena);
}

namespace {

// Why its events say the value of their clock beside their time.
Convention why_clock_value(const EventClass& source) {
  if (!source.has_real_time()) return Convention::kNominalTime;
  return has_whole_frequency(*source.clock) ? Convention::kSteppedBack : Convention::kClockValue;
}

}  // namespace

NestedClass::NestedClass(const EventClass& source, NestedShape shape,
                         std::shared_ptr<const NestedContext> common, const NestedProfile& profile)
    : source_(source), shape_(shape), common_(std::move(common)) {
  NestedOrigin origin = NestedOrigin::of(source.stream_class, profile);
  origin.specific_context = source.specific_context.get();
  same_format_ = origin.same_format;
  NestedFields fields(profile, shape.any_string, shape.any_integer, origin);
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
    kept_.push_back({.convention = why_clock_value(source)});
  }
  if (shape.ordered) {
    fields.add("tracedeck_order", wide_number());
    kept_.push_back({.convention = Convention::kOrder});
  }
  payload_ = fields.take();
  // Other formats may share what CTF would write once for each use.
  if (same_format_ && is_as_it_was(source.payload.get(), payload_.get())) payload_ = source.payload;
  kept_.insert(kept_.end(), fields.kept().begin(), fields.kept().end());
  NestedFields specific(profile, shape.any_string, shape.any_integer, origin,
                        Root::kSpecificContext);
  specific_ = specific.add_members(source.specific_context.get());
  specific_context_ = specific.take();
  kept_.insert(kept_.end(), specific.kept().begin(), specific.kept().end());
  if (shape == NestedShape{.any_string = shape.any_string, .any_integer = shape.any_integer} &&
      !has_duration(source) && !source.self_described && stays(common_->program) &&
      stays(specific_))
    lengths_ = added_lengths(payload_program_);
  in_place_ = lengths_ && lengths_->empty();
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
  values.header_count = same_format_ ? event.header_count : 0;
  const Slot* const begin = event.slots - values.header_count;
  if (in_place_ && are_plain(event)) {
    values.slots = {begin, event.slot_count + values.header_count};
    values.common_count = event.common_count;
    values.specific_count = event.specific_count;
    return true;
  }
  values.made.clear();
  SlotRun out(values.made);
  out.keep(begin, event.slots);
  if (!lower_values(common_->program, event.common_context().data(), out, arena)) return false;
  values.common_count = static_cast<std::uint32_t>(out.size()) - values.header_count;
  if (!lower_values(specific_, event.specific_context().data(), out, arena)) return false;
  values.specific_count =
      static_cast<std::uint32_t>(out.size()) - values.common_count - values.header_count;
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

bool NestedClass::restore_made(const Event& event, RestoredValues& values, ByteArena& arena) const {
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
  values.moved = false;
  if (shape_.clock_value) {
    if (!number(values.time)) return false;
    take_moved(event.time, values);
  }
  std::uint64_t order = 0;
  if (shape_.ordered && !number(order)) return false;
  values.end_time = values.time + duration;
  return slot == end;
}

void NestedClass::take_moved(std::uint64_t stored, RestoredValues& values) const {
  if (!source_.has_real_time()) return;
  const Tick tick = has_whole_frequency(*source_.clock) ? Tick{} : source_.clock->tick;
  const std::uint64_t expected = in_nanoseconds(tick, values.time);
  // One that stepped back may be stored later than it was.
  values.moved = stored < expected || (stored > expected && !shape_.ordered);
  if (!values.moved) return;
  const Uint128 behind = (Uint128{stored} + 1) * tick.denominator;
  const Uint128 value = (behind + tick.numerator - 1) / tick.numerator - 1;
  values.time = static_cast<std::uint64_t>(
      std::min<Uint128>(value, std::numeric_limits<std::uint64_t>::max()));
}

bool NestedClass::leave_out_lengths(const Event& event, Slot* to) const {
  const Slot* const end = event.slots + event.slot_count;
  const Slot* begin = event.slots;
  const Slot* slot = event.payload().data();
  for (std::uint32_t values : *lengths_) {
    for (; values != 0 && slot < end; --values) slot = slot->next();
    // Others become packed ones.
    if (end - slot < 2 || slot[1].kind != SlotKind::kPackedArray) return false;
    to = std::copy(begin, slot, to);
    begin = slot + 1;
    slot += 2;
  }
  std::copy(begin, end, to);
  return true;
}

std::uint64_t NestedClass::order_of(const Event& event) {
  return event.slot_count == 0 ? 0 : event.slots[event.slot_count - 1].bits;
}

bool has_whole_frequency(const ClockClass& clock) {
  const Int128 hertz = Int128{1'000'000'000} * clock.tick.denominator;
  return hertz % clock.tick.numerator == 0 &&
         hertz / clock.tick.numerator <= std::numeric_limits<std::uint64_t>::max();
}

std::uint64_t in_nanoseconds(const Tick& tick, std::uint64_t value) {
  const Uint128 time = Uint128{value} * tick.numerator / tick.denominator;
  return static_cast<std::uint64_t>(
      std::min<Uint128>(time, std::numeric_limits<std::uint64_t>::max()));
}

const EventClass& loss_class() {
  static const EventClass kClass = {
      .name = std::string(kLossName), .name_space = {}, .uid = {}, .payload = loss_payload()};
  return kClass;
}

NestedClass nested_loss_class(const NestedProfile& profile) {
  return {loss_class(), {}, std::make_shared<NestedContext>(), profile};
}

}  // namespace tracedeck::lower
