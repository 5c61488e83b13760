#include "tracedeck/model/clock.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace tracedeck {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

std::string time_of(const ClockClass& clock, std::uint64_t value) {
  return clock.to_nanoseconds(value).to_string();
}

TEST(Tick, OfAFrequencyIsInLowestTerms) {
  EXPECT_EQ(Tick::from_frequency(1'000'000'000), (Tick{1, 1}));
  EXPECT_EQ(Tick::from_frequency(8'000), (Tick{125'000, 1}));
  EXPECT_EQ(Tick::from_frequency(333'333'333), (Tick{1'000'000'000, 333'333'333}));
  EXPECT_EQ(Tick::from_frequency(3'000'000'000), (Tick{1, 3}));
}

TEST(ClockClass, CountsNanosecondsUnlessAskedOtherwise) {
  ClockClass clock;
  EXPECT_TRUE(clock.counts_nanoseconds());
  EXPECT_EQ(time_of(clock, 0), "0");
  EXPECT_EQ(time_of(clock, kMost), "18446744073709551615");
  clock.shift = 1;
  EXPECT_FALSE(clock.counts_nanoseconds());
  EXPECT_EQ(time_of(clock, kMost), "18446744073709551616");
}

TEST(ClockClass, AFrequencyThatDividesNoSecond) {
  ClockClass clock;
  clock.tick = Tick::from_frequency(333'333'333);
  EXPECT_EQ(time_of(clock, 1), "3");
  EXPECT_EQ(time_of(clock, 333'333'332), "999999996");
  EXPECT_EQ(time_of(clock, 333'333'333), "1000000000");
  // A year of it is exact, where binary64 arithmetic is off by more than the clock's tick.
  EXPECT_EQ(time_of(clock, 333'333'333ULL * 31'536'000 + 1), "31536000000000003");
  EXPECT_EQ(time_of(clock, kMost), "55340232276468887121");
}

TEST(ClockClass, SeveralNanosecondsATick) {
  ClockClass clock;
  clock.tick = {3, 1};
  EXPECT_EQ(time_of(clock, 1), "3");
  EXPECT_EQ(time_of(clock, kMost), "55340232221128654845");
}

TEST(ClockClass, AFractionRoundsDownAlsoBeforeTheOrigin) {
  ClockClass clock;
  clock.tick = Tick::from_frequency(3'000'000'000);
  EXPECT_EQ(time_of(clock, 2), "0");
  EXPECT_EQ(time_of(clock, 3), "1");
  clock.shift = -1;
  EXPECT_EQ(time_of(clock, 2), "-1");
  EXPECT_EQ(time_of(clock, 3), "0");
}

TEST(ClockClass, OffsetsAreSecondsAndTicks) {
  ClockClass clock;
  clock.tick = Tick::from_frequency(1'000);
  clock.offset_seconds = 1'605'112'699;
  clock.offset_ticks = 5;
  EXPECT_EQ(time_of(clock, 7), "1605112699012000000");
  clock.offset_seconds = -2;
  EXPECT_EQ(time_of(clock, 7), "-1988000000");
  clock.offset_seconds = std::numeric_limits<std::int64_t>::min();
  clock.offset_ticks = 0;
  EXPECT_EQ(time_of(clock, 0), "-9223372036854775808000000000");
  clock.offset_seconds = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(time_of(clock, 0), "9223372036854775807000000000");
}

TEST(ClockClass, FractionsOfValueAndOffsetAddUpToATick) {
  ClockClass clock;
  clock.tick = {1, 2};
  clock.offset_ticks = 1;
  EXPECT_EQ(time_of(clock, 1), "1");
  clock.tick = {kMost - 1, kMost};
  clock.offset_ticks = kMost;
  EXPECT_EQ(time_of(clock, kMost), "36893488147419103228");
}

TEST(ClockClass, TheLargestProductIsExactAndTwoOfThemSaturate) {
  ClockClass clock;
  clock.tick = {kMost, 1};
  EXPECT_EQ(time_of(clock, kMost), "340282366920938463426481119284349108225");
  clock.offset_ticks = 2;
  EXPECT_EQ(time_of(clock, kMost), "340282366920938463463374607431768211455");
  clock.offset_ticks = kMost;
  EXPECT_EQ(time_of(clock, kMost), "340282366920938463463374607431768211455");
}

TEST(ClockClass, AnIntervalIsSignedAndRoundsDownOnce) {
  ClockClass clock;
  clock.tick = Tick::from_frequency(3'000'000'000);
  clock.offset_seconds = 77;
  EXPECT_EQ(clock.interval(2, 3), Nanoseconds(0)) << "a third, though the two times are 0 and 1";
  EXPECT_EQ(clock.interval(3, 2), Nanoseconds(-1));
  EXPECT_EQ(clock.interval(1, 7), Nanoseconds(2));
  EXPECT_EQ(clock.interval(7, 1), Nanoseconds(-2));
  clock.tick = {kMost, 1};
  EXPECT_EQ(clock.interval(kMost, 0).to_string(), "-340282366920938463426481119284349108225");
}

// The definition: the largest n with n * denominator <= (value + offset) * numerator.
RC_GTEST_PROP(ClockClass, TimesAreTheExactFloor, (std::uint32_t value, std::uint32_t offset)) {
  ClockClass clock;
  clock.tick = {*rc::gen::inRange<std::uint64_t>(0, 1ULL << 32),
                *rc::gen::inRange<std::uint64_t>(1, 1ULL << 32)};
  clock.offset_ticks = offset;
  const Uint128 ticks = (Uint128{value} + offset) * clock.tick.numerator;
  const Uint128 time = clock.to_nanoseconds(value).magnitude();
  RC_ASSERT(time * clock.tick.denominator <= ticks);
  RC_ASSERT((time + 1) * clock.tick.denominator > ticks);
}

TEST(RelatedClocks, CountFromTheEpochOrAreTheSameClock) {
  const ClockClass unknown{.id = "c"};
  const ClockClass epoch{.id = "c", .origin = ClockOrigin::kUnixEpoch};
  const ClockClass other_epoch{.id = "d", .tick = {7, 3}, .origin = ClockOrigin::kUnixEpoch};
  EXPECT_TRUE(related(epoch, other_epoch));
  EXPECT_FALSE(related(unknown, epoch));
  EXPECT_FALSE(related(unknown, unknown)) << "nothing says that two traces have one clock";

  ClockClass of_trace = unknown;
  of_trace.entity = {5, 0};
  EXPECT_TRUE(related(of_trace, of_trace));
  ClockClass of_other_trace = unknown;
  of_other_trace.entity = {6, 0};
  EXPECT_FALSE(related(of_trace, of_other_trace));

  const ClockClass named{.id = "c", .identity = {.uid = "5a"}};
  const ClockClass named_alike{
      .id = "d", .origin = ClockOrigin::kUnixEpoch, .identity = {.uid = "5a"}};
  const ClockClass named_otherwise{.id = "c", .identity = {.uid = "5b"}};
  EXPECT_TRUE(related(named, named_alike));
  EXPECT_FALSE(related(named, named_otherwise));
}

TEST(RelatedClocks, CountFromAnOriginThatBothName) {
  const ClockClass boot{.origin = ClockOrigin::kCustom, .origin_identity = {.name = "boot"}};
  const ClockClass same{
      .tick = {2, 1}, .origin = ClockOrigin::kCustom, .origin_identity = {.name = "boot"}};
  const ClockClass other{.origin = ClockOrigin::kCustom, .origin_identity = {.name = "start"}};
  const ClockClass unnamed{.origin = ClockOrigin::kCustom};
  EXPECT_TRUE(related(boot, same));
  EXPECT_FALSE(related(boot, other));
  EXPECT_FALSE(related(unnamed, unnamed));
}

TEST(ClockClass, KnowsItsValuesBetweenTimes) {
  const ClockClass clock{.tick = {10, 3}, .offset_seconds = 1, .shift = -5};
  const auto values = [&](std::int64_t begin, std::int64_t end) {
    const auto found = clock.values_between(Nanoseconds(begin), Nanoseconds(end));
    return found ? std::vector{found->first, found->first + found->extent}
                 : std::vector<std::uint64_t>();
  };
  const auto time_of = [&](std::uint64_t value) {
    return static_cast<std::int64_t>(clock.to_nanoseconds(value).magnitude());
  };
  EXPECT_EQ(values(time_of(7), time_of(9)), (std::vector<std::uint64_t>{7, 9}));
  EXPECT_EQ(values(time_of(7) + 1, time_of(9) - 1), (std::vector<std::uint64_t>{8, 8}));
  EXPECT_EQ(values(time_of(7) + 1, time_of(8) - 1), std::vector<std::uint64_t>());
  EXPECT_EQ(values(-10, time_of(0)), (std::vector<std::uint64_t>{0, 0}));
  EXPECT_EQ(values(-10, time_of(0) - 1), std::vector<std::uint64_t>());
  const auto most = Nanoseconds::from_unsigned(~Uint128{0});
  const auto all = clock.values_between(-most, most);
  ASSERT_TRUE(all);
  EXPECT_TRUE(all->contain(0) && all->contain(~std::uint64_t{0}));
}

}  // namespace
}  // namespace tracedeck
