#include "tracedeck/dial9/value_encode.hpp"

#include <cstring>
#include <limits>

#include "tracedeck/base/leb128.hpp"
#include "tracedeck/dial9/dynamic.hpp"

namespace tracedeck::dial9 {
namespace {

bool fits(std::uint64_t bits, std::size_t size) { return bits >> (8 * size) == 0; }

ValueMeasure measure_container(const Value& value) {
  const std::uint8_t* const begin = value.pointer - kCountSize;
  const std::uint8_t* const end = value.pointer + value.length;
  const SkipResult skipped = value.type == FieldType::kStringMap
                                 ? skip_string_map(begin, end)
                                 : skip_dynamic(value.type, begin, end);
  if (skipped.status == FieldStatus::kDynamicNesting)
    return {.fault = "lists and maps are nested too deep"};
  if (skipped.status != FieldStatus::kOk || skipped.end != end)
    return {.fault = "the list or map is malformed"};
  return {.size = kCountSize + value.length};
}

ValueMeasure measure_present(const Value& value) {
  switch (value.type) {
    case FieldType::kI64:
    case FieldType::kF64:
      return {.size = 8};
    case FieldType::kVarint:
      return {.size = kMaxVarintSize};
    case FieldType::kBool:
      if (value.bits > 1) return {.fault = "a boolean is 0 or 1"};
      return {.size = 1};
    case FieldType::kU8:
    case FieldType::kU16:
    case FieldType::kU32:
    case FieldType::kPooledString:
    case FieldType::kPooledStackFrames: {
      const std::size_t size = facts(value.type).fixed_size;
      if (!fits(value.bits, size)) return {.fault = "the number is too large for the field's type"};
      return {.size = size};
    }
    case FieldType::kString:
    case FieldType::kBytes:
      return {.size = kCountSize + value.length};
    case FieldType::kStackFrames:
      if (value.length % 8 != 0) return {.fault = "a stack is a multiple of 8 bytes"};
      return {.size = kCountSize + value.length};
    case FieldType::kStringMap:
    case FieldType::kDynamicList:
    case FieldType::kDynamicMap:
      return measure_container(value);
  }
  return {.fault = "no such type"};
}

std::uint8_t* put_counted(std::uint8_t* to, std::uint32_t count, const Value& value) {
  store_le(to, count);
  if (value.length != 0) std::memcpy(to + kCountSize, value.pointer, value.length);
  return to + kCountSize + value.length;
}

}  // namespace

ValueMeasure measure_value(const FieldDefinition& field, const Value& value) {
  if (value.type != field.type) return {.fault = "the value is of another type than the field"};
  if (!value.present) {
    if (!field.optional) return {.fault = "the field is not optional and has no value"};
    return {.size = 1};
  }
  ValueMeasure measure = measure_present(value);
  if (field.optional) ++measure.size;
  return measure;
}

std::uint8_t* put_value(std::uint8_t* to, const FieldDefinition& field, const Value& value) {
  if (field.optional) {
    *to++ = value.present ? 1 : 0;
    if (!value.present) return to;
  }
  switch (value.type) {
    case FieldType::kI64:
    case FieldType::kF64:
      store_le(to, value.bits);
      return to + 8;
    case FieldType::kVarint:
      return encode_leb128(to, value.bits);
    case FieldType::kBool:
    case FieldType::kU8:
      *to = static_cast<std::uint8_t>(value.bits);
      return to + 1;
    case FieldType::kU16:
      store_le(to, static_cast<std::uint16_t>(value.bits));
      return to + 2;
    case FieldType::kU32:
    case FieldType::kPooledString:
    case FieldType::kPooledStackFrames:
      store_le(to, static_cast<std::uint32_t>(value.bits));
      return to + 4;
    case FieldType::kString:
    case FieldType::kBytes:
      return put_counted(to, value.length, value);
    case FieldType::kStackFrames:
      return put_counted(to, value.length / 8, value);
    case FieldType::kStringMap:
    case FieldType::kDynamicList:
    case FieldType::kDynamicMap:
      return put_counted(to, load_le<std::uint32_t>(value.pointer - kCountSize), value);
  }
  return to;
}

}  // namespace tracedeck::dial9
