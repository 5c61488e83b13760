#include "tracedeck/base/time.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace tracedeck {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr Uint128 kAllBits = ~Uint128{0};

TEST(Nanoseconds, PrintsDecimalWithASign) {
  EXPECT_EQ(Nanoseconds().to_string(), "0");
  EXPECT_EQ(Nanoseconds(-1).to_string(), "-1");
  EXPECT_EQ(Nanoseconds(kLeast).to_string(), "-9223372036854775808");
  EXPECT_EQ(Nanoseconds(kMost).to_string(), "9223372036854775807");
  EXPECT_EQ(Nanoseconds::from_unsigned(kAllBits).to_string(),
            "340282366920938463463374607431768211455");
  EXPECT_EQ(Nanoseconds::from_unsigned(kAllBits, true).to_string(),
            "-340282366920938463463374607431768211455");
}

TEST(Nanoseconds, ZeroHasNoSign) {
  EXPECT_FALSE(Nanoseconds::from_unsigned(0, true).negative());
  EXPECT_EQ(Nanoseconds::from_unsigned(0, true), Nanoseconds(0));
  EXPECT_EQ(-Nanoseconds(0), Nanoseconds(0));
  EXPECT_EQ((Nanoseconds(-5) + Nanoseconds(5)).to_string(), "0");
}

TEST(Nanoseconds, SumsAndDifferencesCrossZero) {
  EXPECT_EQ(Nanoseconds(5) + Nanoseconds(-7), Nanoseconds(-2));
  EXPECT_EQ(Nanoseconds(-5) + Nanoseconds(7), Nanoseconds(2));
  EXPECT_EQ(Nanoseconds(5) - Nanoseconds(7), Nanoseconds(-2));
  EXPECT_EQ(Nanoseconds(-5) - Nanoseconds(-5), Nanoseconds(0));
}

TEST(Nanoseconds, SumsThatAreTooLargeSaturate) {
  const Nanoseconds most = Nanoseconds::from_unsigned(kAllBits);
  EXPECT_EQ(most + Nanoseconds(1), most);
  EXPECT_EQ(-most - Nanoseconds(1), -most);
  EXPECT_EQ(most + -most, Nanoseconds(0));
  EXPECT_EQ((most - Nanoseconds(1)) + Nanoseconds(1), most);
}

TEST(Nanoseconds, AreOrdered) {
  const Nanoseconds most = Nanoseconds::from_unsigned(kAllBits);
  EXPECT_LT(-most, Nanoseconds(kLeast));
  EXPECT_LT(Nanoseconds(-2), Nanoseconds(-1));
  EXPECT_LT(Nanoseconds(-1), Nanoseconds(0));
  EXPECT_LT(Nanoseconds(0), Nanoseconds(1));
  EXPECT_LT(Nanoseconds(kMost), most);
}

RC_GTEST_PROP(Nanoseconds, AgreeWithPlainIntegers, (std::int32_t a, std::int32_t b)) {
  const std::int64_t wide = a;
  RC_ASSERT(Nanoseconds(a) + Nanoseconds(b) == Nanoseconds(wide + b));
  RC_ASSERT(Nanoseconds(a) - Nanoseconds(b) == Nanoseconds(wide - b));
  RC_ASSERT((Nanoseconds(a) < Nanoseconds(b)) == (a < b));
  RC_ASSERT(Nanoseconds(a).to_string() == std::to_string(a));
}

}  // namespace
}  // namespace tracedeck
