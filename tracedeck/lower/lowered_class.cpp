#include "tracedeck/lower/lowered_class.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "tracedeck/lower/field_lowering.hpp"
#include "tracedeck/model/class_tree.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::lower {
namespace {

FieldClassPtr unsigned_class() {
  static const FieldClassPtr kUnsigned = make_field_class(IntegerClass{.layout = Leb128Layout{}});
  return kUnsigned;
}

FieldClassPtr signed_class() {
  static const FieldClassPtr kSigned =
      make_field_class(IntegerClass{.is_signed = true, .layout = FixedLayout{.width = 64}});
  return kSigned;
}

// The value of 64 bits that is equal modulo 2^64.
std::uint64_t low_bits(const Nanoseconds& time) {
  const auto magnitude = static_cast<std::uint64_t>(time.magnitude());
  return time.negative() ? 0 - magnitude : magnitude;
}

}  // namespace

std::uint64_t nearest_value(const Nanoseconds& time) {
  if (time.negative()) return 0;
  constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max();
  return time.magnitude() > kLast ? kLast : static_cast<std::uint64_t>(time.magnitude());
}

bool is_name_and_texts(std::span<const Slot> payload) {
  if (payload.size() < 2 || payload[0].kind != SlotKind::kString) return false;
  if (payload[1].kind != SlotKind::kMap && payload[1].kind != SlotKind::kStringMap) return false;
  const Slot* slot = &payload[2];
  const Slot* const end = payload.data() + payload.size();
  while (slot < end) {
    if (slot->kind != SlotKind::kString) return false;
    slot = (slot + 1)->next();
  }
  return slot == end;
}

std::uint64_t value_at(const ClockClass& clock, const Nanoseconds& time) {
  const auto values = clock.values_between(Nanoseconds::from_unsigned(~Uint128{0}, true), time);
  return values ? values->first + values->extent : 0;
}

UserMembers user_members(const FieldClassPtr& structure) {
  if (structure == nullptr) return {};
  UserMembers users;
  StructureClass left;
  for (const Member& member : structure->as<StructureClass>()->members) {
    users.kept.push_back(!has_role_inside(*member.field_class));
    if (users.kept.back()) left.members.push_back(member);
  }
  const bool all = left.members.size() == users.kept.size();
  if (!left.members.empty())
    users.field_class = all ? structure : make_field_class(std::move(left));
  return users;
}

void leave_out_header(TraceDescription& restored) {
  TraceClass trace_class = restored.trace_class();
  trace_class.packet_header = user_members(trace_class.packet_header).field_class;
  restored.set_trace_class(std::move(trace_class));
}

DataStreamClass without_heads(const DataStreamClass& stream_class) {
  DataStreamClass without = stream_class;
  without.packet_context = user_members(stream_class.packet_context).field_class;
  without.event_header = nullptr;
  return without;
}

Result<std::unique_ptr<LoweredClass>> LoweredClass::make(const EventClass& source, Shape shape,
                                                         const TargetProfile& profile,
                                                         std::size_t most,
                                                         std::int64_t clock_shift) {
  std::unique_ptr<LoweredClass> made(new LoweredClass(source, std::move(shape), clock_shift));
  FieldLowering fields(profile, made->shape_, most);
  std::vector<Kept>& kept = made->kept_;
  const DataStreamClass& stream_class = *source.stream_class;
  // A plain target has times, and durations if any, of its own.
  if (source.clock != nullptr && profile.plain == nullptr) {
    const bool nanoseconds = source.clock->tick == Tick{};
    made->time_ = nanoseconds ? Time::kShifted : Time::kScaled;
    made->zero_ = low_bits(source.clock->to_nanoseconds(0) - Nanoseconds(clock_shift));
    if (source.has_duration) {
      fields.add("duration", signed_class());
      kept.push_back({.convention = Convention::kDuration});
    }
  }
  made->payload_program_ = fields.add_members(source.payload.get(), "");
  const auto context = [&](const FieldClass* of, std::string_view prefix, Convention convention) {
    const auto* const structure = of == nullptr ? nullptr : of->as<StructureClass>();
    if (structure != nullptr && !structure->members.empty()) kept.push_back({convention});
    return fields.add_members(of, prefix);
  };
  made->specific_ =
      context(source.specific_context.get(), "specific.", Convention::kSpecificContext);
  if (profile.plain == nullptr || !stream_class.context_identifies) {
    made->common_ =
        context(stream_class.common_context.get(), "common.", Convention::kCommonContext);
  }
  if (made->shape_.packet_context) {
    const auto part = [&](const FieldClassPtr& of, std::string_view prefix) -> PacketPart {
      UserMembers users = user_members(of);
      FieldProgram program = context(users.field_class.get(), prefix, Convention::kPacketContext);
      return {.kept = std::move(users.kept), .program = std::move(program)};
    };
    const TraceDescription* const trace = stream_class.trace;
    if (trace != nullptr)
      made->packet_header_ = part(trace->trace_class().packet_header, "packet_header.");
    made->packet_context_ = part(stream_class.packet_context, "packet.");
  }
  for (const std::string& key : made->shape_.stream_keys)
    fields.add("stream." + key, unsigned_class());
  if (made->shape_.stream_number) fields.add("stream.number", unsigned_class());
  if (!made->shape_.stream_keys.empty() || made->shape_.stream_number)
    kept.push_back({.convention = Convention::kStreamKeys});
  if (made->time_ == Time::kScaled) {
    fields.add("clock.value", unsigned_class());
    kept.push_back({.convention = Convention::kClockValue});
  }
  if (fields.too_many()) {
    return fail(ErrorCode::kLimitExceeded, fmt::format("event class `{}` has more than {} fields",
                                                       source.name.value_or(""), most));
  }
  made->payload_ = fields.take();
  kept.insert(kept.end(), fields.kept().begin(), fields.kept().end());
  made->name_ = source.name.value_or("");
  if (made->name_.empty() && source.id) made->name_ = fmt::format("#{}", *source.id);
  if (made->name_.size() > profile.longest_name) made->name_.resize(profile.longest_name);
  if (made->name_ != source.name.value_or("")) kept.push_back({.convention = Convention::kName});
  return made;
}

bool LoweredClass::keeps_plain_values() const {
  const bool alone = time_ == Time::kNone && specific_.empty() && common_.empty() &&
                     packet_header_.program.empty() && packet_context_.program.empty() &&
                     shape_.stream_keys.empty() && !shape_.stream_number;
  return alone && std::ranges::all_of(payload_program_, [](const FieldStep& step) {
           using enum FieldStep::Kind;
           return step.kind == kCopy || step.kind == kNumber || step.kind == kElements;
         });
}

std::size_t LoweredClass::memory() const {
  std::size_t steps = 0;
  for (const FieldProgram* const program :
       {&payload_program_, &specific_, &common_, &packet_header_.program, &packet_context_.program})
    steps += program->size();
  std::size_t bytes = steps * sizeof(FieldStep);
  for (const Kept& each : kept_) bytes += sizeof(Kept) + each.path.size();
  return bytes;
}

bool PacketPart::lower(std::span<const Slot> values, SlotRun& out, ByteArena& arena) const {
  if (program.empty()) return true;
  constexpr std::size_t kFew = 32;
  std::array<Slot, kFew> few;
  std::vector<Slot> many;
  if (values.size() > kFew) many.resize(values.size());
  Slot* const users = values.size() > kFew ? many.data() : few.data();
  Slot* user = users;
  const Slot* slot = values.data();
  const Slot* const end = slot + values.size();
  for (const bool is_kept : kept) {
    if (slot >= end) return false;
    const Slot* const next = slot->next();
    if (is_kept) user = std::copy(slot, next, user);
    slot = next;
  }
  const bool fits = lower_values(program, users, out, arena);
  static_cast<void>(out.settled());  // before `users` goes
  return fits;
}

bool PacketPart::restore(const Slot*& slot, const Slot* end, std::vector<Slot>& slots,
                         ByteArena& arena) const {
  SlotRun out(slots);
  const bool fits = restore_values(program, slot, end, out, arena);
  static_cast<void>(out.settled());
  return fits;
}

std::uint64_t LoweredClass::time_of(const Event& event) const {
  if (time_ == Time::kNone) return 0;
  if (time_ == Time::kShifted) return event.time + zero_;
  return nearest_value(event.began_at());
}

bool LoweredClass::lower(const Event& event, SlotRun& out, ByteArena& arena) const {
  if (source_.has_duration && time_ != Time::kNone)
    out.add(signed_slot(static_cast<std::int64_t>(event.end_time - event.time)));
  if (!lower_values(payload_program_, event.payload().data(), out, arena) ||
      !lower_values(specific_, event.specific_context().data(), out, arena) ||
      !lower_values(common_, event.common_context().data(), out, arena))
    return false;
  if (shape_.packet_context) {
    if (!packet_header_.lower(event.packet->header, out, arena) ||
        !packet_context_.lower(event.packet->context, out, arena))
      return false;
  }
  if (!shape_.stream_keys.empty()) {
    for (const StreamKey& key : event.stream->keys) out.add(unsigned_slot(key.value));
  }
  if (shape_.stream_number) out.add(unsigned_slot(event.stream->entity.ordinal));
  if (time_ == Time::kScaled) out.add(unsigned_slot(event.time));
  return true;
}

bool LoweredClass::restore(const Event& event, RestoredValues& values, ByteArena& arena) const {
  const std::span<const Slot> payload = event.payload();
  const Slot* slot = payload.data();
  const Slot* const end = slot + payload.size();
  const auto number = [&](std::uint64_t& to) {
    if (slot >= end || (slot->kind != SlotKind::kUnsigned && slot->kind != SlotKind::kSigned))
      return false;
    to = (slot++)->bits;
    return true;
  };
  std::uint64_t duration = 0;
  if (source_.has_duration && time_ != Time::kNone && !number(duration)) return false;
  values.made.clear();
  values.payload.clear();
  values.specific.clear();
  values.packet.clear();
  SlotRun own(values.payload);
  SlotRun specific(values.specific);
  SlotRun all(values.made);
  if (!restore_values(payload_program_, slot, end, own, arena) ||
      !restore_values(specific_, slot, end, specific, arena) ||
      !restore_values(common_, slot, end, all, arena) ||
      !packet_header_.restore(slot, end, values.packet.header, arena) ||
      !packet_context_.restore(slot, end, values.packet.context, arena))
    return false;
  if (source_.self_described && !is_name_and_texts(own.slots())) return false;
  values.common_count = static_cast<std::uint32_t>(all.size());
  values.specific_count = static_cast<std::uint32_t>(specific.size());
  for (const std::span<const Slot> part : {specific.slots(), own.slots()})
    all.keep(part.data(), part.data() + part.size());
  values.slots = all.slots();
  values.stream_keys.resize(shape_.stream_keys.size());
  for (std::uint64_t& key : values.stream_keys) {
    if (!number(key)) return false;
  }
  if (shape_.stream_number && !number(values.stream_number)) return false;
  values.time = event.time - zero_;
  if (time_ == Time::kNone) values.time = 0;
  values.moved = false;
  if (time_ == Time::kScaled) {
    if (!number(values.time)) return false;
    const Nanoseconds shift(clock_shift_);
    values.moved = nearest_value(source_.clock->to_nanoseconds(values.time) - shift) != event.time;
    if (values.moved) [[unlikely]]
      values.time = value_at(*source_.clock, Nanoseconds::from_unsigned(event.time) + shift);
  }
  values.end_time = values.time + duration;
  return slot == end;
}

}  // namespace tracedeck::lower
