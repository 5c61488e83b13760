// Random traces, encoded and then read back twice: by a plain decoder that stands here and follows
// the specification step by step, and by the library's own.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tracedeck/base/padded_bytes.hpp"
#include "tracedeck/heph/decoder.hpp"
#include "tracedeck/heph/encoder.hpp"

namespace tracedeck::heph {
namespace {

using Numbers = std::vector<std::uint64_t>;
using Texts = std::vector<std::string>;

struct AttributeContent {
  std::string name;
  std::uint8_t type = 1;
  std::uint64_t number = 0;  // bits
  std::string text;
  Numbers numbers;
  Texts texts;
  friend bool operator==(const AttributeContent&, const AttributeContent&) = default;
};

struct PacketContent {
  bool is_event = true;
  EventHead head = {};
  std::string name = {};   // description, or of the option
  std::string value = {};  // of the option
  std::vector<AttributeContent> attributes = {};
  friend bool operator==(const PacketContent& a, const PacketContent& b) {
    return a.is_event == b.is_event && a.head.stream == b.head.stream &&
           a.head.counter == b.head.counter && a.head.substream == b.head.substream &&
           a.head.start == b.head.start && a.head.end == b.head.end && a.name == b.name &&
           a.value == b.value && a.attributes == b.attributes;
  }
};
using Trace = std::vector<PacketContent>;

// Reads a valid trace a byte at a time; any misstep throws by way of `at`.
class PlainDecoder {
 public:
  explicit PlainDecoder(ByteSpan bytes) : bytes_(bytes.begin(), bytes.end()) {}

  Trace decode() {
    while (position_ < bytes_.size()) packet();
    return std::move(trace_);
  }

 private:
  std::uint64_t number(int size) {
    std::uint64_t value = 0;
    for (int i = 0; i < size; ++i) value = value << 8 | bytes_.at(position_++);
    return value;
  }
  std::string text() { return raw(number(2)); }
  std::string raw(std::uint64_t size) {
    std::string text;
    for (std::uint64_t i = 0; i < size; ++i) text += static_cast<char>(bytes_.at(position_++));
    return text;
  }
  void packet() {
    const std::size_t begin = position_;
    const std::uint64_t magic = number(4);
    const std::size_t end = begin + number(4);
    PacketContent& packet = trace_.emplace_back();
    if (magic == 0x75D11D4D) {
      packet.is_event = false;
      packet.name = text();
      packet.value = raw(end - position_);
    } else {
      RC_ASSERT(magic == 0xC1FC1FB7U);
      packet.head.stream = static_cast<std::uint32_t>(number(4));
      packet.head.counter = static_cast<std::uint32_t>(number(4));
      packet.head.substream = number(8);
      packet.head.start = number(8);
      packet.head.end = number(8);
      packet.name = text();
      while (position_ < end) attribute(packet.attributes.emplace_back());
    }
    RC_ASSERT(position_ == end);
  }
  void attribute(AttributeContent& attribute) {
    attribute.name = text();
    attribute.type = static_cast<std::uint8_t>(number(1));
    if ((attribute.type & 0x80) == 0) {
      if (attribute.type == 4) {
        attribute.text = text();
      } else {
        attribute.number = number(8);
      }
      return;
    }
    for (std::uint64_t left = number(2); left != 0; --left) {
      if (attribute.type == 0x84) {
        attribute.texts.push_back(text());
      } else {
        attribute.numbers.push_back(number(8));
      }
    }
  }

  std::vector<std::uint8_t> bytes_;
  std::size_t position_ = 0;
  Trace trace_;
};

struct EventCollector {
  Trace trace;
  std::size_t problems = 0;

  void option(const Option& option, std::uint64_t) {
    trace.push_back({.is_event = false,
                     .name = std::string(option.name),
                     .value = std::string(as_text(option.value))});
  }
  void event(const EventView& view) {
    PacketContent& packet = trace.emplace_back();
    packet.head = view.head;
    packet.name = view.type->description;
    for (std::size_t i = 0; i < view.values.size(); ++i) {
      const Value& value = view.values[i];
      AttributeContent& content = packet.attributes.emplace_back();
      content.name = view.type->attributes[i].name;
      content.type = value.type;
      if (!value.is_array()) {
        if (value.value_type() == ValueType::kString) {
          content.text = value.text();
        } else {
          content.number = value.bits;
        }
      } else if (value.value_type() == ValueType::kString) {
        StringArray strings = value.strings();
        std::string_view text;
        while (strings.next(text)) content.texts.emplace_back(text);
      } else {
        for (std::size_t k = 0; k < value.count; ++k) content.numbers.push_back(value.element(k));
      }
    }
  }
  void problem(const Finding&) { ++problems; }
};

AttributeContent any_attribute() {
  static const std::vector<std::uint8_t> kTypes = {1, 2, 3, 4, 0x81, 0x82, 0x83, 0x84};
  AttributeContent attribute;
  attribute.name = *rc::gen::element<std::string>("", "a", "n", "some longer name", "\xC3\xBC\xFF");
  attribute.type = *rc::gen::elementOf(kTypes);
  if (attribute.type < 4) attribute.number = *rc::gen::arbitrary<std::uint64_t>();
  if (attribute.type == 4) attribute.text = *rc::gen::arbitrary<std::string>();
  if (attribute.type > 0x80 && attribute.type < 0x84)
    attribute.numbers = *rc::gen::arbitrary<Numbers>();
  if (attribute.type == 0x84) attribute.texts = *rc::gen::arbitrary<Texts>();
  return attribute;
}

PacketContent any_packet() {
  PacketContent packet;
  packet.is_event = *rc::gen::inRange(0, 5) != 0;
  if (!packet.is_event) {
    packet.name = *rc::gen::arbitrary<std::string>();
    if (packet.name == "epoch") packet.name += "s";
    packet.value = *rc::gen::arbitrary<std::string>();
    return packet;
  }
  packet.name = *rc::gen::element<std::string>("", "a", "poll", "a description", "x\xFF");
  packet.head = {.stream = *rc::gen::arbitrary<std::uint32_t>(),
                 .counter = *rc::gen::arbitrary<std::uint32_t>(),
                 .substream = *rc::gen::arbitrary<std::uint64_t>(),
                 .start = *rc::gen::arbitrary<std::uint64_t>(),
                 .end = *rc::gen::arbitrary<std::uint64_t>()};
  const int attributes = *rc::gen::inRange(0, 4);
  for (int i = 0; i < attributes; ++i) packet.attributes.push_back(any_attribute());
  return packet;
}

// Values of one packet in the encoder's types.
class Encodable {
 public:
  explicit Encodable(const PacketContent& packet) {
    texts_.reserve(packet.attributes.size());
    numbers_.reserve(packet.attributes.size());
    for (const AttributeContent& content : packet.attributes) add(content);
  }
  [[nodiscard]] std::span<const Attribute> attributes() const { return attributes_; }

 private:
  void add(const AttributeContent& content) {
    const auto put = [&](AttributeValue value) { attributes_.push_back({content.name, value}); };
    std::vector<std::string_view>& texts =
        texts_.emplace_back(content.texts.begin(), content.texts.end());
    switch (content.type) {
      case 1:
        return put(content.number);
      case 2:
        return put(static_cast<std::int64_t>(content.number));
      case 3:
        return put(std::bit_cast<double>(content.number));
      case 4:
        return put(content.text);
      case 0x81:
        return put(content.numbers);
      case 0x82:
        return put(std::span(reinterpret_cast<const std::int64_t*>(content.numbers.data()),
                             content.numbers.size()));
      case 0x83: {
        std::vector<double>& reals = numbers_.emplace_back();
        for (const std::uint64_t bits : content.numbers)
          reals.push_back(std::bit_cast<double>(bits));
        return put(reals);
      }
      default:
        return put(texts);
    }
  }

  std::vector<std::vector<std::string_view>> texts_;
  std::vector<std::vector<double>> numbers_;
  std::vector<Attribute> attributes_;
};

Trace any_trace() {
  Trace trace;
  const int packets = *rc::gen::inRange(0, 30);
  for (int i = 0; i < packets; ++i) trace.push_back(any_packet());
  return trace;
}

void encode(Encoder& encoder, const Trace& trace) {
  for (const PacketContent& packet : trace) {
    const Encodable values(packet);
    const Result<void> written = packet.is_event
                                     ? encoder.write(packet.head, packet.name, values.attributes())
                                     : encoder.set_option(packet.name, as_bytes(packet.value));
    RC_ASSERT(written.has_value());
  }
}

RC_GTEST_PROP(Codec, WhatIsEncodedReadsBackEqual, ()) {
  const Trace trace = any_trace();
  Encoder encoder;
  encode(encoder, trace);
  RC_ASSERT(PlainDecoder(encoder.bytes()).decode() == trace);
  const PaddedBytes padded(encoder.bytes());
  EventCollector collector;
  decode(padded.view(), collector);
  RC_ASSERT(collector.problems == 0U);
  RC_ASSERT(collector.trace == trace);
}

RC_GTEST_PROP(Codec, DamageAndPacketsAddUpToTheInput, ()) {
  Encoder encoder;
  encode(encoder, any_trace());
  std::vector<std::uint8_t> bytes(encoder.bytes().begin(), encoder.bytes().end());
  const int damages = *rc::gen::inRange(0, 8);
  for (int i = 0; i < damages && !bytes.empty(); ++i)
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<std::uint8_t>();
  struct Adder {
    std::uint64_t sum = 0;
    void option(const Option& option, std::uint64_t offset) {
      RC_ASSERT(offset == sum);
      sum += kLeastMetadataSize + option.name.size() + option.value.size();
    }
    void event(const EventView& view) {
      RC_ASSERT(view.offset == sum);
      sum += view.packet.size();
    }
    void problem(const Finding& finding) {
      RC_ASSERT(finding.offset == sum);
      sum += finding.length;
    }
  } adder;
  const PaddedBytes padded(bytes);
  decode(padded.view(), adder);
  RC_ASSERT(adder.sum == bytes.size());
}

}  // namespace
}  // namespace tracedeck::heph
