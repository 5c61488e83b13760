// Packets as the decoder sees them: heads, faults, and the walk that checks every length.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/heph/rules.hpp"
#include "tracedeck/heph/wire.hpp"

namespace tracedeck::heph {

// What every event has (section Event Packet).
struct EventHead {
  std::uint32_t stream = 0;
  std::uint32_t counter = 0;
  std::uint64_t substream = 0;
  std::uint64_t start = 0;  // ns since the trace's epoch
  std::uint64_t end = 0;
};

// The head at the beginning of an event packet, which has at least `kLeastEventSize` bytes.
[[nodiscard]] inline EventHead load_event_head(const std::uint8_t* packet) {
  return {.stream = load_be<std::uint32_t>(packet + kStreamOffset),
          .counter = load_be<std::uint32_t>(packet + kCounterOffset),
          .substream = load_be<std::uint64_t>(packet + kSubstreamOffset),
          .start = load_be<std::uint64_t>(packet + kStartOffset),
          .end = load_be<std::uint64_t>(packet + kEndOffset)};
}

// An option as a metadata packet sets it. Points into the packet.
struct Option {
  std::string_view name;
  ByteSpan value;

  [[nodiscard]] bool is_epoch() const { return name == kEpochName; }
  // Requires `is_epoch()` of a packet that was checked.
  [[nodiscard]] std::uint64_t epoch() const { return load_be<std::uint64_t>(value.data()); }
};

// An attribute's place in an event packet.
struct AttributePlace {
  std::string_view name;
  std::uint8_t type = 0;                // the type byte
  std::uint32_t count = 0;              // of an array: elements
  const std::uint8_t* value = nullptr;  // of a string or an array: behind its length or count
  std::uint32_t size = 0;               // bytes at `value`

  [[nodiscard]] bool is_array() const { return (type & kArrayMarker) != 0; }
  [[nodiscard]] ValueType value_type() const {
    return static_cast<ValueType>(type & ~kArrayMarker);
  }
};

// Why a packet cannot be decoded.
struct Fault {
  RuleId rule{};
  const std::uint8_t* at = nullptr;  // where that shows
  std::string text = {};
};

// Walks the attributes of an event packet, checking every length against `end`. When the packet is
// not complete yet, `end` is where its bytes end: a fault then is one only if `certain()`.
class AttributeWalk {
 public:
  AttributeWalk(const std::uint8_t* packet, const std::uint8_t* end);

  [[nodiscard]] std::string_view description() const { return description_; }
  // False at the packet's end or at a fault.
  [[nodiscard]] bool next(AttributePlace& attribute);

  [[nodiscard]] bool faulty() const { return faulty_; }
  // Whether more bytes could not mend the fault: an unknown type.
  [[nodiscard]] bool certain() const { return faulty_ && rule_ == RuleId::kAttributeType; }
  // Puts the fault into words.
  [[nodiscard]] Fault fault() const;

 private:
  bool fail(RuleId rule, const std::uint8_t* at);
  bool take_string(std::string_view& text);
  bool take_value(AttributePlace& attribute);

  const std::uint8_t* at_;
  const std::uint8_t* end_;
  std::string_view description_;
  std::string_view name_;  // of the attribute at hand
  bool faulty_ = false;
  RuleId rule_{};
  const std::uint8_t* fault_ = nullptr;
};

// The strings of an array of them, which was checked.
class StringArray {
 public:
  StringArray(const std::uint8_t* value, std::uint32_t count) : at_(value), left_(count) {}

  [[nodiscard]] bool next(std::string_view& text) {
    if (left_ == 0) return false;
    --left_;
    const std::size_t size = load_be<std::uint16_t>(at_);
    text = as_text({at_ + kLengthSize, size});
    at_ += kLengthSize + size;
    return true;
  }

 private:
  const std::uint8_t* at_;
  std::uint32_t left_;
};

// The option that a metadata packet of `size` bytes sets. False, and `fault`, where it is damaged.
[[nodiscard]] bool read_option(const std::uint8_t* packet, std::size_t size, Option& option,
                               Fault& fault);

}  // namespace tracedeck::heph
