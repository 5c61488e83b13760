#include "tracedeck/ctf/write/integer_bytes.hpp"

#include <algorithm>

namespace tracedeck::ctf {

bool IntegerBytes::fits(std::uint32_t width, bool is_signed) const {
  for (std::size_t bit = is_signed ? width - 1 : width; bit < 8 * size(); ++bit) {
    if (((*this)[bit / 8] >> (bit % 8) & 1) != (rest_ & 1)) return false;
  }
  return is_signed || rest_ == 0;
}

void put_wide(BitWriter& out, const IntegerBytes& value, std::uint32_t width, ByteOrder order,
              bool reversed) {
  const auto bit = [&](std::uint32_t i) {
    if (reversed) i = width - 1 - i;
    return value[i / 8] >> (i % 8) & 1U;
  };
  // In portions of a byte, in the order in which they lie.
  for (std::uint32_t done = 0; done < width;) {
    const std::uint32_t count = std::min<std::uint32_t>(8, width - done);
    const std::uint32_t from = order == ByteOrder::kLittle ? done : width - done - count;
    std::uint64_t part = 0;
    for (std::uint32_t i = 0; i < count; ++i) part |= std::uint64_t{bit(from + i)} << i;
    out.put(part, count, order);
    done += count;
  }
}

}  // namespace tracedeck::ctf
