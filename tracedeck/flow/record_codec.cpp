#include "tracedeck/flow/record_codec.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include "tracedeck/flow/spill_bytes.hpp"

namespace tracedeck::flow {
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

// The first byte of a slot: its kind in the low bits, then its flags.
constexpr unsigned kSlotKindMask = 0x1F;
constexpr unsigned kSlotFlagsShift = 5;

// Of an event without its slots, and of a slot without the bytes it points to.
constexpr std::size_t kEventBound = 1 + 11 * kMaxVarint;
constexpr std::size_t kSlotBound = 2 + 2 * kMaxVarint;
constexpr std::size_t kNoticeBound = 6 * kMaxVarint;

static_assert(std::is_trivially_copyable_v<Loss>);

// What a slot holds beside its kind and flags.
enum class Content : std::uint8_t { kBits, kInteger, kReal, kBytes, kPacked, kHead };

constexpr std::array<Content, 17> kContents = {
    Content::kBits,  // kBoolean
    Content::kBits,  // kUnsigned
    Content::kInteger, Content::kReal,
    Content::kBytes,  // kString
    Content::kBytes,  // kBlob
    Content::kPacked,
    Content::kBytes,  // kWideUnsigned
    Content::kBytes,  // kWideSigned
    Content::kBytes,  // kWideReal
    Content::kBits,   // kUnresolved
    Content::kHead,   // kArray and the other compound kinds
    Content::kHead,    Content::kHead, Content::kHead, Content::kHead, Content::kHead,
};
static_assert(std::to_underlying(SlotKind::kVariant) + 1 == kContents.size());

Content content_of(SlotKind kind) { return kContents[std::to_underlying(kind)]; }

bool points_to_bytes(const Slot& slot) {
  const Content content = content_of(slot.kind);
  return content == Content::kBytes || content == Content::kPacked;
}

template <class T>
std::uint8_t* put_raw(std::uint8_t* to, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::memcpy(to, &value, sizeof value);
  return to + sizeof value;
}

template <class T>
T take_raw(const std::uint8_t*& from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  from += sizeof value;
  return value;
}

std::uint8_t* put_pointer(std::uint8_t* to, const void* pointer) {
  return put_raw(to, reinterpret_cast<std::uintptr_t>(pointer));
}

template <class T>
const T* take_pointer(const std::uint8_t*& from) {
  return std::bit_cast<const T*>(take_raw<std::uintptr_t>(from));
}

std::uint8_t* put_bytes(std::uint8_t* to, ByteSpan bytes) {
  to = put_varint(to, bytes.size());
  if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
  return to + bytes.size();
}

ByteSpan take_bytes(const std::uint8_t*& from) {
  const std::size_t size = take_varint(from);
  const ByteSpan bytes{from, size};
  from += size;
  return bytes;
}

std::uint8_t* pack_slot(const Slot& slot, std::uint8_t* to) {
  *to++ = static_cast<std::uint8_t>(std::to_underlying(slot.kind) |
                                    static_cast<unsigned>(slot.flags) << kSlotFlagsShift);
  switch (content_of(slot.kind)) {
    case Content::kBits:
      to = put_varint(to, slot.bits);
      return slot.name() != 0 ? put_varint(to, slot.name()) : to;
    case Content::kInteger:
      return put_varint(to, zigzag(slot.integer));
    case Content::kReal:
      return put_raw(to, slot.bits);
    case Content::kPacked:
      *to++ = slot.detail;
      return put_bytes(to, slot.bytes());
    case Content::kBytes:
      return put_bytes(to, slot.bytes());
    case Content::kHead:
      break;
  }
  return put_varint(put_varint(to, slot.bits), slot.length);
}

// A slot whose pointer, if it has one, points into the packed bytes.
Slot unpack_slot(const std::uint8_t*& from) {
  const unsigned head = *from++;
  Slot slot = unsigned_slot(0, static_cast<std::uint8_t>(head >> kSlotFlagsShift));
  slot.kind = static_cast<SlotKind>(head & kSlotKindMask);
  switch (content_of(slot.kind)) {
    case Content::kBits:
      slot.bits = take_varint(from);
      if ((slot.flags & kSlotNamed) != 0)
        slot.length = static_cast<std::uint32_t>(take_varint(from));
      break;
    case Content::kInteger:
      slot.integer = unzigzag(take_varint(from));
      break;
    case Content::kReal:
      slot.bits = take_raw<std::uint64_t>(from);
      break;
    case Content::kPacked:
      slot.detail = *from++;
      [[fallthrough]];
    case Content::kBytes: {
      const ByteSpan bytes = take_bytes(from);
      slot.pointer = bytes.data();
      slot.length = static_cast<std::uint32_t>(bytes.size());
      break;
    }
    case Content::kHead:
      slot.bits = take_varint(from);
      slot.length = static_cast<std::uint32_t>(take_varint(from));
      break;
  }
  return slot;
}

std::string as_string(ByteSpan bytes) { return std::string(as_text(bytes)); }

}  // namespace

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
      return 1 + sizeof(Loss);
    case RecordKind::kProblem:
    case RecordKind::kFinding:
      return kNoticeBound + record.notice->input.size() + record.notice->finding.text.size();
    default:
      return 1 + kMaxVarint;
  }
}

std::uint64_t RecordCodec::number_of(const EventClass& event_class) {
  ClassNumber& entry = class_numbers_[event_class];
  if (class_numbers_.entries().size() != classes_.size()) [[unlikely]] {
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
      return put_varint(to, streams_(record.stream));
    case RecordKind::kPacketBegin:
    case RecordKind::kPacketEnd:
      *to++ = kind;
      return put_varint(to, packets_(record.packet));
    case RecordKind::kDescription:
      *to++ = kind;
      return put_pointer(to, record.event_class);
    case RecordKind::kLoss:
      *to++ = kind;
      return put_raw(to, *record.loss);
    case RecordKind::kProblem:
    case RecordKind::kFinding:
      break;
  }
  const Finding& finding = record.notice->finding;
  *to++ = kind;
  to = put_pointer(to, finding.rule);
  to = put_varint(put_varint(to, finding.offset), finding.length);
  return put_bytes(put_bytes(to, as_bytes(record.notice->input)), as_bytes(finding.text));
}

std::uint8_t* RecordCodec::pack_event(const Event& event, std::uint64_t coarse, std::uint8_t* to) {
  const bool has_parts = (event.header_count | event.common_count | event.specific_count) != 0;
  const unsigned head = (event.time == coarse ? kTimeIsKey : 0) |
                        (event.end_time == event.time ? kEndIsTime : 0) |
                        (event.packet != nullptr ? kHasPacket : 0) | (has_parts ? kHasParts : 0);
  *to++ = static_cast<std::uint8_t>(std::to_underlying(RecordKind::kEvent) | head);
  to = put_varint(to, number_of(*event.event_class));
  to = put_varint(to, streams_(event.stream));
  if (event.packet != nullptr) to = put_varint(to, packets_(event.packet));
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
      output.add(Record(kind, streams_.object(take_varint(from))));
      break;
    case RecordKind::kPacketBegin:
    case RecordKind::kPacketEnd:
      output.add(Record(kind, packets_.object(take_varint(from))));
      break;
    case RecordKind::kDescription:
      output.add(Record(take_pointer<EventClass>(from)));
      break;
    case RecordKind::kLoss:
      output.add_loss(take_raw<Loss>(from));
      break;
    case RecordKind::kProblem:
    case RecordKind::kFinding:
      unpack_notice(kind, from, output);
      break;
  }
  return true;
}

void RecordCodec::unpack_notice(RecordKind kind, const std::uint8_t* from,
                                OutputBatch& output) const {
  Notice notice;
  notice.finding.rule = take_pointer<Rule>(from);
  notice.finding.offset = take_varint(from);
  notice.finding.length = take_varint(from);
  notice.input = as_string(take_bytes(from));
  notice.finding.text = as_string(take_bytes(from));
  output.add_notice(kind, std::move(notice));
}

bool RecordCodec::unpack_event(unsigned head, const std::uint8_t* from, std::uint64_t coarse,
                               const std::shared_ptr<const void>& owner,
                               OutputBatch& output) const {
  Event event;
  event.event_class = classes_[take_varint(from)];
  event.stream = streams_.object(take_varint(from));
  if ((head & kHasPacket) != 0) event.packet = packets_.object(take_varint(from));
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
  output.pin_lasting(pins_);
  if (owner != nullptr) output.pin_bytes(owner);
  event.slots = slot + event.header_count;
  for (Slot* const end = slot + count; slot != end; ++slot) {
    *slot = unpack_slot(from);
    if (owner == nullptr && points_to_bytes(*slot)) slot->pointer = output.keep(slot->bytes());
  }
  output.commit(slot);
  output.add(Record(event));
  return true;
}

}  // namespace tracedeck::flow
