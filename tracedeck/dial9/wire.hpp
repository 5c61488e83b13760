// The facts of the dial9-trace-format wire layout, each with its section of the specification.
//
// Encoder, decoder, validator and documents take them from here. All integers are little-endian
// (Overview); counts and lengths are unsigned.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tracedeck::dial9 {

// Header: magic `TRC\0`, then a version byte. A header may stand at any frame boundary, where it
// begins a new segment: schemas, both pools and the timestamp base are forgotten.
inline constexpr std::array<std::uint8_t, 4> kMagic = {0x54, 0x52, 0x43, 0x00};
inline constexpr std::uint8_t kWireVersion = 1;
inline constexpr std::size_t kHeaderSize = 5;

// Frames: every frame begins with one of these tags.
enum class FrameTag : std::uint8_t {
  kSchema = 0x01,
  kEvent = 0x02,
  kStringPool = 0x03,
  kStackPool = 0x04,  // 0.4
  kTimestampReset = 0x05,
  kSchemaAnnotations = 0x06,  // 0.4
};
[[nodiscard]] constexpr bool is_frame_tag(std::uint8_t byte) {
  return byte >= 0x01 && byte <= 0x06;
}

// Event Frame: tag, u16 type_id, and u24 nanoseconds since the timestamp base if the schema has
// a timestamp.
inline constexpr std::size_t kEventHeaderSize = 3;
inline constexpr std::size_t kTimestampDeltaSize = 3;
inline constexpr std::uint64_t kMaxTimestampDelta = 0xFF'FFFF;
// Timestamp Reset Frame: tag, u64 nanoseconds.
inline constexpr std::size_t kTimestampResetSize = 9;

// LEB128: a u64 takes at most 10 bytes; longer forms cannot be decoded.
inline constexpr std::size_t kMaxVarintSize = 10;
// Lengths of texts and counts of elements behind a tag are u32.
inline constexpr std::size_t kCountSize = 4;
// Limits: name lengths and field counts are u16.
inline constexpr std::size_t kMaxNameLength = 65'535;
inline constexpr std::size_t kMaxFieldCount = 65'535;
inline constexpr std::size_t kMaxTypeCount = 65'536;
// How deep dynamic lists and maps may be nested; the outermost is 1.
inline constexpr std::uint32_t kMaxNesting = 1'024;

// Field Types. The high bit of a tag in a schema marks the field as optional.
enum class FieldType : std::uint8_t {
  kI64 = 1,
  kF64 = 2,
  kBool = 3,
  kString = 4,
  kBytes = 5,
  kPooledStackFrames = 6,  // 0.4
  kPooledString = 7,
  kStackFrames = 8,
  kVarint = 9,
  kStringMap = 10,
  kU8 = 11,
  kU16 = 12,
  kU32 = 13,
  kDynamicList = 14,  // 0.4
  kDynamicMap = 15,   // 0.4
};
inline constexpr std::uint8_t kOptionalBit = 0x80;
inline constexpr std::uint8_t kMaxFieldType = 15;

struct FieldTypeFacts {
  FieldType type;
  std::string_view name;      // as the specification writes it
  std::uint8_t fixed_size;    // bytes, 0 when variable
  std::uint8_t minimum_size;  // bytes of the shortest encoding
  bool since_0_4;             // not in the 0.3 format
  std::string_view encoding;  // for the documents
};

inline constexpr std::array<FieldTypeFacts, kMaxFieldType> kFieldTypes = {{
    {FieldType::kI64, "I64", 8, 8, false, "8-byte signed"},
    {FieldType::kF64, "F64", 8, 8, false, "8-byte IEEE 754 double"},
    {FieldType::kBool, "Bool", 1, 1, false, "1 byte, 0 or 1"},
    {FieldType::kString, "String", 0, 4, false, "u32 length, UTF-8 bytes"},
    {FieldType::kBytes, "Bytes", 0, 4, false, "u32 length, bytes"},
    {FieldType::kPooledStackFrames, "PooledStackFrames", 4, 4, true, "u32 stack pool id"},
    {FieldType::kPooledString, "PooledString", 4, 4, false, "u32 string pool id"},
    {FieldType::kStackFrames, "StackFrames", 0, 4, false, "u32 count, count x u64 address"},
    {FieldType::kVarint, "Varint", 0, 1, false, "unsigned LEB128 of a u64, 1 to 10 bytes"},
    {FieldType::kStringMap, "StringMap", 0, 4, false,
     "u32 count, count x (u32 length, key, u32 length, value)"},
    {FieldType::kU8, "U8", 1, 1, false, "1-byte unsigned"},
    {FieldType::kU16, "U16", 2, 2, false, "2-byte unsigned"},
    {FieldType::kU32, "U32", 4, 4, false, "4-byte unsigned"},
    {FieldType::kDynamicList, "DynamicList", 0, 4, true, "u32 count, count x (u8 tag, value)"},
    {FieldType::kDynamicMap, "DynamicMap", 0, 4, true,
     "u32 count, count x (u8 tag, key, u8 tag, value)"},
}};

// The facts of a tag without its optional bit; null for an unknown tag.
[[nodiscard]] constexpr const FieldTypeFacts* field_type_facts(std::uint8_t tag) {
  return tag >= 1 && tag <= kMaxFieldType ? &kFieldTypes[tag - 1U] : nullptr;
}
[[nodiscard]] constexpr const FieldTypeFacts& facts(FieldType type) {
  return kFieldTypes[static_cast<std::uint8_t>(type) - 1U];
}

}  // namespace tracedeck::dial9
