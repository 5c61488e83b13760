// The decoder: frames of a Tonbandgerät trace, native, without copying.
//
// `decode` at the end of this file decodes a trace in memory with a visitor and is all that most
// users need. `Decoder` underneath works window by window and serves the visitor, the reader and
// the rewriter alike.
//
// A frame is undone in place where it can be: COBS changes only the places of zeros, so a payload
// without any lies in the window as it is, and of one with some, up to 253 bytes are copied and the
// zeros put back. A text without zeros is never copied.
//
// Damage (notes, "Reading policy"): a frame that cannot be decoded is left out, delimiter included.
// Every byte of the input is part of a decoded frame, an empty frame, or a damaged range.
//
// Threading: a decoder is used by one thread at a time; decoders share nothing.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "tracedeck/base/decode_window.hpp"
#include "tracedeck/base/finding.hpp"
#include "tracedeck/tband/payload.hpp"
#include "tracedeck/tband/rules.hpp"

namespace tracedeck::tband {

inline constexpr std::uint64_t kDefaultMaxState = std::uint64_t{1} << 30;
// Sizes of frames are 32-bit numbers.
inline constexpr std::uint64_t kMostMaxState = 0xFFFF'FFFF;

// What `Decoder::run` hands the events of a trace to.
template <class H>
concept DecodeHandler = requires(H& handler, const EventView& event, std::uint64_t offset,
                                 std::uint32_t size, Finding finding) {
  // An event of `size` bytes from `offset` on, delimiter included. False: pause behind it. The
  // view lasts until the call returns, but its text, if it says so, as long as the window.
  { handler.event(event, offset, size) } -> std::same_as<bool>;
  // A damaged range; something that was tolerated.
  handler.problem(std::move(finding));
  handler.finding(std::move(finding));
};

class Decoder {
 public:
  // `max_state`: bytes that a frame may take. `table` must outlive the decoder.
  explicit Decoder(std::uint64_t max_state = kDefaultMaxState,
                   const EventTable& table = kEventTable)
      : table_(&table), limit_(std::min(max_state, kMostMaxState)), scratch_(kScratch) {}

  // Decodes from `position` (an index into the window) on, advancing it past what was consumed.
  //
  // If the handler has `static bool wants(std::uint8_t id)`, it gets only the events that it wants,
  // and no damage of others.
  template <DecodeHandler Handler>
  [[nodiscard]] DecodeProgress run(const DecodeWindow& window, std::size_t& position,
                                   Handler& handler);

  // Whether all since `damage_begin()` is damage, however the input goes on.
  [[nodiscard]] bool in_damage() const { return in_damage_; }
  [[nodiscard]] std::uint64_t damage_begin() const { return damage_.offset; }

 private:
  // A payload that has no zeros lies behind its code; up to here others are undone in one block.
  static constexpr std::size_t kOneBlock = kCobsBlock;
  static constexpr std::size_t kScratch = kOneBlock + 2 * kPayloadSlack;
  // A frame of this size without a text is damaged, whatever follows.
  static constexpr std::size_t kHopeless = 256;

  // Where a payload lies: in the window or the scratch.
  struct Payload {
    const std::uint8_t* begin = nullptr;  // null: no COBS encoding
    const std::uint8_t* end = nullptr;
  };

  // Undoes a frame of `size` bytes before its delimiter, not 0.
  [[gnu::always_inline]] Payload unstuff(const std::uint8_t* frame, std::size_t size) {
    if (*frame == size) return {frame + 1, frame + size};
    if (size > kOneBlock) return unstuff_long({frame, size});
    // The delimiter is copied too.
    std::uint8_t* const to = scratch_.data();
    std::memcpy(to, frame, 32);
    for (std::size_t i = 32; i <= size; i += 32) std::memcpy(to + i, frame + i, 32);
    std::size_t at = *frame;
    while (at < size) {
      to[at] = 0;
      at += frame[at];
    }
    if (at != size) return {};
    return {to + 1, to + size};
  }
  [[nodiscard]] Payload unstuff_long(ByteSpan frame);

  // Where a text that was copied lies in the window itself, if it has no zeros.
  void settle_text(EventView& view, const std::uint8_t* frame, std::size_t size);

  // The fault of a whole frame that was not decoded.
  [[nodiscard]] Finding damage_of(ByteSpan frame, std::uint64_t offset);
  // The fault of a frame that goes on behind its first bytes, if those show it.
  [[nodiscard]] std::optional<Finding> damage_of_begin(ByteSpan begin, std::uint64_t offset) const;
  // Opens damage, if the first bytes of a frame show it, and closes it.
  [[nodiscard]] bool begin_damage(ByteSpan begin, std::uint64_t offset);
  [[nodiscard]] Finding end_damage(std::uint64_t offset);
  [[nodiscard]] static Finding truncated(std::uint64_t offset, std::size_t size);
  [[nodiscard]] static Finding not_utf8(const EventView& view, std::uint64_t offset,
                                        std::size_t size);
  [[nodiscard]] static bool is_utf8(const EventView& view);
  [[nodiscard]] static Finding empty_frames(std::uint64_t offset, std::size_t count);

  template <class Handler>
  DecodeProgress at_window_end(const DecodeWindow& window, std::size_t& position, Handler& handler);

  const EventTable* table_;
  std::uint64_t limit_;
  std::vector<std::uint8_t> scratch_;
  bool in_damage_ = false;
  Finding damage_;  // that is open; its length is not known yet
  EventView view_;
};

template <DecodeHandler Handler>
DecodeProgress Decoder::run(const DecodeWindow& window, std::size_t& position, Handler& handler) {
  const std::uint8_t* const data = window.bytes.data;
  const std::uint8_t* const end = data + window.bytes.size;
  const std::uint8_t* at = data + position;
  const auto offset_of = [&](const std::uint8_t* place) {
    return window.offset + static_cast<std::uint64_t>(place - data);
  };
  while (at != end) {
    const std::uint8_t* const stop = find_zero_byte(at);
    if (stop >= end) break;
    const auto size = static_cast<std::size_t>(stop - at);
    if (in_damage_) [[unlikely]] {
      handler.problem(end_damage(offset_of(stop + 1)));
      at = stop + 1;
      continue;
    }
    if (size == 0) [[unlikely]] {
      const std::uint8_t* const next =
          std::find_if(at, end, [](std::uint8_t byte) { return byte != kDelimiter; });
      handler.finding(empty_frames(offset_of(at), static_cast<std::size_t>(next - at)));
      at = next;
      continue;
    }
    if constexpr (requires { Handler::wants(std::uint8_t{}); }) {
      if (!Handler::wants(*at == 1 ? std::uint8_t{0} : at[1])) {
        at = stop + 1;
        continue;
      }
    }
    const Payload payload = unstuff(at, size);
    if (payload.begin == nullptr || size >= limit_ ||
        !decode_payload(*table_, payload.begin, payload.end, view_)) [[unlikely]] {
      handler.problem(damage_of({at, size}, offset_of(at)));
      at = stop + 1;
      continue;
    }
    if (view_.layout->has_string) {
      view_.text_lasts = payload.begin == at + 1;
      if (!view_.text_lasts) settle_text(view_, at, size);
      if (!is_utf8(view_)) [[unlikely]]
        handler.finding(not_utf8(view_, offset_of(at), size + 1));
    }
    const bool go_on = handler.event(view_, offset_of(at), static_cast<std::uint32_t>(size + 1));
    at = stop + 1;
    if (!go_on) {
      position = static_cast<std::size_t>(at - data);
      return {.outcome = DecodeOutcome::kPaused};
    }
  }
  position = static_cast<std::size_t>(at - data);
  return at_window_end(window, position, handler);
}

template <class Handler>
DecodeProgress Decoder::at_window_end(const DecodeWindow& window, std::size_t& position,
                                      Handler& handler) {
  const std::size_t left = window.bytes.size - position;
  const std::uint64_t offset = window.offset + position;
  if (!in_damage_ && left != 0 && !begin_damage(window.bytes.span().subspan(position), offset)) {
    if (!window.last) return {.outcome = DecodeOutcome::kNeedMore, .needed = left + 1};
    handler.problem(truncated(offset, left));
  }
  position = window.bytes.size;
  if (in_damage_ && window.last) handler.problem(end_damage(window.offset + window.bytes.size));
  return {};
}

// Decodes a whole trace in memory. The visitor has `void event(const EventView&)`, and may have
// `void problem(const Finding&)` and `void finding(const Finding&)`. Returns how many events there
// were.
template <class Visitor>
std::uint64_t decode(PaddedView bytes, Visitor& visitor, const EventTable& table = kEventTable) {
  struct Handler {
    Visitor& to;
    std::uint64_t count = 0;

    bool event(const EventView& view, std::uint64_t, std::uint32_t) {
      to.event(view);
      ++count;
      return true;
    }
    void problem(const Finding& finding) {
      if constexpr (requires { to.problem(finding); }) to.problem(finding);
    }
    void finding(const Finding& finding) {
      if constexpr (requires { to.finding(finding); }) to.finding(finding);
    }
  };
  Decoder decoder(kMostMaxState, table);
  Handler handler{visitor};
  std::size_t position = 0;
  (void)decoder.run({.bytes = bytes, .offset = 0, .last = true}, position, handler);
  return handler.count;
}

}  // namespace tracedeck::tband
