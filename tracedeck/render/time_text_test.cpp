#include "tracedeck/render/time_text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <ctime>
#include <string>

namespace tracedeck::render {
namespace {

std::string date(Nanoseconds time) { return time_text(time, ClockOrigin::kUnixEpoch); }

std::string delta(std::int64_t nanoseconds) {
  TextBuffer out;
  const std::size_t size = append_delta(out, nanoseconds);
  EXPECT_EQ(size, out.size());
  return std::string(out.view());
}

Nanoseconds seconds(std::int64_t count, std::int64_t nanoseconds = 0) {
  const bool negative = count < 0;
  const auto magnitude = static_cast<std::uint64_t>(negative ? -count : count);
  return Nanoseconds::from_unsigned(Uint128{magnitude} * 1'000'000'000, negative) +
         Nanoseconds(nanoseconds);
}

TEST(TimeText, DatesOfTheUnixEpoch) {
  EXPECT_EQ(date(0), "1970-01-01T00:00:00.000000000Z");
  EXPECT_EQ(date(1605112699000000123), "2020-11-11T16:38:19.000000123Z");
  EXPECT_EQ(date(-1), "1969-12-31T23:59:59.999999999Z");
  EXPECT_EQ(date(seconds(951'782'400)), "2000-02-29T00:00:00.000000000Z");
  EXPECT_EQ(date(seconds(4'107'542'399)), "2100-02-28T23:59:59.000000000Z");
  EXPECT_EQ(date(seconds(4'107'542'400)), "2100-03-01T00:00:00.000000000Z");
}

TEST(TimeText, DatesEndWithTheYearsOfFourDigits) {
  EXPECT_EQ(date(seconds(253'402'300'799, 999'999'999)), "9999-12-31T23:59:59.999999999Z");
  EXPECT_EQ(date(seconds(253'402'300'800)), "253402300800.000000000");
  EXPECT_EQ(date(seconds(-62'167'219'200)), "0000-01-01T00:00:00.000000000Z");
  EXPECT_EQ(date(seconds(-62'167'219'200, -1)), "-62167219200.000000001");
  EXPECT_EQ(date(Nanoseconds::from_unsigned(~Uint128{0}, true)),
            "-340282366920938463463374607431.768211455");
}

TEST(TimeText, OtherOriginsCountSeconds) {
  EXPECT_EQ(time_text(0, ClockOrigin::kUnknown), "0.000000000");
  EXPECT_EQ(time_text(503226032430072, ClockOrigin::kUnknown), "503226.032430072");
  EXPECT_EQ(time_text(-1, ClockOrigin::kCustom), "-0.000000001");
}

TEST(TimeText, DeltasHaveASign) {
  EXPECT_EQ(delta(0), "+0.000000000");
  EXPECT_EQ(delta(1234), "+0.000001234");
  EXPECT_EQ(delta(-1'500'000'000), "-1.500000000");
}

RC_GTEST_PROP(TimeText, DatesAgreeWithTheLibrary, (std::int32_t whole, std::uint32_t fraction)) {
  const std::int64_t count = std::int64_t{whole} * 20;
  const std::time_t time = count;
  std::tm parts{};
  RC_ASSERT(gmtime_r(&time, &parts) != nullptr);
  const std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1,
                  parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
  const std::string shown = date(seconds(count, fraction % 1'000'000'000));
  RC_ASSERT(shown.substr(0, 19) == text);
}

TEST(DecimalTimes, AreTheTimes) {
  DecimalTimes times;
  for (const std::uint64_t time :
       {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{999'999'999},
        std::uint64_t{1'000'000'000}, std::uint64_t{1'000'000'001}, std::uint64_t{1'999'999'999},
        std::uint64_t{2'000'000'000}, std::uint64_t{1'000'000'000}, ~std::uint64_t{0} >> 1,
        std::uint64_t{5}}) {
    TextBuffer out(nullptr, 512);
    out.commit(times.write(out.reserve(DecimalTimes::kRoom), time));
    EXPECT_EQ(out.view(), std::to_string(time));
  }
}

RC_GTEST_PROP(NarrowClock, TimesAreThoseOfTheClock,
              (std::int64_t seconds, std::uint64_t ticks, std::int64_t shift, std::uint64_t value,
               bool gigahertz)) {
  ClockClass clock{
      .offset_seconds = seconds % 20'000'000'000, .offset_ticks = ticks, .shift = shift};
  if (!gigahertz) clock.tick = {.numerator = 1000, .denominator = 3};
  const Nanoseconds exact = clock.to_nanoseconds(value);
  const auto time = NarrowClock(clock).time_of(clock, value);
  const bool fits = !exact.negative() && exact.magnitude() >> 63 == 0;
  if (time) {
    RC_ASSERT(fits);
    RC_ASSERT(exact == Nanoseconds::from_unsigned(*time));
  } else {
    // What is computed in 64 bits may leave out times that only their sum brings back.
    RC_ASSERT(!fits || (gigahertz && value >> 63 != 0));
  }
}

}  // namespace
}  // namespace tracedeck::render
