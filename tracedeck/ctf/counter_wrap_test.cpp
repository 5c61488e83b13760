#include "tracedeck/ctf/counter_wrap.hpp"

#include <gtest/gtest.h>

namespace tracedeck::ctf {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

TEST(CounterWrap, IsOfTheFastestCounterThatReachesTheTimeBefore) {
  const auto wrap = wrapped_counter(42'949'000'000, 200'000);
  ASSERT_TRUE(wrap);
  EXPECT_EQ(wrap->megahertz, 100U);
  EXPECT_EQ(wrap->period, 42'949'672'960U);
  // Some hundred ms without an event before it wraps.
  EXPECT_EQ(wrapped_counter(42'413'000'000, 2'000'000)->megahertz, 100U);
  EXPECT_EQ(wrapped_counter(67 * kSecond, 0)->megahertz, 64U);
  EXPECT_EQ(wrapped_counter(4'294'900'000, 10)->period, 4'294'967'296U);
}

TEST(CounterWrap, ExplainsNoFallThatEndsFarFromZero) {
  EXPECT_FALSE(wrapped_counter(42'949'000'000, 30 * kSecond));
  EXPECT_FALSE(wrapped_counter(3 * kSecond, 2 * kSecond));
  EXPECT_FALSE(wrapped_counter(5, 5));
}

TEST(CounterWrap, ExplainsNoFallFromATimeBeyondEachCounter) {
  EXPECT_FALSE(wrapped_counter(10'000 * kSecond, 0));
}

}  // namespace
}  // namespace tracedeck::ctf
