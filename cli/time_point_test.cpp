#include "cli/time_point.hpp"

#include <gtest/gtest.h>

namespace tracedeck::cli {
namespace {

std::string ns(std::string_view text) {
  const auto time = parse_time_point(text);
  return time ? time->value.to_string() + (time->time_of_day ? " of day" : "") : "error";
}

TEST(TimePoint, Nanoseconds) {
  EXPECT_EQ(ns("0"), "0");
  EXPECT_EQ(ns("-5"), "-5");
  EXPECT_EQ(ns("+5"), "5");
  EXPECT_EQ(ns("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(ns("18446744073709551616"), "error");
}

TEST(TimePoint, TimeOfDay) {
  EXPECT_EQ(ns("00:00:01"), "1000000000 of day");
  EXPECT_EQ(ns("01:02:03.5"), "3723500000000 of day");
  EXPECT_EQ(ns("01:02:03.000000001"), "3723000000001 of day");
  EXPECT_EQ(ns("139:46:48.000000000"), "503208000000000 of day");
  for (const char* wrong : {"01:02", "1:2:3", "00:60:00", "00:00:60", "00:00:00.", "00:00:00x",
                            "00:00:00.0123456789", "-01:00:00", ":00:00", "00:00:00 "}) {
    EXPECT_EQ(ns(wrong), "error") << wrong;
  }
}

TEST(TimePoint, Rfc3339) {
  EXPECT_EQ(ns("1970-01-01T00:00:00Z"), "0");
  EXPECT_EQ(ns("1970-01-01T00:00:00.000000001Z"), "1");
  EXPECT_EQ(ns("1970-01-01t01:00:00+01:00"), "0");
  EXPECT_EQ(ns("1969-12-31 23:59:59.75-00:00"), "-250000000");
  EXPECT_EQ(ns("2023-11-14T22:13:20Z"), "1700000000000000000");
  EXPECT_EQ(ns("2016-12-31T23:59:60Z"), "1483228800000000000");
  for (const char* wrong :
       {"2023-11-14", "2023-11-14T22:13:20", "2023-02-29T00:00:00Z", "2023-13-01T00:00:00Z",
        "2023-11-14T24:00:00Z", "2023-11-14T22:13:20+24:00", "2023-11-14T22:13:20Zx"}) {
    EXPECT_EQ(ns(wrong), "error") << wrong;
  }
}

TEST(TimePoint, NoTimeAtAll) {
  for (const char* wrong : {"", "-", "abc", "1.5", "1e9", "0x10", "5 ", " 5"}) {
    EXPECT_EQ(ns(wrong), "error") << wrong;
  }
}

TEST(TimePoint, ATimeOfDayIsOfTheDayOfTheFirstEvent) {
  constexpr std::int64_t kDay = 86'400'000'000'000;
  const TimePoint noon = *parse_time_point("12:00:00");
  EXPECT_EQ(noon.resolve(ClockOrigin::kUnixEpoch, 5 * kDay + 7), Nanoseconds(5 * kDay + kDay / 2));
  EXPECT_EQ(noon.resolve(ClockOrigin::kUnixEpoch, 5 * kDay), Nanoseconds(5 * kDay + kDay / 2));
  EXPECT_EQ(noon.resolve(ClockOrigin::kUnixEpoch, -1), Nanoseconds(-kDay / 2));
  EXPECT_EQ(noon.resolve(ClockOrigin::kUnixEpoch, -kDay), Nanoseconds(-kDay / 2));
  EXPECT_EQ(noon.resolve(ClockOrigin::kUnknown, 5 * kDay + 7), Nanoseconds(kDay / 2));
  const TimePoint plain = *parse_time_point("12");
  EXPECT_EQ(plain.resolve(ClockOrigin::kUnixEpoch, 5 * kDay), Nanoseconds(12));
}

}  // namespace
}  // namespace tracedeck::cli
