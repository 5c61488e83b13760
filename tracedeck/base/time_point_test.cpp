#include "tracedeck/base/time_point.hpp"

#include <gtest/gtest.h>

#include <array>

namespace tracedeck {
namespace {

std::string ns(std::string_view text) {
  constexpr std::array kFrom = {"", " in UTC", " of day", " after the begin", " after the end"};
  const auto time = parse_time_point(text);
  return time ? time->value.to_string() + kFrom[static_cast<std::size_t>(time->from)] : "error";
}

TEST(TimePoint, Nanoseconds) {
  EXPECT_EQ(ns("0"), "0");
  EXPECT_EQ(ns("-5"), "-5");
  EXPECT_EQ(ns("-18446744073709551615"), "-18446744073709551615");
  EXPECT_EQ(ns("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(ns("18446744073709551616"), "error");
}

TEST(TimePoint, Seconds) {
  EXPECT_EQ(ns("503226.5"), "503226500000000");
  EXPECT_EQ(ns("503226.032430072"), "503226032430072");
  EXPECT_EQ(ns("-0.000000001"), "-1");
  EXPECT_EQ(ns("1.5000000000"), "1500000000");
  EXPECT_EQ(ns("18446744073709551615.0"), "18446744073709551615000000000");
  for (const char* wrong : {".5", "1.", "1.0000000001", "1.5.5", "1,5", "- 1.5"}) {
    EXPECT_EQ(ns(wrong), "error") << wrong;
  }
}

TEST(TimePoint, Units) {
  EXPECT_EQ(ns("7ns"), "7");
  EXPECT_EQ(ns("7us"), "7000");
  EXPECT_EQ(ns("10ms"), "10000000");
  EXPECT_EQ(ns("12.5s"), "12500000000");
  EXPECT_EQ(ns("-1.5ms"), "-1500000");
  EXPECT_EQ(ns("0.5min"), "30000000000");
  EXPECT_EQ(ns("0.5m"), "30000000000");
  EXPECT_EQ(ns("2h"), "7200000000000");
  for (const char* wrong : {"0.5ns", "1.0005us", "s", "1M", "1S", "1 s", "1s5", "1sms"}) {
    EXPECT_EQ(ns(wrong), "error") << wrong;
  }
}

TEST(TimePoint, FromTheTracesBeginAndEnd) {
  EXPECT_EQ(ns("+5s"), "5000000000 after the begin");
  EXPECT_EQ(ns("+5"), "5 after the begin");
  EXPECT_EQ(ns("+0.5"), "500000000 after the begin");
  EXPECT_EQ(ns("end-2s"), "-2000000000 after the end");
  EXPECT_EQ(ns("end-0"), "0 after the end");
  for (const char* wrong :
       {"+", "+-5", "++5", "end", "end-", "end+2s", "end--2s", "end 2s", "+00:00:01"}) {
    EXPECT_EQ(ns(wrong), "error") << wrong;
  }
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
  EXPECT_EQ(ns("1970-01-01T00:00:00Z"), "0 in UTC");
  EXPECT_EQ(ns("1970-01-01T00:00:00.000000001Z"), "1 in UTC");
  EXPECT_EQ(ns("1970-01-01t01:00:00+01:00"), "0 in UTC");
  EXPECT_EQ(ns("1969-12-31 23:59:59.75-00:00"), "-250000000 in UTC");
  EXPECT_EQ(ns("2023-11-14T22:13:20Z"), "1700000000000000000 in UTC");
  EXPECT_EQ(ns("2023-11-14 22:13:20"), "1700000000000000000 in UTC");
  EXPECT_EQ(ns("2023-11-14T22:13:20.5"), "1700000000500000000 in UTC");
  EXPECT_EQ(ns("2016-12-31T23:59:60Z"), "1483228800000000000 in UTC");
  for (const char* wrong :
       {"2023-11-14", "2023-11-14 22:13", "2023-02-29T00:00:00Z", "2023-13-01T00:00:00Z",
        "2023-11-14T24:00:00Z", "2023-11-14T22:13:20+24:00", "2023-11-14T22:13:20Zx",
        "2023-11-14 22:13:20 "}) {
    EXPECT_EQ(ns(wrong), "error") << wrong;
  }
}

TEST(TimePoint, NoTimeAtAll) {
  for (const char* wrong : {"", "-", "abc", "now", "1e9", "12:00", "0x10", "5 ", " 5"}) {
    EXPECT_EQ(ns(wrong), "error") << wrong;
  }
}

}  // namespace
}  // namespace tracedeck
