// Fields of more than 64 bits as slots. Their values are bytes, the least significant first.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/ctf/stream/program.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck::ctf {

// A fixed-length field behind the first `offset` bits of `from`, 0 to 7. Its value goes to `to`,
// (width + 7) / 8 bytes that must live as long as the slot. Signed values fill their last byte.
[[nodiscard]] Slot wide_slot(const std::uint8_t* from, unsigned offset, const WideField& field,
                             std::uint8_t* to);

// Bytes that the value of a LEB128 field of `size` bytes takes.
[[nodiscard]] constexpr std::size_t wide_leb128_size(std::size_t size) {
  return (size * 7 + 7) / 8;
}
// A LEB128 field. Its value goes to `to`, `wide_leb128_size` bytes; the slot is one of 64 bits
// where that holds it.
[[nodiscard]] Slot wide_leb128_slot(ByteSpan field, bool is_signed, std::uint8_t* to);

}  // namespace tracedeck::ctf
