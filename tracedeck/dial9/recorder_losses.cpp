#include "tracedeck/dial9/recorder_losses.hpp"

#include <limits>

#include "tracedeck/dial9/schema.hpp"
#include "tracedeck/dial9/wire.hpp"

namespace tracedeck::dial9 {
namespace {

// The values of an event one after the other, whether they are wanted otherwise or not. Nothing
// where the bytes end, as those of an event that was decoded do not.
class RawValues {
 public:
  RawValues(const EventType& type, ByteSpan frame) : rest_(frame) {
    constexpr std::size_t kTagAndType = 3;
    constexpr std::size_t kTime = 3;
    skip(kTagAndType + (type.has_timestamp() ? kTime : 0));
  }

  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] std::uint64_t fixed(std::size_t size) {
    if (rest_.size() < size) return end();
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- != 0;) value = value << 8U | rest_[i];
    rest_ = rest_.subspan(size);
    return value;
  }
  [[nodiscard]] std::uint64_t varint() {
    constexpr unsigned kBits = 64;
    std::uint64_t value = 0;
    for (unsigned shift = 0; !ended_; shift += 7) {
      const std::uint64_t byte = fixed(1);
      if (shift < kBits) value |= (byte & 0x7FU) << shift;
      if ((byte & 0x80U) == 0) return value;
    }
    return 0;
  }
  [[nodiscard]] std::string_view text() {
    const std::uint64_t size = fixed(4);
    if (size > rest_.size()) {
      end();
      return {};
    }
    const std::string_view taken(reinterpret_cast<const char*>(rest_.data()), size);
    rest_ = rest_.subspan(size);
    return taken;
  }
  void skip(std::uint64_t size) {
    if (size > rest_.size())
      end();
    else
      rest_ = rest_.subspan(size);
  }
  // Nothing is known of what comes behind a value that holds others.
  std::uint64_t end() {
    ended_ = true;
    return 0;
  }

 private:
  ByteSpan rest_;
  bool ended_ = false;
};

// A number; of other types it is passed over.
std::optional<std::uint64_t> take_number(FieldType type, RawValues& values) {
  switch (type) {
    case FieldType::kVarint:
      return values.varint();
    case FieldType::kU8:
      return values.fixed(1);
    case FieldType::kU16:
      return values.fixed(2);
    case FieldType::kU32:
      return values.fixed(4);
    case FieldType::kBool:
      values.skip(1);
      return std::nullopt;
    case FieldType::kPooledString:
    case FieldType::kPooledStackFrames:
      values.skip(4);
      return std::nullopt;
    case FieldType::kI64:
    case FieldType::kF64:
      values.skip(8);
      return std::nullopt;
    case FieldType::kString:
    case FieldType::kBytes:
      (void)values.text();
      return std::nullopt;
    case FieldType::kStackFrames:
      values.skip(8 * values.fixed(4));
      return std::nullopt;
    case FieldType::kStringMap:
      for (std::uint64_t left = values.fixed(4); left != 0 && !values.ended(); --left) {
        (void)values.text();
        (void)values.text();
      }
      return std::nullopt;
    case FieldType::kDynamicList:
    case FieldType::kDynamicMap:
      values.end();
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

bool counts_dropped(std::string_view class_name) {
  return class_name.ends_with("OverflowEvent") || class_name.ends_with("Overflow");
}

bool is_about_file(std::string_view class_name) {
  return class_name == "SegmentMetadata" || class_name == "SegmentMetadataEvent";
}

std::optional<std::uint64_t> dropped_events(const EventType& type, ByteSpan frame) {
  RawValues values(type, frame);
  std::optional<std::uint64_t> sum;
  const Schema schema = type.read_schema();
  for (const FieldDefinition& field : schema.fields) {
    if (field.optional && values.fixed(1) == 0) continue;
    const auto number = take_number(field.type, values);
    if (values.ended()) break;
    if (!number || !field.name.starts_with("dropped_")) continue;
    std::uint64_t added = 0;
    if (__builtin_add_overflow(sum.value_or(0), *number, &added))
      added = std::numeric_limits<std::uint64_t>::max();
    sum = added;
  }
  return sum;
}

std::optional<std::uint64_t> number_in(const EventType& type, ByteSpan frame,
                                       std::string_view field) {
  RawValues values(type, frame);
  const Schema schema = type.read_schema();
  for (const FieldDefinition& each : schema.fields) {
    if (each.optional && values.fixed(1) == 0) continue;
    const auto number = take_number(each.type, values);
    if (values.ended()) break;
    if (number && each.name == field) return number;
  }
  return std::nullopt;
}

SealedClean sealed_clean(const EventType& type, ByteSpan frame) {
  RawValues values(type, frame);
  SealedClean said;
  const Schema schema = type.read_schema();
  for (const FieldDefinition& field : schema.fields) {
    if (field.optional && values.fixed(1) == 0) continue;
    if (field.name != "entries" || field.type != FieldType::kStringMap) {
      (void)take_number(field.type, values);
      continue;
    }
    for (std::uint64_t left = values.fixed(4); left != 0 && !values.ended(); --left) {
      const std::string_view key = values.text();
      const bool is_false = values.text() == "false";
      if (key == "segment.sealed_clean") said.is_not = is_false;
      if (key == "segment.prior_sealed_clean") said.prior_is_not = is_false;
    }
  }
  return said;
}

}  // namespace tracedeck::dial9
