// Native values: what the decoder hands out for the fields of an event.
//
// 16 bytes each, pointing into the input where they are not scalars. Pool ids are not resolved:
// ask the decoder's pools. Lists and maps are left as their (validated) wire bytes; `StringMapView`
// and `DynamicView` walk them.
#pragma once

#include <cstdint>
#include <string_view>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/dial9/wire.hpp"

namespace tracedeck::dial9 {

struct Value {
  union {
    std::uint64_t bits;           // Varint, U8, U16, U32, Bool (0 or 1), pool ids
    std::int64_t integer;         // I64
    double real;                  // F64
    const std::uint8_t* pointer;  // String, Bytes: content; StackFrames: addresses;
                                  // StringMap, DynamicList, DynamicMap: what follows the count
  };
  std::uint32_t length;  // bytes at `pointer`
  FieldType type;
  bool present;  // false: an optional field that is absent; nothing else is meaningful
  std::uint16_t reserved;

  [[nodiscard]] std::string_view text() const {
    return {reinterpret_cast<const char*>(pointer), length};
  }
  [[nodiscard]] ByteSpan bytes() const { return {pointer, length}; }
  // StackFrames: number of addresses, and one of them, leaf first.
  [[nodiscard]] std::size_t frame_count() const { return length / 8; }
  [[nodiscard]] std::uint64_t frame(std::size_t index) const {
    return load_le<std::uint64_t>(pointer + 8 * index);
  }
};
static_assert(sizeof(Value) == 16);

}  // namespace tracedeck::dial9
