#include "tracedeck/flow/slack_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tracedeck/format/made_up_trace_test.hpp"

namespace tracedeck::flow {
namespace {

using What = PlannedRecord::What;

// What `SlackOrder` makes of a plan, in batches of `size` records.
struct Ordered {
  std::vector<std::uint64_t> times;
  std::vector<std::uint64_t> serials;
  std::uint64_t late = 0;
  std::uint64_t hurried = 0;
};
Ordered ordered(
    const std::vector<PlannedRecord>& plan, std::uint64_t slack, std::size_t size = 3,
    const SlackOrder::Ready& ready = [](auto) { return true; }) {
  const MadeUpTrace trace;
  FakeSource source(trace.batches(plan, size));
  SlackOrder order(source, ready, Nanoseconds::from_unsigned(slack));
  Ordered result;
  const auto seen = see_all(order);
  EXPECT_TRUE(seen);
  for (const SeenRecord& record : *seen) {
    result.times.push_back(record.time);
    result.serials.push_back(record.serial);
  }
  result.late = order.late();
  result.hurried = order.hurried();
  return result;
}

std::vector<PlannedRecord> events_at(const std::vector<std::uint64_t>& times) {
  std::vector<PlannedRecord> plan;
  for (const std::uint64_t time : times) plan.push_back({.time = time});
  return plan;
}

TEST(SlackOrder, PutsInOrderWhatIsNotTooLate) {
  const auto result = ordered(events_at({10, 30, 20, 40, 15, 60, 61, 62}), 30);
  EXPECT_EQ(result.times, (std::vector<std::uint64_t>{10, 15, 20, 30, 40, 60, 61, 62}));
  EXPECT_EQ(result.late, 0U);
}

TEST(SlackOrder, WhatIsTooLateIsCountedAndGoesOn) {
  const auto result = ordered(events_at({10, 20, 100, 5, 101, 102, 103}), 10, 1);
  EXPECT_EQ(result.times, (std::vector<std::uint64_t>{10, 20, 5, 100, 101, 102, 103}));
  EXPECT_EQ(result.late, 1U);
}

TEST(SlackOrder, AllOfARandomTraceComes) {
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> times;
  for (std::uint64_t i = 0; i < 20'000; ++i) times.push_back(100 + i - random() % 51);
  const auto plan = events_at(times);
  for (const std::uint64_t slack : {0U, 10U, 50U, 100U}) {
    const auto result = ordered(plan, slack, 7);
    EXPECT_EQ(result.times.size(), plan.size());
    if (slack >= 50) {
      EXPECT_TRUE(std::ranges::is_sorted(result.times));
    }
    EXPECT_EQ(result.late == 0, slack >= 50) << slack;
    std::vector<std::uint64_t> serials = result.serials;
    std::ranges::sort(serials);
    EXPECT_EQ(std::ranges::adjacent_find(serials), serials.end());
  }
}

TEST(SlackOrder, WhatHasNoTimeStaysBehindWhatItCameBehind) {
  auto plan = events_at({10, 30, 20});
  plan.insert(plan.begin() + 2, {.what = What::kLoss, .time = 0});
  plan.insert(plan.begin() + 1, {.what = What::kTimeless});
  const auto result = ordered(plan, 100, 10);
  EXPECT_EQ(result.serials, (std::vector<std::uint64_t>{0, 1, 4, 2, 3}));
}

TEST(SlackOrder, APauseLetsAllGo) {
  const MadeUpTrace trace;
  const auto batches = trace.batches(events_at({10, 30, 20, 40}), 3);
  FakeSource source(batches);
  bool pauses = false;
  SlackOrder order(source, [&](auto) { return !pauses; }, Nanoseconds::from_unsigned(1'000'000));
  pauses = true;
  const auto first = order.next();
  ASSERT_TRUE(first && *first);
  EXPECT_EQ((*first)->size(), 3U);
  pauses = false;
  const auto second = order.next();
  ASSERT_TRUE(second && *second);
  EXPECT_EQ((*second)->size(), 1U);
  const auto end = order.next();
  EXPECT_TRUE(end && *end == nullptr);
}

TEST(SlackOrder, HoldsOnlySoMany) {
  std::vector<std::uint64_t> times(100'000);
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = i;
  const auto result = ordered(events_at(times), 1'000'000, 1000);
  EXPECT_EQ(result.times, times);
  EXPECT_GT(result.hurried, 30'000U);
  EXPECT_EQ(result.late, 0U);
}

}  // namespace
}  // namespace tracedeck::flow
