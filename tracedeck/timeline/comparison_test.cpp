#include "tracedeck/timeline/comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tracedeck/timeline/comparison_report.hpp"
#include "tracedeck/timeline/requirement.hpp"

namespace tracedeck::timeline {
namespace {

TEST(TimeBlocks, AreTheSameInWhateverOrderTimesCome) {
  std::mt19937_64 random(3);
  std::vector<std::int64_t> times;
  for (int i = 0; i < 500; ++i)
    times.push_back(static_cast<std::int64_t>(random() % 2'000'000) - 1'000'000);
  TimeBlocks blocks;
  for (const std::int64_t time : times) blocks.cover(time);
  for (int i = 0; i < 20; ++i) {
    std::ranges::shuffle(times, random);
    TimeBlocks again;
    for (const std::int64_t time : times) again.cover(time);
    EXPECT_EQ(again.shift(), blocks.shift());
    EXPECT_EQ(again.first(), blocks.first());
    EXPECT_EQ(again.last(), blocks.last());
  }
  EXPECT_LT(blocks.last() - blocks.first(), TimeBlocks::kMost);
  EXPECT_GT(blocks.last() - blocks.first(), TimeBlocks::kMost / 2 - 1);
}

TEST(TimeBlocks, ReachFromOneEndOfTimeToTheOther) {
  TimeBlocks blocks;
  EXPECT_FALSE(blocks.cover(5));
  EXPECT_TRUE(blocks.cover(std::numeric_limits<std::int64_t>::min()));
  blocks.cover(std::numeric_limits<std::int64_t>::max());
  EXPECT_LT(blocks.last() - blocks.first(), TimeBlocks::kMost);
  double seconds = 0;
  for (std::int64_t i = blocks.first(); i <= blocks.last(); ++i)
    seconds += blocks.seconds(i, -2'000'000'000, 3'000'000'000);
  EXPECT_DOUBLE_EQ(seconds, 5);
  // Exact far from the origin of the clock.
  constexpr std::int64_t kLate = 1'700'000'000'000'000'000;
  TimeBlocks late;
  late.cover(kLate);
  late.cover(kLate + 999);
  seconds = 0;
  for (std::int64_t i = late.first(); i <= late.last(); ++i)
    seconds += late.seconds(i, kLate + 1, kLate + 998);
  EXPECT_NEAR(seconds, 997e-9, 1e-15);
  blocks.limit(2);
  EXPECT_EQ(blocks.first(), -1);
  EXPECT_EQ(blocks.last(), 0);
}

TEST(TimeBlocks, HoldWhatTheyHeldWhenTheyBecomeLonger) {
  TimeBlocks blocks;
  PerBlock<int> counts;
  for (std::int64_t time : {7, 1000, 3, 1'000'000, 500, 999'999, -40}) {
    const unsigned shift = blocks.shift();
    if (blocks.cover(time))
      counts.lengthen(blocks, shift, [](int& into, int from) { into += from; });
    ++counts.at(blocks.number_of(time));
  }
  ASSERT_EQ(counts.entries().size(), 3U);
  EXPECT_EQ(counts.entries()[0].number, -1);
  EXPECT_EQ(counts.entries()[0].value, 1);
  EXPECT_EQ(counts.entries()[1].value, 4);
  EXPECT_EQ(counts.entries()[2].value, 2);
}

// Slices of three names on one track, one after the other.
class ComparisonTest : public testing::Test {
 protected:
  struct Made {
    explicit Made(const LatencyOptions& options = {}) {
      auto made = ComparedTrace::make(options);
      EXPECT_TRUE(made);
      compared = *std::move(made);
      timeline.add_track({.kind = TrackKind::kThread, .name = "worker"});
    }
    void add(std::string_view name, std::int64_t begin, std::int64_t duration,
             std::uint16_t flags = 0) {
      Mark mark;
      mark.kind = MarkKind::kSliceEnd;
      mark.flags = flags;
      mark.track = 1;
      mark.name = timeline.add_name("", name);
      mark.time = begin + duration;
      mark.begin = begin;
      timeline.note_time(begin);
      timeline.note_time(mark.time);
      EXPECT_TRUE(compared->take(timeline, {&mark, 1}));
    }
    void finish() { EXPECT_TRUE(compared->finish(timeline)); }

    Timeline timeline;
    std::unique_ptr<ComparedTrace> compared;
  };

  void fill(Made& made, std::int64_t duration_of_b) {
    std::exponential_distribution<double> spread;
    for (std::int64_t i = 0; i < 3000; ++i) {
      const auto typical = static_cast<double>(i % 3 == 1 ? duration_of_b : 1000);
      made.add(std::string(1, static_cast<char>('a' + i % 3)), i * 100'000,
               static_cast<std::int64_t>(typical * spread(random_)));
    }
    made.finish();
  }
  static const ComparedRow& row(const Comparison& comparison, std::string_view name) {
    return *std::ranges::find_if(
        comparison.rows(), [&](const ComparedRow& each) { return each.either().label() == name; });
  }
  static Requirement::Verdict check(const Comparison& comparison, std::string_view text) {
    const auto requirement = Requirement::parse(text, Requirement::Of::kTwoTraces);
    EXPECT_TRUE(requirement) << text;
    return requirement ? requirement->check(comparison) : Requirement::Verdict();
  }

  std::mt19937_64 random_{4};
  Made a_;
  Made b_;
};

TEST_F(ComparisonTest, WhatIsSlowerComesFirst) {
  fill(a_, 1000);
  fill(b_, 1500);
  const Comparison comparison(*a_.compared, *b_.compared);
  ASSERT_EQ(comparison.rows().size(), 3U);
  EXPECT_EQ(comparison.tests(), 9U);
  const ComparedRow& first = comparison.rows().front();
  EXPECT_EQ(first.either().label(), "b");
  EXPECT_TRUE(first.is_slower());
  EXPECT_TRUE(first.of(ComparedFigure::kMedian).is_beyond);
  EXPECT_FALSE(first.of(ComparedFigure::kRate).is_beyond);
  EXPECT_FALSE(comparison.rows()[1].is_beyond());
  EXPECT_FALSE(comparison.rows()[2].is_beyond());
  EXPECT_TRUE(check(comparison, "slower(\"*\") == 1").holds);
  EXPECT_TRUE(check(comparison, "p50(\"b\") < 1.8 * A").holds);
  EXPECT_FALSE(check(comparison, "p50(\"b\") < 1.2 * A").holds);
  EXPECT_TRUE(check(comparison, "rate(\"b\") >= 0.99 * A").holds);
  EXPECT_FALSE(Comparison(*b_.compared, *a_.compared).rows().front().is_slower());
}

TEST_F(ComparisonTest, WhatIsNotKnownMayBeAnything) {
  fill(a_, 1000);
  for (std::int64_t i = 0; i < 1500; ++i) b_.add("b", i * 100'000, 1, kAcrossLoss);
  fill(b_, 1500);
  const Comparison comparison(*a_.compared, *b_.compared);
  const ComparedRow& b = row(comparison, "b");
  EXPECT_EQ(b.b->left_out, 1500U);
  EXPECT_FALSE(b.is_slower());
  const Requirement::Verdict verdict = check(comparison, "slower(\"b\") == 0");
  EXPECT_FALSE(verdict.holds);
  EXPECT_NE(verdict.reason.find("not known"), std::string::npos);
}

TEST_F(ComparisonTest, AllAtTheLastTime) {
  for (Made* const made : {&a_, &b_}) {
    made->add("x", std::numeric_limits<std::int64_t>::max(), 0);
    made->finish();
  }
  const Comparison comparison(*a_.compared, *b_.compared);
  EXPECT_FALSE(row(comparison, "x").is_beyond());
}

TEST_F(ComparisonTest, WhatOnlyOneHas) {
  a_.add("x", 0, 10);
  b_.add("y", 0, 10);
  a_.finish();
  b_.finish();
  const Comparison comparison(*a_.compared, *b_.compared);
  ASSERT_EQ(comparison.rows().size(), 2U);
  EXPECT_EQ(comparison.rows()[0].b, nullptr);
  EXPECT_EQ(comparison.rows()[1].a, nullptr);
  EXPECT_EQ(comparison.tests(), 0U);
  const std::string text = comparison_text(comparison, {.name = "1", .timeline = a_.timeline},
                                           {.name = "2", .timeline = b_.timeline}, 0);
  EXPECT_NE(text.find("no name is in both A and B"), std::string::npos) << text;
}

// Blocks become longer before their histograms take all memory, and the sums stay.
TEST_F(ComparisonTest, MemoryIsBounded) {
  constexpr std::int64_t kNames = 400;
  constexpr std::int64_t kRounds = 400;
  for (std::int64_t i = 0; i < kRounds; ++i) {
    for (std::int64_t j = 0; j < kNames; ++j)
      a_.add("name " + std::to_string(j), (i * kNames + j) * 1000, (i * 7919 + j) % 100'000);
  }
  a_.finish();
  EXPECT_LE(a_.compared->memory(), std::size_t{24} << 20U);
  for (const LatencyRow& each : a_.compared->rows()) {
    std::uint64_t count = 0;
    for (const auto& block : a_.compared->blocks_of(each).durations.entries())
      count += block.value.count();
    EXPECT_EQ(count, each.count());
  }
}

}  // namespace
}  // namespace tracedeck::timeline
