// How an event becomes a frame, from any kind of fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "tracedeck/base/cobs.hpp"
#include "tracedeck/base/leb128.hpp"
#include "tracedeck/tband/encoder.hpp"
#include "tracedeck/tband/event_layout.hpp"
#include "tracedeck/tband/wire.hpp"

namespace tracedeck::tband {

// Bytes that must be writable where a frame is made, of an event whose text takes `text` bytes: an
// id, a timestamp and integers, what is written or read behind them, and all of it once more where
// it does not stay where it was made.
[[nodiscard]] constexpr std::size_t frame_room(std::size_t text) {
  constexpr std::size_t kMostFixed = 1 + kMaxLeb128Size + kMaxFields * kMaxLeb128Size + 16;
  const std::size_t payload = kMostFixed + text;
  return payload <= kCobsBlock ? payload + 2 : cobs_bound(payload) + 1 + payload;
}

namespace frame_detail {

// Makes a frame of the payload of at most `kCobsBlock` bytes between `code + 1` and `end`, where a
// zero stands, without moving it. Returns its end.
inline std::uint8_t* close_short(std::uint8_t* code, std::uint8_t* end) {
  for (;;) {
    const auto run = static_cast<std::size_t>(find_zero_byte(code + 1) - code);
    *code = static_cast<std::uint8_t>(run);
    code += run;
    if (code == end) return end + 1;
  }
}

// The same of a longer one.
inline std::uint8_t* close_long(std::uint8_t* code, const std::uint8_t* end) {
  const auto size = static_cast<std::size_t>(end - code - 1);
  std::uint8_t* const apart = code + cobs_bound(size) + 1;
  std::memmove(apart, code + 1, size);
  std::uint8_t* const behind = cobs_encode({apart, size}, code);
  *behind = kCobsDelimiter;
  return behind + 1;
}

}  // namespace frame_detail

// Writes the frame of an event to `to`, where there is `frame_room`, and returns its end. Null: the
// fields do not suit the event. `fields[i]` is a `FieldValue`; a text is the last one.
template <class Fields>
[[nodiscard]] inline std::uint8_t* put_frame(std::uint8_t* to, const EventLayout& layout,
                                             std::uint64_t timestamp, const Fields& fields) {
  const std::size_t count = fields.size();
  if (count < layout.required || count > layout.count) return nullptr;
  std::uint8_t* at = to + 1;
  *at++ = layout.facts->id;
  if (layout.timed) at = encode_leb128(at, timestamp);
  for (std::size_t i = 0; i < count; ++i) {
    const FieldValue field = fields[i];
    switch (layout.types[i]) {
      case FieldType::kU8:
        if (field.number > UINT8_MAX) return nullptr;
        *at++ = static_cast<std::uint8_t>(field.number);
        break;
      case FieldType::kU32:
        if (field.number > UINT32_MAX) return nullptr;
        [[fallthrough]];
      case FieldType::kU64:
        at = encode_leb128(at, field.number);
        break;
      case FieldType::kS64:
        at = encode_leb128(at, sign_magnitude(static_cast<std::int64_t>(field.number)));
        break;
      case FieldType::kString:
        if (!field.text.empty()) std::memcpy(at, field.text.data(), field.text.size());
        at += field.text.size();
        break;
    }
  }
  if (static_cast<std::size_t>(at - to) > kCobsBlock + 1) return frame_detail::close_long(to, at);
  *at = kCobsDelimiter;
  return frame_detail::close_short(to, at);
}

// The same of an event with a timestamp, a number that is not 0, and a text without a zero.
[[nodiscard]] inline std::uint8_t* put_text_frame(std::uint8_t* to, const EventLayout& layout,
                                                  std::uint64_t timestamp, std::uint32_t number,
                                                  std::string_view text) {
  to[1] = layout.facts->id;
  std::uint8_t* at = encode_leb128(to + 2, timestamp);
  at = encode_leb128(at, number);
  if (!text.empty()) std::memcpy(at, text.data(), text.size());
  at += text.size();
  const auto code = static_cast<std::size_t>(at - to);
  if (code > kCobsBlock + 1) return frame_detail::close_long(to, at);
  *at = kCobsDelimiter;
  if (timestamp == 0) return frame_detail::close_short(to, at);
  *to = static_cast<std::uint8_t>(code);
  return at + 1;
}

}  // namespace tracedeck::tband
