#include "tracedeck/base/real.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace tracedeck {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A wide real from its bytes as one writes them, most significant first; the rest is zero.
NearestReal nearest(std::size_t size, std::vector<std::uint8_t> leading) {
  leading.resize(size);
  return nearest_real(std::vector<std::uint8_t>(leading.rbegin(), leading.rend()));
}

bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

TEST(Real, Half) {
  EXPECT_EQ(half_to_double(0x3C00), 1.0);
  EXPECT_EQ(half_to_double(0xC000), -2.0);
  EXPECT_EQ(half_to_double(0x7BFF), 65504.0);
  EXPECT_EQ(half_to_double(0x0001), 0x1p-24);
  EXPECT_EQ(half_to_double(0x0400), 0x1p-14);
  EXPECT_TRUE(same(half_to_double(0x8000), -0.0));
  EXPECT_EQ(half_to_double(0x7C00), kInfinity);
  EXPECT_EQ(half_to_double(0xFC00), -kInfinity);
  EXPECT_TRUE(std::isnan(half_to_double(0x7C01)));
}

TEST(Real, HalvesComeBack) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const double value = half_to_double(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(half_to_double(half_bits(value))));
    } else {
      ASSERT_EQ(half_bits(value), half);
    }
  }
}

TEST(Real, HalvesAreRoundedTowardsZero) {
  EXPECT_EQ(half_bits(65535.0), 0x7BFF);
  EXPECT_EQ(half_bits(65536.0), 0x7C00);
  EXPECT_EQ(half_bits(-65536.0), 0xFC00);
  EXPECT_EQ(half_bits(1.0 + 0x1.FFp-11), 0x3C00);
  EXPECT_EQ(half_bits(0x1.8p-24), 0x0001);
  EXPECT_EQ(half_bits(-0x1p-25), 0x8000);
  EXPECT_EQ(half_bits(-kInfinity), 0xFC00);
}

TEST(Real, Singles) {
  EXPECT_EQ(single_bits(1.5), 0x3FC0'0000U);
  EXPECT_EQ(single_bits(-0.0), 0x8000'0000U);
  EXPECT_EQ(single_bits(0x1p-149), 1U);
  EXPECT_EQ(single_bits(1e300), 0x7F80'0000U);
  // 1 + 2^-24 lies halfway.
  EXPECT_EQ(single_bits(1.0 + 0x1p-24), 0x3F80'0000U);
  EXPECT_EQ(single_bits(1.0 + 0x1.8p-23), 0x3F80'0002U);
}

TEST(Real, NanPayloadsOfSinglesComeBack) {
  for (const std::uint32_t bits : {0x7F80'0001U, 0xFFC1'2345U, 0x7FFF'FFFFU}) {
    // As decoding widens it: sign, exponent and payload each in their place.
    const std::uint64_t wide = std::uint64_t{bits & 0x8000'0000U} << 32 | 0x7FF0'0000'0000'0000U |
                               std::uint64_t{bits & 0x7F'FFFFU} << 29;
    EXPECT_EQ(single_bits(std::bit_cast<double>(wide)), bits);
  }
  // A payload that is too long for one still leaves a NaN.
  EXPECT_EQ(single_bits(std::bit_cast<double>(std::uint64_t{0x7FF0'0000'0000'0001U})),
            0x7F80'0001U);
}

TEST(Real, NarrowWidthsAreExact) {
  EXPECT_EQ(nearest(2, {0x3C, 0x00}).value, 1.0);
  EXPECT_EQ(nearest(4, {0x3F, 0xC0}).value, 1.5);
  EXPECT_EQ(nearest(4, {0x00, 0x00, 0x00, 0x01}).value, 0x1p-149);
  EXPECT_EQ(nearest(8, {0xBF, 0xF0}).value, -1.0);
  EXPECT_TRUE(nearest(4, {0x3F, 0xC0}).exact);
}

TEST(Real, WidthOfTheExponentFollowsTheStandard) {
  EXPECT_EQ(nearest(16, {0x3F, 0xFF}).value, 1.0);        // 15 bits
  EXPECT_EQ(nearest(20, {0x3F, 0xFF, 0x80}).value, 1.0);  // 16 bits
  EXPECT_EQ(nearest(32, {0x3F, 0xFF, 0xF0}).value, 1.0);  // 19 bits
  EXPECT_EQ(nearest(32, {0xC0, 0x00, 0x08}).value, -3.0);
  EXPECT_EQ(nearest(8192, {0x3F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xF0}).value, 1.0);  // 51 bits
}

TEST(Real, TiesGoToEven) {
  // 1 + 2^-53 lies halfway between 1 and its successor, and becomes 1; 1 + 3 * 2^-53 rounds up.
  EXPECT_EQ(nearest(16, {0x3F, 0xFF, 0, 0, 0, 0, 0, 0, 0x08}).value, 1.0);
  EXPECT_FALSE(nearest(16, {0x3F, 0xFF, 0, 0, 0, 0, 0, 0, 0x08}).exact);
  EXPECT_EQ(nearest(16, {0x3F, 0xFF, 0, 0, 0, 0, 0, 0, 0x18}).value, 1.0 + 0x1p-51);
  // The last bit of all tips the first one over.
  EXPECT_EQ(nearest(16, {0x3F, 0xFF, 0, 0, 0, 0, 0, 0, 0x08, 0, 0, 0, 0, 0, 0, 1}).value,
            1.0 + 0x1p-52);
}

TEST(Real, OverflowIsInfinityAndUnderflowKeepsItsSign) {
  EXPECT_EQ(nearest(16, {0x7F, 0xFE}).value, kInfinity);
  EXPECT_EQ(nearest(16, {0xFF, 0xFE}).value, -kInfinity);
  EXPECT_EQ(nearest(16, {0x7F, 0xFF}).value, kInfinity);
  EXPECT_TRUE(nearest(16, {0x7F, 0xFF}).exact);
  EXPECT_TRUE(std::isnan(nearest(16, {0x7F, 0xFF, 1}).value));
  EXPECT_TRUE(
      std::isnan(nearest(16, {0x7F, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}).value));
  // The largest finite binary64 plus half of its last place carries over into infinity.
  EXPECT_EQ(nearest(16, {0x43, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xF8}).value, kInfinity);
  EXPECT_EQ(nearest(16, {0x43, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xF7}).value,
            std::numeric_limits<double>::max());
  EXPECT_TRUE(same(nearest(16, {0x80, 0x00}).value, -0.0));
  EXPECT_TRUE(nearest(16, {0x80, 0x00}).exact);
  EXPECT_TRUE(same(nearest(16, {0x80, 0x00, 1}).value, -0.0));
  EXPECT_FALSE(nearest(16, {0x80, 0x00, 1}).exact);
}

TEST(Real, DenormalsOfBinary64RoundOnce) {
  EXPECT_EQ(nearest(16, {0x3B, 0xCD}).value, 0x1p-1074);  // 2^-1074
  EXPECT_EQ(nearest(16, {0x3B, 0xCC}).value, 0.0);        // 2^-1075: halfway to zero
  EXPECT_EQ(nearest(16, {0x3B, 0xCC, 0x00, 0x01}).value, 0x1p-1074);
  EXPECT_EQ(nearest(16, {0x3B, 0xCB, 0xFF, 0xFF}).value, 0.0);
  EXPECT_EQ(nearest(16, {0x3C, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}).value, 0x1p-1022);
}

#ifdef __SIZEOF_FLOAT128__
RC_GTEST_PROP(Real, Binary128AgreesWithTheCompiler,
              (std::array<std::uint8_t, 16> bytes, std::uint16_t raw)) {
  // Half of the cases near binary64's range, where rounding happens.
  if (raw % 2 == 0) {
    const auto exponent = static_cast<std::uint16_t>(16383 - 1100 + raw % 2200);
    bytes[14] = static_cast<std::uint8_t>(exponent);
    bytes[15] = static_cast<std::uint8_t>((bytes[15] & 0x80) | exponent >> 8);
  }
  __extension__ __float128 wide;
  std::memcpy(&wide, bytes.data(), sizeof wide);
  const NearestReal nearest = nearest_real(bytes);
  RC_ASSERT(same(nearest.value, static_cast<double>(wide)));
  RC_ASSERT(nearest.exact ==
            (static_cast<__float128>(nearest.value) == wide || std::isnan(nearest.value)));
}
#endif

}  // namespace
}  // namespace tracedeck
