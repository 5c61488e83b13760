#include "tracedeck/spill/record_codec.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include "tracedeck/spill/slot_codec.hpp"

namespace tracedeck {
namespace {

// The first byte of a record: its kind and these.
constexpr unsigned kKindMask = 0x0F;
constexpr unsigned kTimeIsKey = 0x10;  // the clock value is the key's `coarse`
constexpr unsigned kEndIsTime = 0x20;
constexpr unsigned kHasPacket = 0x40;
constexpr unsigned kHasParts = 0x80;

std::span<const Slot> all_slots(const Event& event) {
  return {event.slots - event.header_count, std::size_t{event.header_count} + event.slot_count};
}

// Of an event without its slots, of a loss, and of a notice without its texts.
constexpr std::size_t kEventBound = 1 + 11 * kMaxVarint;
constexpr std::size_t kLossBound = 1 + sizeof(Loss) + kMaxVarint;
constexpr std::size_t kNoticeBound = 7 * kMaxVarint;

static_assert(std::is_trivially_copyable_v<Loss>);

std::uint8_t* put_pointer(std::uint8_t* to, const void* pointer) {
  return put_raw(to, reinterpret_cast<std::uintptr_t>(pointer));
}

template <class T>
const T* take_pointer(const std::uint8_t*& from) {
  return std::bit_cast<const T*>(take_raw<std::uintptr_t>(from));
}

std::string as_string(ByteSpan bytes) { return std::string(as_text(bytes)); }

}  // namespace

void RecordCodec::take_over(const Batch& batch) {
  objects_->begin_batch();
  passing_.clear();
  const auto passes = [this](const void* object) {
    if (object == nullptr || (!passing_.empty() && passing_.back() == object)) return;
    passing_.push_back(object);
  };
  for (const Record& record : batch.records()) {
    switch (record.kind) {
      case RecordKind::kEvent:
        passes(record.event.stream);
        passes(record.event.packet);
        break;
      case RecordKind::kStreamBegin:
      case RecordKind::kStreamEnd:
        passes(record.stream);
        break;
      case RecordKind::kPacketBegin:
      case RecordKind::kPacketEnd:
        passes(record.packet);
        break;
      default:
        break;
    }
  }
  std::ranges::sort(passing_);
  for (const auto& owner : batch.lasting_pins()) {
    if (!std::ranges::binary_search(passing_, owner.get())) pins_->take_over(owner);
  }
}

std::size_t RecordCodec::bound(const Record& record) {
  switch (record.kind) {
    case RecordKind::kEvent: {
      const std::span<const Slot> slots = all_slots(record.event);
      std::size_t bytes = kEventBound + slots.size() * kSlotBound;
      for (const Slot* slot = slots.data(); slot != slots.data() + slots.size(); ++slot) {
        if (points_to_bytes(*slot)) bytes += slot->length;
      }
      return bytes;
    }
    case RecordKind::kLoss:
      return kLossBound;
    case RecordKind::kProblem:
    case RecordKind::kFinding:
      return kNoticeBound + record.notice->input.size() + record.notice->trace.size() +
             record.notice->finding.text.size();
    default:
      return 1 + kMaxVarint;
  }
}

bool RecordCodec::is_event(const std::uint8_t* packed) {
  return (*packed & kKindMask) == std::to_underlying(RecordKind::kEvent);
}

std::uint64_t RecordCodec::number_of(const EventClass& event_class) {
  ClassNumber& entry = class_numbers_[event_class];
  if (entry.number == ClassNumber::kNone) [[unlikely]] {
    entry.number = classes_.size();
    classes_.push_back(&event_class);
  }
  return entry.number;
}

std::uint8_t* RecordCodec::pack(const Record& record, std::uint64_t coarse, std::uint8_t* to) {
  const auto kind = static_cast<std::uint8_t>(record.kind);
  switch (record.kind) {
    case RecordKind::kEvent:
      return pack_event(record.event, coarse, to);
    case RecordKind::kStreamBegin:
    case RecordKind::kStreamEnd:
      *to++ = kind;
      return put_varint(to, objects_->number_of(record.stream));
    case RecordKind::kPacketBegin:
    case RecordKind::kPacketEnd:
      *to++ = kind;
      return put_varint(to, objects_->number_of(record.packet));
    case RecordKind::kDescription:
      *to++ = kind;
      return put_pointer(to, record.event_class);
    case RecordKind::kLoss:
      *to++ = kind;
      return put_varint(put_raw(to, *record.loss), objects_->number_of(record.loss->stream));
    case RecordKind::kProblem:
    case RecordKind::kFinding:
      break;
  }
  const Finding& finding = record.notice->finding;
  *to++ = kind;
  to = put_pointer(to, finding.rule);
  to = put_varint(put_varint(to, finding.offset), finding.length);
  to = put_varint(to, objects_->number_of(record.notice->stream));
  to = put_bytes(put_bytes(to, as_bytes(record.notice->input)), as_bytes(record.notice->trace));
  return put_bytes(to, as_bytes(finding.text));
}

std::uint8_t* RecordCodec::pack_event(const Event& event, std::uint64_t coarse, std::uint8_t* to) {
  const bool has_parts = (event.header_count | event.common_count | event.specific_count) != 0;
  const unsigned head = (event.time == coarse ? kTimeIsKey : 0) |
                        (event.end_time == event.time ? kEndIsTime : 0) |
                        (event.packet != nullptr ? kHasPacket : 0) | (has_parts ? kHasParts : 0);
  *to++ = static_cast<std::uint8_t>(std::to_underlying(RecordKind::kEvent) | head);
  to = put_varint(to, number_of(*event.event_class));
  to = put_varint(to, objects_->number_of(event.stream));
  if (event.packet != nullptr) to = put_varint(to, objects_->number_of(event.packet));
  if ((head & kTimeIsKey) == 0) to = put_raw(to, event.time);
  if ((head & kEndIsTime) == 0) to = put_varint(to, event.end_time - event.time);
  to = put_varint(put_varint(to, event.offset), event.size);
  if (has_parts) {
    to = put_varint(to, event.header_count);
    to = put_varint(put_varint(to, event.common_count), event.specific_count);
  }
  to = put_varint(to, event.slot_count);
  for (const Slot& slot : all_slots(event)) to = pack_slot(slot, to);
  return to;
}

bool RecordCodec::unpack(const std::uint8_t* from, std::uint64_t coarse,
                         const std::shared_ptr<const void>& owner, OutputBatch& output) const {
  const unsigned head = *from++;
  const auto kind = static_cast<RecordKind>(head & kKindMask);
  if (kind == RecordKind::kEvent) return unpack_event(head, from, coarse, owner, output);
  if (output.empty()) output.pin_lasting(pins_);
  switch (kind) {
    case RecordKind::kEvent:
      break;
    case RecordKind::kStreamBegin:
    case RecordKind::kStreamEnd:
      output.add(Record(kind, stream(take_varint(from), output)));
      break;
    case RecordKind::kPacketBegin:
    case RecordKind::kPacketEnd:
      output.add(Record(kind, packet(take_varint(from), output)));
      break;
    case RecordKind::kDescription:
      output.add(Record(take_pointer<EventClass>(from)));
      break;
    case RecordKind::kLoss:
      unpack_loss(from, output);
      break;
    case RecordKind::kProblem:
    case RecordKind::kFinding:
      unpack_notice(kind, from, output);
      break;
  }
  return true;
}

// Both keep what they return alive with the batch.
const DataStream* RecordCodec::stream(std::uint64_t number, OutputBatch& output) const {
  if (number == 0) return nullptr;
  const std::shared_ptr<const DataStream>& found = objects_->stream(number);
  output.pin_lasting(found);
  return found.get();
}

const Packet* RecordCodec::packet(std::uint64_t number, OutputBatch& output) const {
  if (number == 0) return nullptr;
  const std::shared_ptr<const Packet>& found = objects_->packet(number);
  output.pin_lasting(found);
  return found.get();
}

void RecordCodec::unpack_loss(const std::uint8_t* from, OutputBatch& output) const {
  auto loss = take_raw<Loss>(from);
  loss.stream = stream(take_varint(from), output);
  output.add_loss(loss);
}

void RecordCodec::unpack_notice(RecordKind kind, const std::uint8_t* from,
                                OutputBatch& output) const {
  Notice notice;
  notice.finding.rule = take_pointer<Rule>(from);
  notice.finding.offset = take_varint(from);
  notice.finding.length = take_varint(from);
  notice.stream = stream(take_varint(from), output);
  notice.input = as_string(take_bytes(from));
  notice.trace = as_string(take_bytes(from));
  notice.finding.text = as_string(take_bytes(from));
  output.add_notice(kind, std::move(notice));
}

bool RecordCodec::unpack_event(unsigned head, const std::uint8_t* from, std::uint64_t coarse,
                               const std::shared_ptr<const void>& owner,
                               OutputBatch& output) const {
  Event event;
  event.event_class = classes_[take_varint(from)];
  const std::uint64_t stream_number = take_varint(from);
  const std::uint64_t packet_number = (head & kHasPacket) != 0 ? take_varint(from) : 0;
  event.time = (head & kTimeIsKey) != 0 ? coarse : take_raw<std::uint64_t>(from);
  event.end_time = event.time;
  if ((head & kEndIsTime) == 0) event.end_time += take_varint(from);
  event.offset = take_varint(from);
  event.size = static_cast<std::uint32_t>(take_varint(from));
  if ((head & kHasParts) != 0) {
    event.header_count = static_cast<std::uint32_t>(take_varint(from));
    event.common_count = static_cast<std::uint32_t>(take_varint(from));
    event.specific_count = static_cast<std::uint32_t>(take_varint(from));
  }
  event.slot_count = static_cast<std::uint32_t>(take_varint(from));

  const std::size_t count = std::size_t{event.header_count} + event.slot_count;
  Slot* slot = output.room(count);
  if (slot == nullptr) return false;
  if (output.empty()) output.pin_lasting(pins_);
  if (owner != nullptr) output.pin_bytes(owner);
  event.stream = stream(stream_number, output);
  event.packet = packet(packet_number, output);
  event.slots = slot + event.header_count;
  for (Slot* const end = slot + count; slot != end; ++slot) {
    *slot = unpack_slot(from);
    if (owner == nullptr && points_to_bytes(*slot)) slot->pointer = output.keep(slot->bytes());
  }
  output.commit(slot);
  output.add(Record(event));
  return true;
}

}  // namespace tracedeck
