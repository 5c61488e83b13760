#include "tracedeck/lower/marker_message.hpp"

#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "tracedeck/lower/value_text.hpp"
#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/text/number.hpp"

namespace tracedeck::lower {
namespace {

// Literals are copied in pieces of this size, so they may be read and written beyond their end.
constexpr std::size_t kPiece = 16;

char* put_number(char* at, std::uint64_t value) {
  if (value >= 10) return write_decimal(at, value);
  *at = static_cast<char>('0' + value);
  return at + 1;
}

bool is_plain(std::uint8_t byte) {
  return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

// As a string, if no character of it is written in another way.
bool put_plain_text(TextBuffer& out, std::string_view text) {
  char* at = out.reserve(text.size() + 2);
  *at++ = '"';
  for (const char character : text) {
    if (!is_plain(static_cast<std::uint8_t>(character))) return false;
    *at++ = character;
  }
  *at++ = '"';
  out.commit(at);
  return true;
}

template <class Load>
void put_numbers(TextBuffer& out, std::size_t count, Load load) {
  char* at = out.reserve(2 + count * (1 + kIntegerSize));
  *at++ = '[';
  for (std::size_t i = 0; i < count; ++i) {
    if (i != 0) *at++ = ',';
    at = write_decimal(at, load(i));
  }
  *at++ = ']';
  out.commit(at);
}

// An array, if it is one of integers without a sign.
bool put_packed(TextBuffer& out, const Slot& slot) {
  const std::uint8_t* const from = slot.pointer;
  const auto element = static_cast<PackedElement>(slot.detail);
  if (element == PackedElement::kU64Le) {
    put_numbers(out, slot.length / 8, [&](auto i) { return load_le<std::uint64_t>(from + 8 * i); });
  } else if (element == PackedElement::kU64Be) {
    put_numbers(out, slot.length / 8, [&](auto i) { return load_be<std::uint64_t>(from + 8 * i); });
  } else if (element == PackedElement::kU8) {
    put_numbers(out, slot.length, [&](auto i) { return std::uint64_t{from[i]}; });
  } else {
    return false;
  }
  return true;
}

void put_hexadecimal(TextBuffer& out, ByteSpan bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  char* at = out.reserve(2 + 2 * bytes.size());
  *at++ = '"';
  for (const std::uint8_t byte : bytes) {
    *at++ = kDigits[byte >> 4];
    *at++ = kDigits[byte & 15];
  }
  *at++ = '"';
  out.commit(at);
}

// A value of one slot, if its kind is a usual one.
bool put_usual(TextBuffer& out, const Slot& slot) {
  switch (slot.kind) {
    case SlotKind::kString:
      return put_plain_text(out, slot.text());
    case SlotKind::kPackedArray:
      return put_packed(out, slot);
    case SlotKind::kBlob:
      put_hexadecimal(out, slot.bytes());
      return true;
    default:
      return false;
  }
}

constexpr std::array<std::string_view, 4> kContexts = {R"("@common":{)", R"("@specific":{)",
                                                       R"("@packet_header":{)", R"("@packet":{)"};

}  // namespace

const FieldClassPtr& MarkerMessage::class_of(Part part) const {
  const DataStreamClass& stream_class = *event_class_.stream_class;
  switch (part) {
    case kCommon:
      return stream_class.common_context;
    case kSpecific:
      return event_class_.specific_context;
    case kPacketHeader:
      return stream_class.trace->trace_class().packet_header;
    case kPacket:
      return stream_class.packet_context;
    default:
      return event_class_.payload;
  }
}

const Slot* MarkerMessage::slots_of(Part part, const Event& event) {
  switch (part) {
    case kPacketHeader:
      return event.packet->header.data();
    case kPacket:
      return event.packet->context.data();
    case kPayload:
      return event.payload().data();
    default:
      return event.slots;  // that of the common context would come first
  }
}

MarkerMessage::Plan MarkerMessage::make_plan(unsigned parts) const {
  Plan plan;
  std::string literal = "{";  // since the last value
  const auto next = [&] {
    plan.literals += literal;
    return static_cast<std::uint32_t>(std::exchange(literal, "").size());
  };
  bool first = true;
  plan.has_duration = event_class_.has_duration && event_class_.clock != nullptr;
  if (plan.has_duration) {
    literal += R"("@duration":)";
    plan.values.push_back({.literal = next()});
    first = false;
  }
  for (const Part part : {kCommon, kSpecific, kPacketHeader, kPacket, kPayload}) {
    if ((parts & 1U << part) == 0) continue;
    if (!std::exchange(first, false)) literal += ',';
    if (part != kPayload) literal += kContexts[part];
    const auto& members = class_of(part)->as<StructureClass>()->members;
    for (const Member& member : members) {
      if (&member != &members.front()) literal += ',';
      append_quoted(literal, member.name.view());
      literal += ':';
      plan.values.push_back({.literal = next(),
                             .is_plain = member.field_class->as<DynamicClass>() == nullptr,
                             .field_class = member.field_class});
    }
    const bool in_packet = part == kPacketHeader || part == kPacket;
    const bool goes_on = !plan.runs.empty() && !in_packet && plan.runs.back().first <= kSpecific;
    if (!goes_on) plan.runs.push_back({.first = part});
    plan.runs.back().count += static_cast<std::uint32_t>(members.size());
    if (part != kPayload) literal += '}';
  }
  literal += '}';
  plan.last_literal = next();
  plan.room = plan.literals.size() + (plan.values.size() + 2) * kIntegerSize + kPiece;
  plan.literals.append(kPiece, '\0');
  return plan;
}

const Slot* MarkerMessage::put_other(TextBuffer& out, const Slot* slot, const Value& value) {
  if (value.is_plain && put_usual(out, *slot)) return slot + 1;
  other_.clear();
  slot = append_value_text(other_, slot, *value.field_class);
  out.append(other_);
  return slot;
}

void MarkerMessage::append(TextBuffer& out, const Event& event) {
  const std::uint32_t contexts = event.common_count + event.specific_count;
  unsigned parts = event.slot_count == contexts ? 0U : 1U << kPayload;
  if (contexts != 0) {
    parts |= event.common_count == 0 ? 0U : 1U << kCommon;
    parts |= event.specific_count == 0 ? 0U : 1U << kSpecific;
  }
  if (event.packet != nullptr) {
    parts |= event.packet->header.empty() ? 0U : 1U << kPacketHeader;
    parts |= event.packet->context.empty() ? 0U : 1U << kPacket;
  }
  std::unique_ptr<Plan>& known = plans_[parts];
  if (known == nullptr) known = std::make_unique<Plan>(make_plan(parts));
  const Plan& plan = *known;
  const char* literal = plan.literals.data();
  char* at = out.reserve(plan.room);
  const auto put_literal = [&](std::uint32_t size) {
    char* const end = at + size;
    for (const char* from = literal; at < end; from += kPiece, at += kPiece)
      std::memcpy(at, from, kPiece);
    literal += size;
    at = end;
  };
  const Value* value = plan.values.data();
  if (plan.has_duration) {
    put_literal((value++)->literal);
    const ClockClass& clock = *event.event_class->clock;
    if (clock.tick == Tick{} && event.time <= event.end_time) {
      at = put_number(at, event.end_time - event.time);
    } else {
      out.commit(at);
      append_decimal(out, clock.interval(event.time, event.end_time));
      at = out.reserve(plan.room);
    }
  }
  for (const Run& run : plan.runs) {
    const Slot* slot = slots_of(run.first, event);
    for (const Value* const end = value + run.count; value != end; ++value) {
      put_literal(value->literal);
      if (slot->kind == SlotKind::kUnsigned && value->is_plain) [[likely]] {
        at = put_number(at, (slot++)->bits);
      } else if (slot->kind == SlotKind::kSigned && value->is_plain) {
        at = write_decimal(at, (slot++)->integer);
      } else {
        out.commit(at);
        slot = put_other(out, slot, *value);
        at = out.reserve(plan.room);
      }
    }
  }
  put_literal(plan.last_literal);
  out.commit(at);
}

}  // namespace tracedeck::lower
