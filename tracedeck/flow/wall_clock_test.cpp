#include "tracedeck/flow/wall_clock.hpp"

#include <gtest/gtest.h>

#include <random>

namespace tracedeck::flow {
namespace {

constexpr std::int64_t kMs = 1'000'000;

WallClock wall(std::initializer_list<std::pair<std::int64_t, std::int64_t>> anchors) {
  WallClock made;
  for (const auto& [time, offset] : anchors) made.add(time, time + offset);
  made.finish();
  return made;
}

TEST(WallClock, DriftsEvenlyBetweenAnchors) {
  const WallClock clock = wall({{1000, 10}, {3000, 30}, {2000, 10}});
  EXPECT_EQ(clock.utc(0), Nanoseconds(10)) << "before all, the nearest anchor";
  EXPECT_EQ(clock.utc(1500), Nanoseconds(1510));
  EXPECT_EQ(clock.utc(2500), Nanoseconds(2520));
  EXPECT_EQ(clock.utc(3000), Nanoseconds(3030));
  EXPECT_EQ(clock.utc(9000), Nanoseconds(9030));
  EXPECT_TRUE(clock.steps().empty());
  EXPECT_EQ(clock.least_offset(), Nanoseconds(10));
  EXPECT_EQ(clock.greatest_offset(), Nanoseconds(30));
}

TEST(WallClock, StepsAtTheLaterAnchor) {
  const WallClock clock = wall({{0, 0}, {100 * kMs, kMs}, {200 * kMs, 3 * kMs}});
  EXPECT_EQ(clock.utc(50 * kMs), Nanoseconds(50 * kMs + kMs / 2)) << "1 ms is a drift";
  EXPECT_EQ(clock.utc(200 * kMs - 1), Nanoseconds(201 * kMs - 1));
  EXPECT_EQ(clock.utc(200 * kMs), Nanoseconds(203 * kMs));
  const auto steps = clock.steps();
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].after, Nanoseconds(100 * kMs));
  EXPECT_EQ(steps[0].at, Nanoseconds(200 * kMs));
  EXPECT_EQ(steps[0].by, Nanoseconds(2 * kMs));
}

TEST(WallClock, ATimeThatIsShownTwiceIsABoundOfBoth) {
  const WallClock clock = wall({{0, 0}, {100 * kMs, -50 * kMs}});
  EXPECT_EQ(clock.first_at(70 * kMs), Nanoseconds(70 * kMs));
  EXPECT_EQ(clock.last_at(70 * kMs), Nanoseconds(120 * kMs));
  const WallClock ahead = wall({{0, 0}, {100 * kMs, 50 * kMs}});
  EXPECT_EQ(ahead.first_at(120 * kMs), Nanoseconds(100 * kMs)) << "a time that is shown never";
  EXPECT_EQ(ahead.last_at(120 * kMs), Nanoseconds(100 * kMs - 1));
}

// What the bounds mean, told by trying all times.
TEST(WallClock, BoundsAreTheFirstAndTheLastTime) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    WallClock clock;
    for (int i = 0; i < 4; ++i) {
      const auto time = static_cast<std::int64_t>(random() % 40);
      clock.add(time, time + static_cast<std::int64_t>(random() % 12));
    }
    clock.finish();
    for (std::int64_t utc = -5; utc < 60; ++utc) {
      std::int64_t first = 200;
      std::int64_t last = -200;
      for (std::int64_t time = -200; time <= 200; ++time) {
        if (clock.utc(time) >= Nanoseconds(utc)) first = std::min(first, time);
        if (clock.utc(time) <= Nanoseconds(utc)) last = std::max(last, time);
      }
      EXPECT_EQ(clock.first_at(utc), Nanoseconds(first));
      EXPECT_EQ(clock.last_at(utc), Nanoseconds(last));
    }
  }
}

// The first times within bounds, told by trying all ms.
TEST(WallClock, TheFirstPartEndsWhereUtcLeavesTheBounds) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    WallClock clock;
    for (std::int64_t i = 0; i < 4; ++i)
      clock.add(i * 10 * kMs, (i * 10 + static_cast<std::int64_t>(random() % 9) * 4 - 16) * kMs);
    clock.finish();
    const auto least = static_cast<std::int64_t>(random() % 60) - 20;
    const std::int64_t most = least + static_cast<std::int64_t>(random() % 20);
    const auto is_in = [&](std::int64_t time) {
      const Nanoseconds utc = clock.utc(time * kMs);
      return Nanoseconds(least * kMs) <= utc && utc <= Nanoseconds(most * kMs + kMs - 1);
    };
    const auto first_from = [&](std::int64_t time) {
      while (time < 100 && !is_in(time)) ++time;
      return time;
    };
    const auto last_from = [&](std::int64_t time) {
      while (is_in(time + 1)) ++time;
      return time;
    };
    std::int64_t first = first_from(-100);
    std::int64_t last = last_from(first);
    std::int64_t again = first_from(last + 1);
    const bool came_before = last < 0 && again < 100;
    if (last < 0 && again < 100) {
      first = again;
      last = last_from(first);
      again = first_from(last + 1);
    }
    const auto part =
        clock.first_within(Nanoseconds(least * kMs), Nanoseconds(most * kMs + kMs - 1));
    ASSERT_EQ(part.has_value(), first < 100);
    if (!part) continue;
    EXPECT_EQ(*part->begin, Nanoseconds(first * kMs));
    EXPECT_EQ(*part->end, Nanoseconds(last * kMs + kMs - 1));
    EXPECT_EQ(part->came_before, came_before);
    EXPECT_EQ(part->comes_again, again < 100);
  }
}

TEST(WallClock, ABoundThatIsAbsentDoesNotLimit) {
  const WallClock clock = wall({{0, 0}, {100 * kMs, -50 * kMs}});
  const auto from = clock.first_within(Nanoseconds(70 * kMs), std::nullopt);
  EXPECT_EQ(from->begin, Nanoseconds(70 * kMs));
  EXPECT_EQ(from->end, Nanoseconds(100 * kMs - 1));
  EXPECT_TRUE(from->comes_again);
  const auto until = clock.first_within(std::nullopt, Nanoseconds(70 * kMs));
  EXPECT_FALSE(until->begin);
  EXPECT_EQ(until->end, Nanoseconds(70 * kMs));
  EXPECT_TRUE(until->comes_again);
  const auto all = clock.first_within(std::nullopt, std::nullopt);
  EXPECT_FALSE(all->begin || all->end || all->comes_again);
}

TEST(WallClock, KeepsAFewOfVeryManyAnchors) {
  WallClock clock;
  for (std::int64_t i = 0; i < 1'000'000; ++i) clock.add(i * 1000, i * 1000 + i % 7);
  clock.finish();
  for (const std::int64_t time : {0, 500'000'123, 999'999'000})
    EXPECT_LE((clock.utc(time) - time).magnitude(), 7U);
  EXPECT_EQ(clock.utc(0), Nanoseconds(0));
}

}  // namespace
}  // namespace tracedeck::flow
