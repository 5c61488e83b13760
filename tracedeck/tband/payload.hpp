// Decodes the payload of one frame: an id, and the fields that the table gives it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/leb128.hpp"
#include "tracedeck/tband/event_layout.hpp"
#include "tracedeck/tband/wire.hpp"

namespace tracedeck::tband {

// An event as it lies on the wire. Valid until the next one is decoded.
struct EventView {
  const EventLayout* layout = nullptr;
  std::uint64_t timestamp = 0;                         // ticks; 0 for metadata
  std::array<std::uint64_t, kMaxFields> numbers = {};  // by field; an s64 as two's complement
  ByteSpan text = {};                                  // of the field that is a string
  bool text_lasts = false;                             // `text` lies in the window itself
  std::uint8_t field_count = 0;                        // fewer where optional ones are left out

  [[nodiscard]] const EventFacts& facts() const { return *layout->facts; }
  [[nodiscard]] std::uint8_t id() const { return layout->facts->id; }
};

// Bytes behind a payload that `decode_payload` may look at.
inline constexpr std::size_t kPayloadSlack = 48;

// Why a payload cannot be decoded.
enum class PayloadFault : std::uint8_t { kEmpty, kId, kMissing, kSurplus, kInteger };
struct PayloadFinding {
  PayloadFault fault;
  const EventFacts* facts = nullptr;  // null where the id is not known
  std::string_view field = {};        // kMissing, kInteger: which
};

namespace payload_detail {

// Both read past the end of the payload without harm: what lies there is a zero, which ends an
// integer, and `kPayloadSlack` readable bytes. Whether they did shows the position.
[[nodiscard]] [[gnu::always_inline]] inline bool take_u32(const std::uint8_t*& at,
                                                          std::uint64_t& value) {
  const std::uint8_t* const begin = at;
  if (!decode_leb128(at, value)) [[unlikely]]
    return false;
  return value <= UINT32_MAX && at - begin <= static_cast<std::ptrdiff_t>(kMaxU32Size);
}
[[nodiscard]] [[gnu::always_inline]] inline bool take_u64(const std::uint8_t*& at,
                                                          std::uint64_t& value) {
  const std::uint8_t* const begin = at;
  if (!decode_leb128(at, value)) [[unlikely]]
    return false;
  return at - begin < static_cast<std::ptrdiff_t>(kMaxU64Size) || at[-1] <= kMaxU64LastByte;
}

// The sequences of fields that have no code of their own.
[[nodiscard]] inline bool decode_other(const EventLayout& layout, const std::uint8_t* at,
                                       const std::uint8_t* end, EventView& view) {
  view.timestamp = 0;
  if (layout.timed && !take_u64(at, view.timestamp)) return false;
  std::uint8_t field = 0;
  for (; field < layout.count; ++field) {
    if (at >= end && (at > end || field >= layout.required)) break;
    std::uint64_t& number = view.numbers[field];
    switch (layout.types[field]) {
      case FieldType::kU8:
        number = *at++;
        break;
      case FieldType::kU32:
        if (!take_u32(at, number)) return false;
        break;
      case FieldType::kU64:
        if (!take_u64(at, number)) return false;
        break;
      case FieldType::kS64:
        if (!take_u64(at, number)) return false;
        number = static_cast<std::uint64_t>(from_sign_magnitude(number));
        break;
      case FieldType::kString:
        view.text = {at, static_cast<std::size_t>(end - at)};
        at = end;
        break;
    }
  }
  view.field_count = field;
  return at == end;
}

}  // namespace payload_detail

// Decodes [at, end), which a zero byte and further readable bytes follow, `kPayloadSlack` in all.
// False: it holds no event, for the reason that `examine_payload` finds.
[[nodiscard]] [[gnu::always_inline]] inline bool decode_payload(const EventTable& table,
                                                                const std::uint8_t* at,
                                                                const std::uint8_t* end,
                                                                EventView& view) {
  using payload_detail::take_u32;
  using payload_detail::take_u64;
  if (at == end) [[unlikely]]
    return false;
  const EventLayout& layout = table[*at++];
  view.layout = &layout;
  switch (layout.shape) {
    case EventShape::kOne:
      view.field_count = 1;
      return take_u64(at, view.timestamp) && take_u32(at, view.numbers[0]) && at == end;
    case EventShape::kTwo:
      view.field_count = 2;
      return take_u64(at, view.timestamp) && take_u32(at, view.numbers[0]) &&
             take_u32(at, view.numbers[1]) && at == end;
    case EventShape::kOther:
      return payload_detail::decode_other(layout, at, end, view);
    case EventShape::kUnknown:
      return false;
  }
  return false;
}

// What is wrong with a payload that cannot be decoded. Looks at nothing behind its end.
[[nodiscard]] PayloadFinding examine_payload(const EventTable& table, ByteSpan payload);

}  // namespace tracedeck::tband
