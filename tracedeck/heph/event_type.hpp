// Event types: one for each description and layout of attributes that a trace has, found again by
// the bytes of the packets themselves.
//
// A packet spells out its description and the names and types of its attributes. Between the values
// these are the same bytes in every packet of a type, so a type holds them as literals: a packet
// belongs to it if each literal stands where the value before ends. Comparing them is all that the
// decoder does for a packet of a known type; nothing is looked up but a first guess, by a few bytes
// of the description.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/heph/wire.hpp"

namespace tracedeck::heph {

// Whether `size` bytes are equal. Reads up to 15 bytes beyond on both sides.
[[nodiscard]] inline bool equal_bytes(const std::uint8_t* a, const std::uint8_t* b,
                                      std::size_t size) {
#if defined(__SSE2__)
  const auto differing = [](const std::uint8_t* x, const std::uint8_t* y) {
    const __m128i left = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x));
    const __m128i right = _mm_loadu_si128(reinterpret_cast<const __m128i*>(y));
    return ~static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(left, right))) & 0xFFFFU;
  };
  for (; size > 16; size -= 16) {
    if (differing(a, b) != 0) return false;
    a += 16;
    b += 16;
  }
  return (differing(a, b) & ((1U << size) - 1)) == 0;
#else
  std::uint64_t difference = 0;
  while (size >= 8) {
    difference |= load_le<std::uint64_t>(a) ^ load_le<std::uint64_t>(b);
    a += 8;
    b += 8;
    size -= 8;
  }
  if (size != 0) {
    const std::uint64_t rest = load_le<std::uint64_t>(a) ^ load_le<std::uint64_t>(b);
    difference |= rest << (8 * (8 - size));
  }
  return difference == 0;
#endif
}

struct AttributeType {
  std::string name;
  std::uint8_t type = 0;  // the type byte

  [[nodiscard]] bool is_array() const { return (type & kArrayMarker) != 0; }
  [[nodiscard]] ValueType value_type() const {
    return static_cast<ValueType>(type & ~kArrayMarker);
  }
};

// Lives in an `EventTypes`, at a stable address.
struct EventType {
  // The bytes in front of a value, and its type.
  struct Step {
    std::uint32_t literal = 0;  // where it begins in `literals`
    std::uint32_t size = 0;     // bytes
    std::uint8_t type = 0;      // the type byte
  };

  std::uint32_t ordinal = 0;  // counts the types of a trace from 0
  std::string description;
  std::vector<AttributeType> attributes;
  // The type that stands for all events whose types are too many. Their values carry description
  // and names with them.
  bool is_overflow = false;
  bool has_arrays_of_strings = false;
  bool valid_utf8 = true;  // description and names

  std::vector<Step> steps;
  std::uint32_t first_size = 0;        // bytes of the first literal: the description, as a string
  std::vector<std::uint8_t> literals;  // padded
  const EventType* sibling = nullptr;  // another of the same description, in a ring
};

// The event types of a trace, which only grow. Not copyable: types point to each other.
class EventTypes {
 public:
  EventTypes(std::size_t most_types, std::size_t most_memory);
  EventTypes(EventTypes&&) noexcept = default;
  EventTypes& operator=(EventTypes&&) noexcept = default;
  EventTypes(const EventTypes&) = delete;
  EventTypes& operator=(const EventTypes&) = delete;

  // A type that the packet may well be of, or null. `packet` is followed by padding.
  [[nodiscard]] const EventType*& guess(const std::uint8_t* packet) {
    return guesses_[hash(packet)];
  }

  // The type of a packet of `size` bytes that was checked. Makes it, with `is_new`, or returns the
  // overflow type when there is no more room.
  [[nodiscard]] const EventType& find(const std::uint8_t* packet, std::size_t size, bool& is_new);

  [[nodiscard]] std::size_t size() const { return types_.size(); }
  [[nodiscard]] const EventType& overflow() const { return *overflow_; }

 private:
  static constexpr unsigned kGuessBits = 12;

  // Of the length and the first and last 8 bytes of the description.
  static std::size_t hash(const std::uint8_t* packet) {
    const std::uint8_t* const text = packet + kLeastEventSize;
    const std::size_t size = load_be<std::uint16_t>(packet + kDescriptionOffset);
    std::uint64_t first = load_le<std::uint64_t>(text);
    if (size < 8) first &= (std::uint64_t{1} << (8 * size)) - 1;
    const std::uint64_t last = size <= 8 ? 0 : load_le<std::uint64_t>(text + size - 8);
    const std::uint64_t mixed = (first ^ size) * 0x9E37'79B9'7F4A'7C15 + last;
    return (mixed * 0xD6E8'FEB8'6659'FD93) >> (64U - kGuessBits);
  }

  const EventType& add(std::string key, const std::uint8_t* packet, std::size_t size);

  std::size_t most_types_;
  std::size_t most_memory_;
  std::size_t memory_ = 0;
  std::deque<EventType> types_;
  std::unique_ptr<EventType> overflow_;
  TextMap<const EventType*> by_layout_;
  // The last type made of each description.
  TextViewMap<EventType*> by_description_;
  std::vector<const EventType*> guesses_;
};

}  // namespace tracedeck::heph
