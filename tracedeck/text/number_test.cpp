#include "tracedeck/text/number.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

namespace tracedeck {
namespace {

template <class Number>
std::string decimal(Number number) {
  TextBuffer out;
  append_decimal(out, number);
  return std::string(out.view());
}

std::string wide(std::vector<std::uint8_t> little_endian, bool is_signed) {
  TextBuffer out;
  append_wide_decimal(out, little_endian, is_signed);
  return std::string(out.view());
}

std::string real(double value) {
  TextBuffer out;
  append_finite_real(out, value);
  return std::string(out.view());
}

TEST(Number, IntegersAroundEveryPowerOfTen) {
  std::uint64_t power = 1;
  for (int digits = 1; digits <= 20; ++digits) {
    for (const std::uint64_t value : {power - 1, power, power + 1, power * 9 + power / 2}) {
      ASSERT_EQ(decimal(value), std::to_string(value));
    }
    power *= 10;
  }
}

TEST(Number, Limits) {
  EXPECT_EQ(decimal(std::uint64_t{0}), "0");
  EXPECT_EQ(decimal(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(decimal(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(decimal(std::int64_t{-1}), "-1");
  EXPECT_EQ(decimal(~Uint128{0}), "340282366920938463463374607431768211455");
  EXPECT_EQ(decimal(Uint128{10'000'000'000'000'000'000U}), "10000000000000000000");
  EXPECT_EQ(decimal(Uint128{1} << 64), "18446744073709551616");
  EXPECT_EQ(decimal(Nanoseconds::from_unsigned(~Uint128{0}, true)),
            "-340282366920938463463374607431768211455");
  EXPECT_EQ(decimal(Nanoseconds(0)), "0");
}

RC_GTEST_PROP(Number, IntegersAreTheirDigits, (std::uint64_t value, std::uint8_t shift)) {
  const std::uint64_t scaled = value >> shift % 64;
  RC_ASSERT(decimal(scaled) == fmt::format("{}", scaled));
  const auto as_signed = static_cast<std::int64_t>(value) >> shift % 64;
  RC_ASSERT(decimal(as_signed) == fmt::format("{}", as_signed));
}

RC_GTEST_PROP(Number, PrefixedIntegersAreTheirDigits,
              (std::uint64_t value, std::uint8_t shift, bool negative)) {
  const std::uint64_t scaled = value >> shift % 64;
  const auto prefixed = [&](unsigned bits) {
    std::string room(kPrefixedSize, '#');
    room.erase(static_cast<std::size_t>(write_prefixed(room.data(), scaled, negative, bits) -
                                        room.data()));
    return room;
  };
  const std::string sign = negative ? "-" : "";
  RC_ASSERT(prefixed(4) == sign + fmt::format("{:#x}", scaled));
  RC_ASSERT(prefixed(3) == sign + fmt::format("0o{:o}", scaled));
  RC_ASSERT(prefixed(1) == sign + fmt::format("{:#b}", scaled));
}

TEST(Number, Nanoseconds) {
  for (const std::uint32_t value : {0U, 9U, 10U, 123'456'789U, 999'999'999U, 100'000'000U}) {
    std::string room(10, '#');
    EXPECT_EQ(write_nanoseconds(room.data(), value), room.data() + 9);
    EXPECT_EQ(room.substr(0, 9), fmt::format("{:09}", value));
  }
}

TEST(Number, WideIntegers) {
  EXPECT_EQ(wide({}, false), "0");
  EXPECT_EQ(wide({0, 0, 0, 0, 0, 0, 0, 0, 0}, false), "0");
  EXPECT_EQ(wide({0, 0, 0, 0, 0, 0, 0, 0, 1}, false), "18446744073709551616");
  EXPECT_EQ(wide({0, 0, 0, 0, 0, 0, 0, 0, 0x80}, true), "-2361183241434822606848");
  EXPECT_EQ(wide({0, 0, 0, 0, 0, 0, 0, 0, 0x80}, false), "2361183241434822606848");
  EXPECT_EQ(wide(std::vector<std::uint8_t>(9, 0xFF), true), "-1");
  EXPECT_EQ(wide(std::vector<std::uint8_t>(16, 0xFF), false),
            "340282366920938463463374607431768211455");
  // -2^64: two limbs that carry into each other when negated.
  EXPECT_EQ(wide({0, 0, 0, 0, 0, 0, 0, 0, 0xFF}, true), "-18446744073709551616");
  // 10^38: zeros within the chunks.
  EXPECT_EQ(
      wide({0, 0, 0, 0, 0x40, 0x22, 0x8A, 0x09, 0x7A, 0xC4, 0x86, 0x5A, 0xA8, 0x4C, 0x3B, 0x4B},
           false),
      "100000000000000000000000000000000000000");
}

TEST(Number, TheWidestIntegerAllowed) {
  std::vector<std::uint8_t> bytes(8192, 0);
  bytes.back() = 0x80;  // 2^65535
  const std::string text = wide(bytes, false);
  EXPECT_EQ(text.size(), 19729U);
  EXPECT_TRUE(text.starts_with("10017649652"));
  EXPECT_TRUE(text.ends_with("68"));
}

RC_GTEST_PROP(Number, WideIntegersAgreeWithUint128,
              (std::uint64_t high, std::uint64_t low, std::uint8_t shift)) {
  const Uint128 value = (Uint128{high} << 64 | low) >> shift % 128;
  std::vector<std::uint8_t> bytes(16);
  store_le(bytes.data(), static_cast<std::uint64_t>(value));
  store_le(bytes.data() + 8, static_cast<std::uint64_t>(value >> 64));
  RC_ASSERT(wide(bytes, false) == decimal(value));
  const bool negative = value >> 127 != 0;
  RC_ASSERT(wide(bytes, true) ==
            decimal(Nanoseconds::from_unsigned(negative ? 0 - value : value, negative)));
}

TEST(Number, RealsAreShortAndNeverLookLikeIntegers) {
  EXPECT_EQ(real(1.0), "1.0");
  EXPECT_EQ(real(0.0), "0.0");
  EXPECT_EQ(real(-0.0), "-0.0");
  EXPECT_EQ(real(0.1), "0.1");
  EXPECT_EQ(real(123.456), "123.456");
  EXPECT_EQ(real(1e15), "1000000000000000.0");
  EXPECT_EQ(real(1e16), "1e+16");
  EXPECT_EQ(real(1e22), "1e+22");
  EXPECT_EQ(real(1e300), "1e+300");
  EXPECT_EQ(real(1e-4), "0.0001");
  EXPECT_EQ(real(1e-5), "1e-05");
  EXPECT_EQ(real(9007199254740993.0), "9007199254740992.0");
  EXPECT_EQ(real(5e-324), "5e-324");
  EXPECT_EQ(real(2.225073858507201e-308), "2.225073858507201e-308");
  EXPECT_EQ(real(-1.7976931348623157e308), "-1.7976931348623157e+308");
}

// `{}` of fmt has the same digits and notation, but for integers.
RC_GTEST_PROP(Number, RealsAreThoseOfFmt, (std::uint64_t bits, std::int64_t scaled)) {
  for (const double value : {std::bit_cast<double>(bits), static_cast<double>(scaled) / 1000,
                             std::ldexp(1.0, static_cast<int>(bits % 2000) - 1000)}) {
    RC_PRE(std::isfinite(value));
    std::string want = fmt::format("{}", value);
    if (want.find_first_of(".e") == std::string::npos) want += ".0";
    RC_ASSERT(real(value) == want);
  }
}

RC_GTEST_PROP(Number, RealsReadBackTheSame, (std::uint64_t bits)) {
  const auto value = std::bit_cast<double>(bits);
  RC_PRE(std::isfinite(value));
  const std::string text = real(value);
  RC_ASSERT(std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr)) == bits);
  RC_ASSERT(text.find_first_of(".e") != std::string::npos);
  RC_ASSERT(text.size() <= kRealSize);
}

}  // namespace
}  // namespace tracedeck
