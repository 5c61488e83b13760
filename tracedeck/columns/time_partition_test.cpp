#include "tracedeck/columns/time_partition.hpp"

#include <gtest/gtest.h>

namespace tracedeck::columns {
namespace {

constexpr std::int64_t kHour = 494'019;  // 2026-05-11T03:00:00Z

TEST(TimePartition, FoldersAreDatesAndHours) {
  EXPECT_EQ(partition_folder(kHour, TimePartition::kHour), "date=2026-05-11/hour=03/");
  EXPECT_EQ(partition_folder(kHour - 3, TimePartition::kDate), "date=2026-05-11/");
  EXPECT_EQ(partition_folder({}, TimePartition::kHour), "");
  EXPECT_EQ(partition_folder(-1, TimePartition::kHour), "date=1969-12-31/hour=23/");
}

TEST(TimePartition, HoursAreThoseOfClocksFromTheEpoch) {
  ClockClass clock;
  const EventClass event_class{.clock = &clock};
  Event event{.event_class = &event_class, .time = 3'599'999'999'999};
  EXPECT_EQ(partition_hour(event, TimePartition::kHour), std::nullopt);
  clock.origin = ClockOrigin::kUnixEpoch;
  EXPECT_EQ(partition_hour(event, TimePartition::kHour), 0);
  event.time += 1;
  EXPECT_EQ(partition_hour(event, TimePartition::kHour), 1);
  EXPECT_EQ(partition_hour(event, TimePartition::kDate), 0);
  clock.offset_seconds = -7200;
  EXPECT_EQ(partition_hour(event, TimePartition::kHour), -1);
  EXPECT_EQ(partition_hour(event, TimePartition::kDate), -24);
  clock.offset_seconds = 0;
  event.time = ~std::uint64_t{0};
  EXPECT_EQ(partition_hour(event, TimePartition::kHour), std::nullopt);
}

}  // namespace
}  // namespace tracedeck::columns
