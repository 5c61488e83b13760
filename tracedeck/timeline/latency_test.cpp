#include "tracedeck/timeline/latency.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tracedeck/timeline/latency_report.hpp"
#include "tracedeck/timeline/marking.hpp"
#include "tracedeck/timeline/requirement.hpp"

namespace tracedeck::timeline {
namespace {

// Polls of 1 us to 100 us, a wait of 3 us, and one poll that does not end.
class LatencyTest : public testing::Test {
 protected:
  void measure(LatencyOptions options) {
    auto made = Latency::make(std::move(options));
    ASSERT_TRUE(made) << made.error().message;
    latency_ = *std::move(made);
    const TrackId one = marking_.add_track({.kind = TrackKind::kThread, .name = "worker 0"});
    const TrackId two = marking_.add_track({.kind = TrackKind::kThread, .name = "worker 1"});
    for (std::int64_t i = 1; i <= 100; ++i) add(i % 2 == 0 ? one : two, i * 1'000'000, i * 1000);
    marking_.wait(one, marking_.add_name("", "wake -> poll"), at(200'000'000), 199'997'000, nullptr,
                  0);
    (void)marking_.begin(one, marking_.add_name("poll", "a.rs:1"), at(200'000'000), nullptr, 0);
    marking_.finish(200'500'000);
    ASSERT_TRUE(latency_->take(timeline_, marking_.marks()));
  }
  [[nodiscard]] const LatencyRow* row(std::string_view label, std::string_view by = "") const {
    for (const LatencyRow& each : latency_->rows()) {
      if (each.label() == label && each.by == by) return &each;
    }
    return nullptr;
  }
  [[nodiscard]] Requirement::Verdict check(std::string_view text) const {
    const auto requirement = Requirement::parse(text);
    EXPECT_TRUE(requirement) << text;
    return requirement ? requirement->check(*latency_, timeline_.counts()) : Requirement::Verdict();
  }

  std::unique_ptr<Latency> latency_;

 private:
  [[nodiscard]] Moment at(std::int64_t time) {
    timeline_.note_time(time);
    return {.time = time, .number = ++number_};
  }
  void add(TrackId track, std::int64_t begin, std::int64_t duration) {
    const NameId name = marking_.add_name("poll", "a.rs:1");
    const OpenId slice = marking_.begin(track, name, at(begin), nullptr, 0);
    marking_.end(slice, at(begin + duration), nullptr);
  }

  Timeline timeline_;
  Marking marking_{timeline_};
  std::uint64_t number_ = 0;
};

TEST_F(LatencyTest, CountsWhatHasADuration) {
  measure({});
  const LatencyRow* const polls = row("poll a.rs:1");
  ASSERT_NE(polls, nullptr);
  EXPECT_EQ(polls->count(), 100U);
  EXPECT_EQ(polls->total, Uint128{5'050'000});
  EXPECT_EQ(polls->longest, 100'000);
  EXPECT_EQ(polls->longest_begin, 100'000'000);
  EXPECT_NEAR(polls->durations.quantile(0.5), 50'000, 200);
  EXPECT_EQ(polls->left_out, 1U);
  EXPECT_EQ(polls->open, 1U);
  EXPECT_EQ(polls->oldest_open, 500'000);
  ASSERT_NE(row("wake -> poll"), nullptr);
  EXPECT_EQ(row("wake -> poll")->longest, 3'000);
}

TEST_F(LatencyTest, WhatEndsBeforeTheBeginIsLeftOut) {
  measure({.begin = 50'000'000});
  EXPECT_EQ(row("poll a.rs:1")->count(), 51U);
}

TEST_F(LatencyTest, GroupsAndSelectsFinishedSlices) {
  measure({.where = "duration > 50us and kind == \"slice\"", .by = "kind"});
  EXPECT_EQ(row("wake -> poll"), nullptr);
  ASSERT_NE(row("poll a.rs:1", "slice"), nullptr);
  EXPECT_EQ(row("poll a.rs:1", "slice")->count(), 50U);
}

TEST_F(LatencyTest, ConditionsThatAreNone) {
  EXPECT_FALSE(Latency::make({.where = "duration >"}));
  EXPECT_FALSE(Latency::make({.by = "symbol(colour)"}));
}

TEST_F(LatencyTest, WhatNothingHasIsReported) {
  measure({.where = "colour != 1", .by = ".durations"});
  EXPECT_EQ(
      latency_->unknown_arguments(),
      (std::vector<std::string>{"no slice and no wait has `durations`; did you mean `duration`?",
                                "no slice and no wait has `colour`"}));
  EXPECT_TRUE(latency_->rows().empty());
}

TEST_F(LatencyTest, EachMeasureCanBeRequired) {
  measure({});
  for (const char* const holds :
       {"count(\"poll*\") == 100", "min(\"poll*\") >= 1us", "max(\"poll*\") == 100us",
        "avg(\"poll*\") < 51us", "total(\"poll*\") <= 5050us", "p50(\"poll*\") < 51us",
        "p90(\"poll*\") < 91us", "p95(\"poll*\") < 96us", "p99(\"poll*\") < 100us",
        "p99.9(\"poll*\") <= 100us", "open(\"poll*\") == 1", "left_out(\"poll*\") != 2",
        "max(\"wake -> poll\") < 1ms", "absent(\"no such\")"})
    EXPECT_TRUE(check(holds).holds) << holds << ": " << check(holds).reason;
  for (const char* const fails :
       {"count(\"poll*\") > 100", "p99(\"poll*\") < 1us", "max(\"no such\") < 1ms",
        "count(\"no such\") < 10", "open(\"no such\") == 0", "absent(\"poll*\")"}) {
    EXPECT_FALSE(check(fails).holds) << fails;
    EXPECT_FALSE(check(fails).reason.empty()) << fails;
  }
}

// 140 of 1 us, 60 of 100 us: the 60 are more than ten times the median, which is 1 us.
TEST(LatencyRowTest, OutliersTookMoreThanTenTimesTheMedian) {
  LatencyRow row;
  for (int i = 0; i < 200; ++i) row.add(1, i, i + (i < 140 ? 1'000 : 100'000), 0);
  row.settle();
  EXPECT_EQ(row.outliers().least, 60U);
  EXPECT_EQ(row.outliers().most, 60U);
}

// Durations just above and just below the bound are in one bucket.
TEST(LatencyRowTest, OutliersNearTheBoundAreARange) {
  LatencyRow row;
  for (int i = 0; i < 30; ++i) row.add(1, i, i + 1'000'000, 0);
  for (int i = 0; i < 10; ++i) row.add(1, i, i + 9'999'990 + 2 * i, 0);
  row.add(1, 50, 50 + 90'000'000, 0);
  row.settle();
  EXPECT_EQ(row.outliers().least, 1U);
  EXPECT_EQ(row.outliers().most, 11U);
}

TEST(LatencyRowTest, OutliersOfOneDurationAreNone) {
  LatencyRow row;
  for (int i = 0; i < 30; ++i) row.add(1, i, i, 0);
  row.settle();
  EXPECT_EQ(row.outliers().most, 0U);
  EXPECT_EQ(LatencyRow().outliers().most, 0U);
}

TEST(RequirementTest, SaysWhatIsWrong) {
  for (const char* const text :
       {"", "p98(\"a\") < 1ms", "p99 < 1ms", "p99(a) < 1ms", "p99(\"a\" < 1ms", "p99(\"a\") 1ms",
        "p99(\"a\") < ", "p99(\"a\") < \"b\"", "p99(\"a\") < 1ms and 1", "absent(\"a\") == 1"}) {
    const auto requirement = Requirement::parse(text);
    ASSERT_FALSE(requirement) << text;
    EXPECT_EQ(requirement.error().code, ErrorCode::kInvalidArgument) << text;
    EXPECT_FALSE(requirement.error().message.empty()) << text;
  }
}

// What is counted while it is marked, by one; by another from the marks.
TEST(LatencyCountsTest, AreThoseOfTheMarks) {
  std::vector<std::string> texts;
  for (const bool counts : {true, false}) {
    Timeline timeline;
    Marking marking(timeline);
    const auto latency = Latency::make({}).value();
    if (counts) marking.count_with(latency->counter());
    const TrackId track = marking.add_track({.kind = TrackKind::kThread, .name = "worker"});
    const NameId outer = marking.add_name("poll", "outer");
    const NameId inner = marking.add_name("poll", "inner");
    const NameId wait = marking.add_name("", "wake -> poll");
    StreamState stream;
    std::uint64_t number = 0;
    const auto at = [&](std::int64_t time) {
      timeline.note_time(time);
      return Moment{.time = time, .number = ++number, .stream = &stream};
    };
    for (std::int64_t i = 1; i <= 2000; ++i) {
      const std::int64_t begin = i * 1'000'000;
      const OpenId first = marking.begin(track, outer, at(begin), nullptr, 0);
      marking.wait(track, wait, at(begin), begin - i % 700 * 1000, nullptr, 0);
      const OpenId second = marking.begin(track, inner, at(begin + 100), nullptr, 0);
      // Some end in the wrong order.
      const bool overlap = i % 500 == 0;
      marking.end(overlap ? first : second, at(begin + 200 + i % 300), nullptr);
      marking.end(overlap ? second : first, at(begin + 1000 + i % 900), nullptr);
    }
    marking.finish(3'000'000'000);
    EXPECT_EQ(marking.marks().empty(), counts);
    ASSERT_TRUE(latency->take(timeline, marking.marks()));
    ASSERT_TRUE(latency->finish(timeline));
    texts.push_back(latency_text(*latency, timeline, {}));
  }
  EXPECT_EQ(texts[0], texts[1]);
}

TEST(ShortDurationTest, HasThreeDigits) {
  EXPECT_EQ(short_duration(0), "0ns");
  EXPECT_EQ(short_duration(999), "999ns");
  EXPECT_EQ(short_duration(1000), "1.00us");
  EXPECT_EQ(short_duration(9'126), "9.13us");
  EXPECT_EQ(short_duration(84'790), "84.8us");
  EXPECT_EQ(short_duration(999'900), "1.00ms");
  EXPECT_EQ(short_duration(389'400), "389us");
  EXPECT_EQ(short_duration(4.81e9), "4.81s");
}

}  // namespace
}  // namespace tracedeck::timeline
