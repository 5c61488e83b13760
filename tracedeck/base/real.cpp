#include "tracedeck/base/real.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tracedeck {
namespace {

// Reads bits of a little-endian number; bits past its end are zero.
class BitReader {
 public:
  explicit BitReader(ByteSpan bytes) : bytes_(bytes) {}

  // `count` bits (at most 64) from bit `first` on; bits below bit 0 are zero too.
  [[nodiscard]] std::uint64_t bits(std::int64_t first, unsigned count) const {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < count; ++i) {
      value |= static_cast<std::uint64_t>(bit(first + i)) << i;
    }
    return value;
  }

  // Whether any bit below `end` is set.
  [[nodiscard]] bool any_below(std::int64_t end) const {
    std::int64_t at = 0;
    for (; at + 8 <= end; at += 8) {
      if (bytes_[static_cast<std::size_t>(at / 8)] != 0) return true;
    }
    return at < end && bits(at, static_cast<unsigned>(end - at)) != 0;
  }

 private:
  [[nodiscard]] bool bit(std::int64_t index) const {
    if (index < 0) return false;
    const auto byte = static_cast<std::size_t>(index / 8);
    return byte < bytes_.size() && (bytes_[byte] >> (index % 8) & 1) != 0;
  }

  ByteSpan bytes_;
};

constexpr std::int64_t kSmallestNormal = -1022;  // exponents of binary64
constexpr std::int64_t kLargest = 1023;
constexpr unsigned kFractionBits = 52;
constexpr std::uint64_t kInfinity = 0x7FF0'0000'0000'0000;

// significand * 2^(exponent - 63), rounded to the bits of a positive binary64. The top bit of the
// significand is set; its lowest bit stands for all that was cut off below it.
std::uint64_t round_to_binary64(std::uint64_t significand, std::int64_t exponent, bool& exact) {
  if (exponent > kLargest) {
    exact = false;
    return kInfinity;
  }
  const bool subnormal = exponent < kSmallestNormal;
  const std::int64_t wanted =
      subnormal ? kFractionBits + 1 - (kSmallestNormal - exponent) : kFractionBits + 1;
  if (wanted < 0) {
    exact = false;
    return 0;
  }
  const auto shift = static_cast<unsigned>(64 - wanted);
  const std::uint64_t kept = shift == 64 ? 0 : significand >> shift;
  const std::uint64_t rest =
      shift == 64 ? significand : significand & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  exact = rest == 0;
  const std::uint64_t rounded = kept + (rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0);
  // The leading one of a normal number adds 1 to the exponent field; so does a carry out of
  // rounding.
  const std::uint64_t field =
      subnormal ? 0 : static_cast<std::uint64_t>(exponent - kSmallestNormal);
  return (field << kFractionBits) + rounded;
}

NearestReal from_wide(ByteSpan bytes) {
  const auto width = static_cast<std::int64_t>(bytes.size()) * 8;
  const auto exponent_bits =
      static_cast<unsigned>(std::lround(4 * std::log2(static_cast<double>(width))) - 13);
  const std::int64_t fraction_bits = width - 1 - exponent_bits;
  const BitReader reader(bytes);
  const double sign = reader.bits(width - 1, 1) != 0 ? -1.0 : 1.0;
  const std::uint64_t field = reader.bits(fraction_bits, exponent_bits);
  const std::uint64_t all_ones = (std::uint64_t{1} << exponent_bits) - 1;
  const bool any_fraction = reader.any_below(fraction_bits);
  if (field == all_ones) {
    if (any_fraction) return {std::numeric_limits<double>::quiet_NaN(), true};
    return {sign * std::numeric_limits<double>::infinity(), true};
  }
  // Below the smallest normal number of such a width lies nothing that binary64 can distinguish
  // from zero.
  if (field == 0) return {sign * 0.0, !any_fraction};
  const auto exponent = static_cast<std::int64_t>(field) - static_cast<std::int64_t>(all_ones >> 1);
  std::uint64_t significand = std::uint64_t{1} << 63 | reader.bits(fraction_bits - 63, 63);
  if (reader.any_below(fraction_bits - 63)) significand |= 1;
  bool exact = true;
  const auto magnitude = std::bit_cast<double>(round_to_binary64(significand, exponent, exact));
  return {sign * magnitude, exact};
}

}  // namespace

double half_to_double(std::uint16_t bits) {
  const int field = bits >> 10 & 0x1F;
  const int fraction = bits & 0x3FF;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (field == 0x1F) {
    if (fraction != 0) return std::numeric_limits<double>::quiet_NaN();
    return sign * std::numeric_limits<double>::infinity();
  }
  if (field == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(0x400 + fraction, field - 25);
}

std::uint16_t half_bits(double value) {
  const auto wide = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint32_t>(wide >> 48 & 0x8000U);
  const int exponent = static_cast<int>(wide >> 52 & 0x7ff) - 1023;
  const std::uint64_t fraction = wide & 0xf'ffff'ffff'ffffU;
  std::uint32_t bits = 0;
  if (exponent == 1024) {
    bits = 0x7c00U;
    if (fraction != 0)
      bits |= std::max<std::uint32_t>(1, static_cast<std::uint32_t>(fraction >> 42));
  } else if (exponent > 15) {
    bits = 0x7c00U;
  } else if (exponent >= -14) {
    bits = static_cast<std::uint32_t>(exponent + 15) << 10 |
           static_cast<std::uint32_t>(fraction >> 42);
  } else if (exponent >= -24) {
    bits = static_cast<std::uint32_t>((fraction | std::uint64_t{1} << 52) >> (28 - exponent));
  }
  return static_cast<std::uint16_t>(sign | bits);
}

NearestReal nearest_real(ByteSpan little_endian) {
  switch (little_endian.size()) {
    case 2:
      return {half_to_double(load_le<std::uint16_t>(little_endian.data())), true};
    case 4:
      return {
          static_cast<double>(std::bit_cast<float>(load_le<std::uint32_t>(little_endian.data()))),
          true};
    case 8:
      return {std::bit_cast<double>(load_le<std::uint64_t>(little_endian.data())), true};
    default:
      return from_wide(little_endian);
  }
}

}  // namespace tracedeck
