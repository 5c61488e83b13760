// The decoder: packets of a Heph trace, native, without copying.
//
// `decode` at the end of this file decodes a trace in memory with a visitor and is all that most
// users need. `Decoder` underneath works window by window and serves the visitor, the `Reader` and
// the rewriter alike. It hands every event to a handler whose policy says how values are stored.
//
// Damage: a packet with a fault inside is passed over by its size, if the input ends there or
// another packet may begin there: a known magic constant, and a size that is large enough and does
// not pass the end. Otherwise, and when the magic or the size itself is wrong, reading resumes at
// the next place where a packet may begin. What lies between is one damaged range. Every byte of
// the input is part of a decoded packet or of a damaged range.
//
// Threading: a decoder is used by one thread at a time; decoders share nothing.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/base/decode_window.hpp"
#include "tracedeck/base/finding.hpp"
#include "tracedeck/heph/event_type.hpp"
#include "tracedeck/heph/packet.hpp"
#include "tracedeck/heph/value.hpp"

namespace tracedeck::heph {

inline constexpr std::uint64_t kDefaultMaxState = std::uint64_t{1} << 30;

// What is known of the event packets that a damaged range cost.
struct DamagedEvents {
  std::uint64_t offset = 0;  // of the range
  // The stream and counter of the packet that begins the range, if that much could be read.
  std::optional<EventHead> first = {};
  std::uint64_t most = 0;  // events there may have been besides
};

// What stores the values of an event for the decoder, at `out`, and returns where the next goes.
template <class P>
concept AttributePolicy =
    requires(typename P::Out* out, const EventHead& head, ValueType type, std::uint64_t bits,
             const std::uint8_t* data, std::uint32_t count) {
      { P::kReportsOddities } -> std::convertible_to<bool>;
      // Whether values of an event stay when the next comes.
      { P::kAdvances } -> std::convertible_to<bool>;
      { P::head(out, head) } -> std::same_as<typename P::Out*>;
      { P::number(out, type, bits) } -> std::same_as<typename P::Out*>;
      { P::string(out, data, count) } -> std::same_as<typename P::Out*>;
      { P::numbers(out, type, data, count) } -> std::same_as<typename P::Out*>;
      // `count` strings in as many bytes as the last argument says.
      { P::strings(out, data, count, count) } -> std::same_as<typename P::Out*>;
    };

// What `Decoder::run` hands the packets of a trace to.
template <class H>
concept DecodeHandler = AttributePolicy<typename H::Policy> &&
                        requires(H& handler, typename H::Policy::Out*& out, const EventType& type,
                                 const EventHead& head, const Option& option, std::uint64_t offset,
                                 ByteSpan packet, Finding finding) {
                          // Events may come: sets where their values go, and the end of the room.
                          handler.begin_events(out, out);
                          // An event, with its values from the first to behind the last. False:
                          // pause behind it.
                          {
                            handler.event(type, head, offset, packet, out, out)
                          } -> std::same_as<bool>;
                          // False: pause behind it.
                          { handler.option(option, offset, offset) } -> std::same_as<bool>;
                          // A type was made, also that of events which are too many to describe.
                          handler.type(type);
                          // A damaged range; something that was tolerated.
                          handler.problem(std::move(finding));
                          handler.finding(std::move(finding));
                        };

class Decoder {
 public:
  // `max_state`: bytes that a packet may take, and at most what event types may.
  explicit Decoder(std::uint64_t max_state = kDefaultMaxState)
      : max_state_(std::min(max_state, kMaxPacketSize)),
        types_(kMaxEventTypes, std::min<std::uint64_t>(max_state, kMaxTypeMemory)) {}

  // Decodes from `position` (an index into the window) on, advancing it past what was consumed.
  //
  // If the handler has `void damaged(const DamagedEvents&)`, it is called after a problem. Findings
  // come only if the policy reports oddities.
  template <DecodeHandler Handler>
  [[nodiscard]] DecodeProgress run(const DecodeWindow& window, std::size_t& position,
                                   Handler& handler);

  [[nodiscard]] const EventTypes& types() const { return types_; }

  // Whether a damaged range is open: everything from `damage_begin()` on is part of it so far.
  [[nodiscard]] bool in_damage() const { return scanning_; }
  [[nodiscard]] std::uint64_t damage_begin() const { return damage_begin_; }

 private:
  // What the cold path makes of the packet at the position.
  struct Inspection {
    enum class Status : std::uint8_t {
      kEvent,     // of a type that the loop over events now knows
      kOverflow,  // an event of a type that there is no more room for
      kOption,
      kNeedMore,
      kPassed,    // damaged, and passed over by its size
      kScanning,  // damaged
    };
    Status status{};
    std::uint64_t size = 0;  // of the packet; kNeedMore: bytes needed
    const EventType* new_type = nullptr;
    Option option = {};
  };
  struct Plausibility {
    enum class Answer : std::uint8_t { kNo, kYes, kNeedMore };
    Answer answer{};
    std::uint64_t needed = 0;  // bytes
  };

  // decoder.cpp: the cold parts.
  Inspection inspect(const DecodeWindow& window, std::size_t position);
  Inspection inspect_event(const DecodeWindow& window, std::size_t position, std::size_t size);
  Inspection inspect_option(const DecodeWindow& window, std::size_t position, std::size_t size);
  Inspection inspect_part(const DecodeWindow& window, std::size_t position, std::size_t size);
  // The packet cannot be decoded. With `size`: it may be passed over by its size.
  Inspection damage(const DecodeWindow& window, std::size_t position, Fault fault,
                    std::optional<std::size_t> size = {});
  Plausibility plausible(const DecodeWindow& window, std::size_t position);
  bool certainly_faulty(const DecodeWindow& window, std::size_t position, std::size_t size,
                        Fault& fault);
  bool packet_inside(const DecodeWindow& window, Fault& fault) const;
  void count_vain_walk(std::uint64_t bytes) { walked_in_vain_ += bytes; }
  [[nodiscard]] bool may_walk(std::uint64_t offset) const;
  // Moves `position` towards the next plausible packet. 0 when it stands there or the input ends;
  // else the bytes that are needed from there on.
  std::uint64_t scan(const DecodeWindow& window, std::size_t& position);
  Finding finish_damage(std::uint64_t end_offset, bool at_end);
  [[nodiscard]] DamagedEvents damaged_events(std::uint64_t end_offset) const;

  void note(RuleId rule, std::uint64_t offset, std::uint64_t length, std::string text);
  void note_event(const std::uint8_t* packet, std::size_t size, std::uint64_t offset);
  void note_option(const Option& option, std::uint64_t offset, std::uint64_t size);
  void note_overflow(std::uint64_t offset);
  template <class Handler>
  void hand_over_notes(Handler& handler);

  template <class Handler>
  DecodeProgress run_events(const DecodeWindow& window, std::size_t& position, Handler& handler);
  template <class Handler>
  DecodeProgress run_overflow(const DecodeWindow& window, std::size_t& position, std::size_t size,
                              Handler& handler);
  template <class Handler>
  void close_damage(const DecodeWindow& window, std::size_t position, Handler& handler);

  std::uint64_t max_state_;
  EventTypes types_;
  std::vector<Finding> notes_;
  bool overflow_reported_ = false;

  bool scanning_ = false;
  bool passed_ = false;  // the damaged range is one packet, passed over by its size
  Fault fault_;
  std::optional<EventHead> damaged_head_;
  std::uint64_t damage_begin_ = 0;
  std::uint64_t scan_from_ = 0;
  std::uint64_t walked_in_vain_ = 0;
};

namespace detail {

// Whether one of `size` bytes is not ASCII. Reads up to 7 bytes beyond.
[[nodiscard]] inline bool has_high_bit(const std::uint8_t* text, std::size_t size) {
  std::uint64_t bits = 0;
  while (size >= 8) {
    bits |= load_le<std::uint64_t>(text);
    text += 8;
    size -= 8;
  }
  if (size != 0) bits |= load_le<std::uint64_t>(text) << (8 * (8 - size));
  return (bits & 0x8080'8080'8080'8080) != 0;
}

// Whether the packet that begins at `packet` and ends at `end` is of the type. Stores its values
// from `out` on, which is moved behind them. Text that is not ASCII sets `odd`.
template <class Policy>
[[gnu::always_inline]] inline bool match(const EventType& type, const std::uint8_t* packet,
                                         const std::uint8_t* end, typename Policy::Out*& out,
                                         bool& odd) {
  const std::uint8_t* at = packet + kDescriptionOffset;
  const std::uint8_t* const literals = type.literals.data();
  for (const EventType::Step& step : type.steps) {
    // Behind the literal come at least the 2 bytes of a length.
    if (static_cast<std::size_t>(end - at) < step.size + kLengthSize ||
        !equal_bytes(at, literals + step.literal, step.size))
      return false;
    at += step.size;
    const auto value_type = static_cast<ValueType>(step.type & ~kArrayMarker);
    if ((step.type & kArrayMarker) == 0) [[likely]] {
      if (value_type != ValueType::kString) {
        if (static_cast<std::size_t>(end - at) < kScalarSize) return false;
        out = Policy::number(out, value_type, load_be<std::uint64_t>(at));
        at += kScalarSize;
        continue;
      }
      const std::uint32_t size = load_be<std::uint16_t>(at);
      at += kLengthSize;
      if (static_cast<std::size_t>(end - at) < size) return false;
      odd |= has_high_bit(at, size);
      out = Policy::string(out, at, size);
      at += size;
      continue;
    }
    const std::uint32_t count = load_be<std::uint16_t>(at);
    at += kLengthSize;
    const std::uint8_t* const first = at;
    if (value_type != ValueType::kString) {
      if (static_cast<std::size_t>(end - at) < count * kScalarSize) return false;
      at += count * kScalarSize;
      out = Policy::numbers(out, value_type, first, count);
      continue;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      if (static_cast<std::size_t>(end - at) < kLengthSize) return false;
      const std::uint32_t size = load_be<std::uint16_t>(at);
      at += kLengthSize;
      if (static_cast<std::size_t>(end - at) < size) return false;
      odd |= has_high_bit(at, size);
      at += size;
    }
    out = Policy::strings(out, first, count, static_cast<std::uint32_t>(at - first));
  }
  if (type.steps.empty()) {
    if (static_cast<std::size_t>(end - at) != type.first_size ||
        !equal_bytes(at, literals, type.first_size))
      return false;
    return true;
  }
  return at == end;
}

}  // namespace detail

template <class Handler>
void Decoder::hand_over_notes(Handler& handler) {
  if constexpr (Handler::Policy::kReportsOddities) {
    for (Finding& finding : notes_) handler.finding(std::move(finding));
  }
  notes_.clear();
}

template <class Handler>
void Decoder::close_damage(const DecodeWindow& window, std::size_t position, Handler& handler) {
  const std::uint64_t end = window.offset + position;
  handler.problem(finish_damage(end, window.last && position == window.bytes.size));
  if constexpr (requires { handler.damaged(DamagedEvents{}); })
    handler.damaged(damaged_events(end));
}

template <DecodeHandler Handler>
DecodeProgress Decoder::run(const DecodeWindow& window, std::size_t& position, Handler& handler) {
  for (;;) {
    if (in_damage()) [[unlikely]] {
      const std::uint64_t needed = scan(window, position);
      if (needed != 0) return {DecodeOutcome::kNeedMore, needed};
      close_damage(window, position, handler);
    }
    const DecodeProgress stopped = run_events(window, position, handler);
    if (stopped.outcome == DecodeOutcome::kPaused) return stopped;
    if (position == window.bytes.size) return {};
    const Inspection packet = inspect(window, position);
    using Status = Inspection::Status;
    switch (packet.status) {
      case Status::kEvent:
        if (packet.new_type != nullptr) handler.type(*packet.new_type);
        break;
      case Status::kOverflow: {
        if (packet.new_type != nullptr) handler.type(*packet.new_type);
        hand_over_notes(handler);
        const DecodeProgress paused = run_overflow(window, position, packet.size, handler);
        if (paused.outcome == DecodeOutcome::kPaused) return paused;
        break;
      }
      case Status::kOption: {
        const std::uint64_t offset = window.offset + position;
        note_option(packet.option, offset, packet.size);
        hand_over_notes(handler);
        position += packet.size;
        if (!handler.option(packet.option, offset, packet.size)) return {DecodeOutcome::kPaused, 0};
        break;
      }
      case Status::kNeedMore:
        return {DecodeOutcome::kNeedMore, packet.size};
      case Status::kPassed:
        position += packet.size;
        close_damage(window, position, handler);
        break;
      case Status::kScanning:
        break;
    }
  }
}

template <class Handler>
DecodeProgress Decoder::run_events(const DecodeWindow& window, std::size_t& position,
                                   Handler& handler) {
  using Policy = typename Handler::Policy;
  // How many types of one description are compared before the packet is looked up.
  constexpr int kTries = 8;
  const std::uint8_t* const begin = window.bytes.data;
  const std::uint8_t* const end = begin + window.bytes.size;
  typename Policy::Out* out = nullptr;
  typename Policy::Out* out_end = nullptr;
  handler.begin_events(out, out_end);
  const std::uint8_t* packet = begin + position;
  DecodeProgress progress;
  while (static_cast<std::size_t>(end - packet) >= kLeastEventSize) {
    const std::size_t size = load_be<std::uint32_t>(packet + kSizeOffset);
    if (load_be<std::uint32_t>(packet) != kEventMagic || size < kLeastEventSize ||
        size > static_cast<std::size_t>(end - packet) ||
        size - kLeastEventSize < load_be<std::uint16_t>(packet + kDescriptionOffset)) [[unlikely]]
      break;
    const EventType*& guess = types_.guess(packet);
    const EventType* type = guess;
    if (type == nullptr) [[unlikely]]
      break;
    const EventHead head = load_event_head(packet);
    typename Policy::Out* values_end = out;
    bool odd = false;
    bool matched = false;
    std::size_t missing = 0;  // slots
    for (int tries = 0; tries < kTries; ++tries) {
      if constexpr (Policy::kAdvances) {
        missing = Policy::kHeadRoom + type->attributes.size();
        if (type->has_arrays_of_strings) [[unlikely]]
          missing = Policy::kHeadRoom + Policy::room(packet, size);
        if (static_cast<std::size_t>(out_end - out) < missing) [[unlikely]]
          break;
        missing = 0;
      }
      odd = false;
      values_end = Policy::head(out, head);
      matched = detail::match<Policy>(*type, packet, packet + size, values_end, odd);
      if (matched) [[likely]]
        break;
      type = type->sibling;
      if (type == guess) break;
    }
    if (missing != 0) [[unlikely]] {
      progress = {DecodeOutcome::kPaused, missing};
      break;
    }
    if (!matched) [[unlikely]]
      break;
    guess = type;
    const auto offset = window.offset + static_cast<std::uint64_t>(packet - begin);
    const bool more = handler.event(*type, head, offset, ByteSpan(packet, size), out, values_end);
    if constexpr (Policy::kAdvances) out = values_end;
    if constexpr (Policy::kReportsOddities) {
      if (odd || !type->valid_utf8 || head.end < head.start) [[unlikely]] {
        note_event(packet, size, offset);
        hand_over_notes(handler);
      }
    }
    packet += size;
    if (!more) [[unlikely]] {
      progress.outcome = DecodeOutcome::kPaused;
      break;
    }
  }
  position = static_cast<std::size_t>(packet - begin);
  return progress;
}

template <class Handler>
DecodeProgress Decoder::run_overflow(const DecodeWindow& window, std::size_t& position,
                                     std::size_t size, Handler& handler) {
  using Policy = typename Handler::Policy;
  const std::uint8_t* const packet = window.bytes.data + position;
  const std::uint64_t offset = window.offset + position;
  typename Policy::Out* out = nullptr;
  typename Policy::Out* out_end = nullptr;
  handler.begin_events(out, out_end);
  if constexpr (Policy::kAdvances) {
    const std::size_t needed = Policy::kHeadRoom + Policy::described_room(packet, size);
    if (static_cast<std::size_t>(out_end - out) < needed) return {DecodeOutcome::kPaused, needed};
  }
  const EventHead head = load_event_head(packet);
  typename Policy::Out* const end = Policy::described(Policy::head(out, head), packet, size);
  const bool more =
      handler.event(types_.overflow(), head, offset, ByteSpan(packet, size), out, end);
  if constexpr (Policy::kReportsOddities) {
    note_event(packet, size, offset);
    hand_over_notes(handler);
  }
  position += size;
  return {more ? DecodeOutcome::kConsumed : DecodeOutcome::kPaused, 0};
}

// A handler that wants no events: a base for those that follow the packets only.
template <bool Findings>
struct BasicPacketHandler {
  using Policy = SkippingPolicy<Findings>;
  static void begin_events(char*&, char*&) {}
  static bool event(const EventType&, const EventHead&, std::uint64_t, ByteSpan, char*, char*) {
    return true;
  }
  static bool option(const Option&, std::uint64_t, std::uint64_t) { return true; }
  static void type(const EventType&) {}
  static void problem(const Finding&) {}
  static void finding(const Finding&) {}
};

// An event as the visitor of `decode` sees it. Its values, one for each attribute of the type, live
// until the visitor returns; what they point to lives as long as the trace's bytes.
struct EventView {
  // Description and attributes. Of a type beyond those that there is room for, `is_overflow` is set
  // and there are no values: walk the packet with an `AttributeWalk` instead.
  const EventType* type = nullptr;
  EventHead head;
  std::uint64_t offset = 0;  // of the packet in the trace
  ByteSpan packet;
  std::span<const Value> values;

  [[nodiscard]] AttributeWalk walk() const {
    return {packet.data(), packet.data() + packet.size()};
  }
};

namespace detail {

template <class Visitor>
class VisitingHandler {
 public:
  static constexpr bool kFindings = requires(Visitor& v, const Finding& f) { v.finding(f); };
  struct Policy : ValuePolicy {
    static constexpr bool kReportsOddities = kFindings;
  };  // values are stored over those of the event before

  explicit VisitingHandler(Visitor& visitor) : visitor_(visitor) {}

  void begin_events(Value*& out, Value*& end) {
    out = values_.data();
    end = out + values_.size();
  }
  bool event(const EventType& type, const EventHead& head, std::uint64_t offset, ByteSpan packet,
             Value* begin, Value* end) {
    visitor_.event(EventView{
        .type = &type, .head = head, .offset = offset, .packet = packet, .values = {begin, end}});
    return true;
  }
  bool option(const Option& option, std::uint64_t offset, std::uint64_t) {
    if constexpr (requires { visitor_.option(option, offset); }) visitor_.option(option, offset);
    return true;
  }
  void type(const EventType& type) {
    if (type.attributes.size() > values_.size()) values_.resize(type.attributes.size());
    if constexpr (requires { visitor_.type(type); }) visitor_.type(type);
  }
  void problem(const Finding& finding) {
    if constexpr (requires { visitor_.problem(finding); }) visitor_.problem(finding);
  }
  void finding(const Finding& finding) {
    if constexpr (kFindings) visitor_.finding(finding);
  }

 private:
  Visitor& visitor_;
  std::vector<Value> values_;
};

}  // namespace detail

// Decodes a whole trace in memory, calling `visitor.event(const EventView&)` for every event and,
// where the visitor has them, `option(const Option&, offset)`, `type(const EventType&)`,
// `problem(const Finding&)` for damaged ranges and `finding(const Finding&)` for what was
// tolerated.
template <class Visitor>
void decode(PaddedView trace, Visitor& visitor) {
  Decoder decoder(kMaxPacketSize);
  detail::VisitingHandler<Visitor> handler(visitor);
  std::size_t position = 0;
  static_cast<void>(decoder.run({.bytes = trace, .offset = 0, .last = true}, position, handler));
}

}  // namespace tracedeck::heph
