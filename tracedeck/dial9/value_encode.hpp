// Encoding of native values, as `Encoder::write_event` takes them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/leb128.hpp"
#include "tracedeck/dial9/schema.hpp"
#include "tracedeck/dial9/value.hpp"

namespace tracedeck::dial9 {

// What values of a type hold at most in `Value::bits`, and the bytes that they take at most; 0:
// they are no numbers, which a fixed number of bytes or a varint holds.
struct NumberFacts {
  std::uint64_t most = 0;
  std::uint8_t size = 0;
};
inline constexpr std::array<NumberFacts, 16> kNumberFacts = [] {
  std::array<NumberFacts, 16> facts = {};
  const auto is = [&](FieldType type, std::uint64_t most, std::size_t size) {
    facts[std::to_underlying(type)] = {most, static_cast<std::uint8_t>(size)};
  };
  is(FieldType::kI64, ~std::uint64_t{0}, 8);
  is(FieldType::kF64, ~std::uint64_t{0}, 8);
  is(FieldType::kVarint, ~std::uint64_t{0}, kMaxVarintSize);
  is(FieldType::kBool, 1, 1);
  is(FieldType::kU8, 0xFF, 1);
  is(FieldType::kU16, 0xFFFF, 2);
  is(FieldType::kU32, 0xFFFF'FFFF, 4);
  return facts;
}();
[[nodiscard]] constexpr const NumberFacts& number_facts(FieldType type) {
  return kNumberFacts[std::to_underlying(type) % kNumberFacts.size()];
}

struct ValueMeasure {
  std::size_t size = 0;         // bytes on the wire, at most, presence byte included
  const char* fault = nullptr;  // why the value cannot stand in the field
};

// Whether it is a number that the field, which is not optional, holds. It takes at most
// `NumberFacts::size` bytes.
[[nodiscard]] inline bool is_plain_number(const FieldDefinition& field, const Value& value) {
  const NumberFacts& facts = number_facts(field.type);
  return value.type == field.type && facts.size != 0 && value.present && !field.optional &&
         value.bits <= facts.most;
}
// Writes it and returns its end; `kMaxVarintSize` bytes may be overwritten.
[[nodiscard]] inline std::uint8_t* put_plain_number(std::uint8_t* to, const Value& value) {
  if (value.type == FieldType::kVarint) return encode_leb128(to, value.bits);
  store_le(to, value.bits);
  return to + number_facts(value.type).size;
}

// Checks a value against its field. Lists and maps are walked; like those of the decoder, they must
// have their count in the 4 bytes before `pointer` and 16 readable bytes behind.
[[nodiscard]] ValueMeasure measure_value(const FieldDefinition& field, const Value& value);

// Writes a value that `measure_value` found no fault with and returns its end; what lies up to its
// measured size may be overwritten.
[[nodiscard]] std::uint8_t* put_value(std::uint8_t* to, const FieldDefinition& field,
                                      const Value& value);

}  // namespace tracedeck::dial9
