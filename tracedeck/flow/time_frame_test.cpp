#include "tracedeck/flow/time_frame.hpp"

#include <gtest/gtest.h>

namespace tracedeck::flow {
namespace {

constexpr std::int64_t kDay = 86'400'000'000'000;

TimeFrame frame(Nanoseconds first, Nanoseconds last = {},
                ClockOrigin origin = ClockOrigin::kUnixEpoch) {
  return {.origin = origin, .range = TimeRange{first, last}};
}

TEST(TimeFrame, ATimeOfDayIsOfTheDayOfTheFirstEvent) {
  const TimePoint noon = *parse_time_point("12:00:00");
  EXPECT_EQ(resolve(noon, frame(5 * kDay + 7)), Nanoseconds(5 * kDay + kDay / 2));
  EXPECT_EQ(resolve(noon, frame(5 * kDay)), Nanoseconds(5 * kDay + kDay / 2));
  EXPECT_EQ(resolve(noon, frame(-1)), Nanoseconds(-kDay / 2));
  EXPECT_EQ(resolve(noon, frame(-kDay)), Nanoseconds(-kDay / 2));
  EXPECT_EQ(resolve(noon, frame(5 * kDay + 7, 0, ClockOrigin::kUnknown)), Nanoseconds(kDay / 2));
}

TEST(TimeFrame, APlainTimeIsOneOfTheClock) {
  EXPECT_EQ(resolve(*parse_time_point("12"), frame(5 * kDay)), Nanoseconds(12));
  EXPECT_EQ(resolve(*parse_time_point("1970-01-02 00:00:00"), frame(5 * kDay)), Nanoseconds(kDay));
}

TEST(TimeFrame, AfterTheBeginAndBeforeTheEnd) {
  EXPECT_EQ(resolve(*parse_time_point("+5"), frame(100, 200)), Nanoseconds(105));
  EXPECT_EQ(resolve(*parse_time_point("end-5"), frame(100, 200)), Nanoseconds(195));
  EXPECT_EQ(resolve(*parse_time_point("end-5"), TimeFrame{}), Nanoseconds(-5));
}

}  // namespace
}  // namespace tracedeck::flow
