// String maps, dynamic lists and dynamic maps: bounds-checked skipping, and walking of what was
// checked (StringMap Encoding; field types 14 and 15 of 0.4).
#pragma once

#include <cstdint>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/dial9/value.hpp"

namespace tracedeck::dial9 {

// What became of decoding the fields of an event, or a part of one.
enum class FieldStatus : std::uint8_t {
  kOk,
  kIncomplete,    // the window ends inside
  kVarintLength,  // RuleId::kVarintLength, and so on
  kDynamicTag,
  kDynamicNesting,
  kUnregistered,  // of an event: no schema registered its type_id
  kNoRoom,        // the tape has not enough slots left
};

// What a skip found out.
struct SkipResult {
  FieldStatus status = FieldStatus::kOk;
  const std::uint8_t* end = nullptr;    // the first byte after; of a fault: how far it was walked
  const std::uint8_t* fault = nullptr;  // where; kIncomplete: bytes up to here are needed at least
  std::uint64_t slots = 0;              // that the content takes on the tape, without the head
  bool odd = false;                     // something in it may be worth a finding
};

// True when a varint of [begin, end) is longer than its value needs or has bits above 64.
[[nodiscard]] inline bool is_overlong(const std::uint8_t* begin, const std::uint8_t* end) {
  const auto size = end - begin;
  return (size > 1 && end[-1] == 0) || (size == kMaxVarintSize && end[-1] > 1);
}

// Whether some byte is not ASCII, as a hint that the text is worth a closer look.
[[nodiscard]] inline bool has_high_bit(const std::uint8_t* data, std::size_t size) {
  std::uint64_t high = 0;
  std::size_t i = 0;
  for (; i + 8 <= size; i += 8) high |= load_le<std::uint64_t>(data + i);
  for (; i < size; ++i) high |= data[i];
  return (high & 0x8080'8080'8080'8080) != 0;
}

// Skips a StringMap at `at` (its count), reading nothing from `end` on.
[[nodiscard]] SkipResult skip_string_map(const std::uint8_t* at, const std::uint8_t* end);
// Skips a DynamicList or DynamicMap at `at` (its count).
[[nodiscard]] SkipResult skip_dynamic(FieldType type, const std::uint8_t* at,
                                      const std::uint8_t* end);

// Walks the pairs of a StringMap value. Valid as long as the value's bytes.
class StringMapView {
 public:
  explicit StringMapView(const Value& map)
      : position_(map.pointer), end_(map.pointer + map.length) {}

  // The next pair; false after the last.
  [[nodiscard]] bool next(std::string_view& key, std::string_view& value);

 private:
  const std::uint8_t* position_;
  const std::uint8_t* end_;
};

// Walks the elements of a DynamicList value, or keys and values in turn of a DynamicMap value. An
// element that is itself a list or map is walked by a view of its own.
class DynamicView {
 public:
  explicit DynamicView(const Value& container)
      : position_(container.pointer), end_(container.pointer + container.length) {}

  // The next element; false after the last.
  [[nodiscard]] bool next(Value& element);

 private:
  const std::uint8_t* position_;
  const std::uint8_t* end_;
};

// Reads the count of the list or map at `at` and steps over it: how many tagged values follow.
[[nodiscard]] std::uint64_t read_value_count(FieldType type, const std::uint8_t*& at);

// Decodes one value that was checked before, advancing `at` past it; `end` is where its
// container or event ends. The tagged form reads the type from a tag in front.
[[nodiscard]] Value read_value(FieldType type, const std::uint8_t*& at, const std::uint8_t* end);
[[nodiscard]] Value read_tagged_value(const std::uint8_t*& at, const std::uint8_t* end);

}  // namespace tracedeck::dial9
