// Values whose type travels with each of them (0.4): the elements of DynamicList and DynamicMap.
//
// These own what they hold. The decoder hands out views of the wire's bytes instead (see
// value.hpp).
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tracedeck/dial9/value.hpp"
#include "tracedeck/dial9/wire.hpp"

namespace tracedeck::dial9 {

// The id of a string or stack in the pools of the current segment, as `Encoder::intern_string` and
// `Encoder::intern_stack` give them. The two id spaces are separate.
struct InternedString {
  std::uint32_t id = 0;
  friend bool operator==(const InternedString&, const InternedString&) = default;
};
struct InternedStack {
  std::uint32_t id = 0;
  friend bool operator==(const InternedStack&, const InternedStack&) = default;
};

struct DynamicValue;
struct DynamicEntry;
using DynamicList = std::vector<DynamicValue>;
using DynamicMap = std::vector<DynamicEntry>;  // in order; keys may repeat
using StringMap = std::vector<std::pair<std::string, std::string>>;

namespace detail {
template <class T, class... Alternatives>
consteval bool is_alternative(std::variant<Alternatives...>*) {
  return (std::same_as<T, Alternatives> || ...);
}
}  // namespace detail

struct DynamicValue {
  // In the order of the wire's tags, so that a value's tag is its index + 1.
  using Variant =
      std::variant<std::int64_t, double, bool, std::string, std::vector<std::uint8_t>,
                   InternedStack, InternedString, std::vector<std::uint64_t>, std::uint64_t,
                   StringMap, std::uint8_t, std::uint16_t, std::uint32_t, DynamicList, DynamicMap>;

  DynamicValue();                       // Varint 0
  DynamicValue(const char* text);       // NOLINT(google-explicit-constructor): String
  DynamicValue(std::string_view text);  // NOLINT(google-explicit-constructor): String
  // From exactly one of the alternatives: the wire type is never a matter of conversions.
  template <class T>
    requires(detail::is_alternative<T>(static_cast<Variant*>(nullptr)))
  DynamicValue(T value);  // NOLINT(google-explicit-constructor)

  [[nodiscard]] FieldType type() const { return static_cast<FieldType>(variant.index() + 1); }

  friend bool operator==(const DynamicValue&, const DynamicValue&);

  Variant variant;
};

struct DynamicEntry {
  DynamicValue key;
  DynamicValue value;
  friend bool operator==(const DynamicEntry&, const DynamicEntry&) = default;
};

// Here, where the alternatives are complete types.
inline DynamicValue::DynamicValue() : variant(std::uint64_t{0}) {}
inline DynamicValue::DynamicValue(const char* text) : variant(std::string(text)) {}
inline DynamicValue::DynamicValue(std::string_view text) : variant(std::string(text)) {}
template <class T>
  requires(detail::is_alternative<T>(static_cast<DynamicValue::Variant*>(nullptr)))
DynamicValue::DynamicValue(T value) : variant(std::move(value)) {}

inline bool operator==(const DynamicValue& a, const DynamicValue& b) {
  return a.variant == b.variant;
}

// A copy of a decoded value, which must be present, that owns what it holds.
[[nodiscard]] DynamicValue owned(const Value& value);

}  // namespace tracedeck::dial9
