#include "tracedeck/chrono.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace tracedeck {
namespace {

using std::chrono::nanoseconds;

TEST(Chrono, DurationsOfEverySize) {
  EXPECT_EQ(to_chrono(1500), nanoseconds(1500));
  EXPECT_EQ(to_chrono(-1), nanoseconds(-1));
  EXPECT_EQ(to_chrono(Nanoseconds(INT64_MAX)), nanoseconds::max());
  EXPECT_EQ(to_chrono(Nanoseconds(INT64_MIN)), nanoseconds::min());
  EXPECT_EQ(to_chrono(Nanoseconds(INT64_MAX) + 1), std::nullopt);
  EXPECT_EQ(to_chrono(Nanoseconds(INT64_MIN) - 1), std::nullopt);
  EXPECT_EQ(to_chrono(Nanoseconds::from_unsigned(~Uint128{0})), std::nullopt);
}

TEST(Chrono, TimesOfTheDay) {
  using namespace std::chrono_literals;
  const auto time = to_sys_time(Nanoseconds(1'700'000'000'000'000'001));
  ASSERT_TRUE(time);
  EXPECT_EQ(std::chrono::floor<std::chrono::days>(*time),
            std::chrono::sys_days(2023y / std::chrono::November / 14));
  EXPECT_EQ(from_chrono(*time), Nanoseconds(1'700'000'000'000'000'001));
  EXPECT_EQ(from_chrono(5ms), Nanoseconds(5'000'000));
  EXPECT_EQ(to_sys_time(Nanoseconds(INT64_MAX) + 1), std::nullopt);
}

TEST(Chrono, IsPrinted) {
  std::ostringstream out;
  out << Nanoseconds(-42) << ' ' << Nanoseconds::from_unsigned(~Uint128{0});
  EXPECT_EQ(out.str(), "-42 340282366920938463463374607431768211455");
}

}  // namespace
}  // namespace tracedeck
