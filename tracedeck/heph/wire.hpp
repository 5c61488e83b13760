// The facts of the Heph trace format's layout, each with its section of the specification (0.1.0).
//
// Encoder, decoder, validator and documents take them from here. All integers are big-endian
// (Overview). A trace is packets back to back, without a header; no packets are a trace too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tracedeck::heph {

// Metadata Packet, Event Packet: every packet begins with a magic constant and its size in bytes,
// both included.
inline constexpr std::uint32_t kMetadataMagic = 0x75D1'1D4D;
inline constexpr std::uint32_t kEventMagic = 0xC1FC'1FB7;
inline constexpr std::size_t kSizeOffset = 4;
inline constexpr std::size_t kPrefixSize = 8;  // magic and size

// Metadata Packet: u16 length and name of the option, then its value up to the packet's end.
inline constexpr std::size_t kOptionNameOffset = 8;
inline constexpr std::size_t kLeastMetadataSize = 10;
// Options: `epoch` is the u64 of nanoseconds between the Unix epoch and time 0 of the trace.
inline constexpr std::string_view kEpochName = "epoch";
inline constexpr std::size_t kEpochValueSize = 8;

// Event Packet: stream id (u32), stream event counter (u32), substream id, start and end (u64 ns
// since the epoch), u16 length and description, then attributes up to the packet's end.
inline constexpr std::size_t kStreamOffset = 8;
inline constexpr std::size_t kCounterOffset = 12;
inline constexpr std::size_t kSubstreamOffset = 16;
inline constexpr std::size_t kStartOffset = 24;
inline constexpr std::size_t kEndOffset = 32;
inline constexpr std::size_t kDescriptionOffset = 40;  // its length
inline constexpr std::size_t kLeastEventSize = 42;

// Every length and count is a u16, the size of a packet a u32.
inline constexpr std::size_t kLengthSize = 2;
inline constexpr std::size_t kMaxLength = 65'535;
inline constexpr std::uint64_t kMaxPacketSize = 0xFFFF'FFFF;

// An attribute is u16 length and name, a byte for the type, and the value. Of an array that is a
// u16 count and as many values.
enum class ValueType : std::uint8_t {
  kUnsigned = 0b0000'0001,
  kSigned = 0b0000'0010,
  kReal = 0b0000'0011,
  kString = 0b0000'0100,
};
inline constexpr std::uint8_t kArrayMarker = 0b1000'0000;
inline constexpr std::size_t kScalarSize = 8;

struct ValueTypeFacts {
  ValueType type;
  std::string_view name;
  std::string_view encoding;  // for the documents
};
inline constexpr std::array<ValueTypeFacts, 4> kValueTypes = {{
    {ValueType::kUnsigned, "unsigned", "u64"},
    {ValueType::kSigned, "signed", "i64, two's complement"},
    {ValueType::kReal, "real", "IEEE 754 double"},
    {ValueType::kString, "string", "u16 length, UTF-8 bytes"},
}};

[[nodiscard]] constexpr std::uint8_t type_byte(ValueType type, bool array = false) {
  return static_cast<std::uint8_t>(static_cast<std::uint8_t>(type) | (array ? kArrayMarker : 0));
}
// Whether a type byte is one of the four types, perhaps with the array marker.
[[nodiscard]] constexpr bool is_value_type(std::uint8_t byte) {
  const auto type = static_cast<std::uint8_t>(byte & ~kArrayMarker);
  return type >= 1 && type <= kValueTypes.size();
}

// What a packet of that magic takes at least; 0 for an unknown magic.
[[nodiscard]] constexpr std::size_t least_size(std::uint32_t magic) {
  if (magic == kEventMagic) return kLeastEventSize;
  return magic == kMetadataMagic ? kLeastMetadataSize : 0;
}

// Limits of tracedeck.
//
// Every description and attribute layout makes an event class. Events beyond the classes that there
// may be keep their description and names beside their values (see `EventTypes`).
inline constexpr std::size_t kMaxEventTypes = 8'192;
inline constexpr std::size_t kMaxTypeMemory = std::size_t{16} << 20;  // bytes, as estimated
// Data streams whose counters are followed at the same time.
inline constexpr std::size_t kMaxStreams = 16'384;
// Options that are kept, and the bytes of their names and values.
inline constexpr std::size_t kMaxOptions = 1'024;
inline constexpr std::size_t kMaxOptionMemory = std::size_t{1} << 20;
// A packet that is found to be damaged before it is complete is waited for up to this size, to see
// whether another follows it.
inline constexpr std::uint64_t kTrustedSize = std::uint64_t{64} << 10;

}  // namespace tracedeck::heph
