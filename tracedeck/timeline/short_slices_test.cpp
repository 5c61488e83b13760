#include "tracedeck/timeline/short_slices.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tracedeck/timeline/mark_window.hpp"

namespace tracedeck::timeline {
namespace {

// Marks as lines of text: "10 begin 1 a".
class Lines final : public MarkSink {
 public:
  Result<void> take(const Timeline& timeline, std::span<const Mark> marks) override {
    for (const Mark& mark : marks) {
      std::string line =
          std::to_string(mark.time) + " " + word(mark.kind) + " " + std::to_string(mark.track);
      if (mark.name != kNoName) line += " " + timeline.name(mark.name).text;
      if (mark.kind == MarkKind::kCounter) line += " " + std::to_string(mark.value);
      if (mark.flags != 0) line += " flags " + std::to_string(mark.flags);
      lines.push_back(std::move(line));
    }
    return {};
  }
  Result<void> finish(const Timeline&) override { return {}; }

  std::vector<std::string> lines;

 private:
  static std::string word(MarkKind kind) {
    switch (kind) {
      case MarkKind::kSliceBegin:
        return "begin";
      case MarkKind::kSliceEnd:
        return "end";
      case MarkKind::kState:
        return "state";
      case MarkKind::kCounter:
        return "counter";
      case MarkKind::kWait:
        return "wait";
      default:
        return "mark";
    }
  }
};

class ShortSlicesTest : public testing::Test {
 protected:
  ShortSlicesTest() {
    track_ = timeline_.add_track({.kind = TrackKind::kThread, .name = "t"});
    name_ = timeline_.add_name("", "a");
  }

  Mark mark(MarkKind kind, std::int64_t time, std::int64_t begin = 0, std::uint16_t flags = 0) {
    timeline_.note_time(time);
    Mark made;
    made.kind = kind;
    made.flags = flags;
    made.track = track_;
    made.name = name_;
    made.time = time;
    made.begin = begin;
    return made;
  }
  Mark begin(std::int64_t time, std::uint16_t flags = 0) {
    return mark(MarkKind::kSliceBegin, time, 0, flags);
  }
  Mark end(std::int64_t time, std::int64_t begin, std::uint16_t flags = 0) {
    return mark(MarkKind::kSliceEnd, time, begin, flags);
  }

  // All marks at once, or one by one: what is handed on is the same.
  std::vector<std::string> lines(MarkSink& sink, const std::vector<Mark>& marks, bool one_by_one) {
    into_.lines.clear();
    const std::size_t part = one_by_one ? 1 : marks.size();
    for (std::size_t i = 0; i < marks.size(); i += part) {
      EXPECT_TRUE(sink.take(timeline_, std::span(marks).subspan(i, part)));
    }
    EXPECT_TRUE(sink.finish(timeline_));
    return into_.lines;
  }

  Timeline timeline_;
  Lines into_;
  TrackId track_;
  NameId name_;
};

TEST_F(ShortSlicesTest, LeavesOutWhatIsShorterAndCountsIt) {
  const std::vector<Mark> marks = {begin(0),    begin(10),   end(19, 10), begin(20),
                                   end(30, 20), end(100, 0), begin(200),  end(209, 200)};
  for (const bool one_by_one : {false, true}) {
    ShortSlices slices(into_, timeline_, 10);
    const auto got = lines(slices, marks, one_by_one);
    EXPECT_EQ(slices.counts().slices, 2U);
    EXPECT_EQ(slices.counts().total, 18U);
    EXPECT_EQ(slices.durations().count(), 4U);
    ASSERT_EQ(got.size(), 6U);
    const std::string count_track = std::to_string(timeline_.track_count());
    const std::string time_track = std::to_string(timeline_.track_count() - 1);
    EXPECT_EQ(got[0], "0 begin 1 a");
    EXPECT_EQ(got[1], "20 begin 1 a");
    EXPECT_EQ(got[2], "30 end 1 a");
    EXPECT_EQ(got[3], "100 end 1 a");
    EXPECT_EQ(got[4], "209 counter " + time_track + " 18");
    EXPECT_EQ(got[5], "209 counter " + count_track + " 2");
    EXPECT_EQ(timeline_.track(static_cast<TrackId>(timeline_.track_count())).name,
              "below 10ns (count)");
    EXPECT_EQ(timeline_.track(static_cast<TrackId>(timeline_.track_count())).parent, track_);
  }
}

TEST_F(ShortSlicesTest, KeepsWhatHasNoKnownDuration) {
  const std::vector<Mark> marks = {
      begin(0), end(5, 0, kInferredEnd), begin(5, kBeganBefore), end(6, 5, kAcrossLoss),
      begin(7), end(8, 7, kOpenAtEnd)};
  ShortSlices slices(into_, timeline_, 10);
  EXPECT_EQ(lines(slices, marks, false).size(), marks.size());
  EXPECT_EQ(slices.durations().count(), 0U);
}

TEST_F(ShortSlicesTest, AShortWaitGoesWithItsSlice) {
  const std::vector<Mark> marks = {begin(100), mark(MarkKind::kWait, 100, 95), end(101, 100),
                                   begin(200), mark(MarkKind::kWait, 200, 50), end(201, 200)};
  ShortSlices slices(into_, timeline_, 10);
  const auto got = lines(slices, marks, false);
  EXPECT_EQ(slices.counts().waits, 1U);
  ASSERT_EQ(got.size(), 3U);
  EXPECT_EQ(got[0], "200 wait 1 a");
}

TEST_F(ShortSlicesTest, HasAPointForEverySixtyFour) {
  std::vector<Mark> marks;
  for (std::int64_t i = 0; i < 130; ++i) {
    marks.push_back(begin(100 * i));
    marks.push_back(end(100 * i + 1, 100 * i));
  }
  ShortSlices slices(into_, timeline_, 10);
  EXPECT_EQ(lines(slices, marks, false).size(), 6U);
}

TEST_F(ShortSlicesTest, MemoryIsBounded) {
  std::vector<Mark> marks = {begin(0)};
  for (std::int64_t i = 1; i < 2'000; ++i) marks.push_back(mark(MarkKind::kState, i));
  marks.push_back(end(2'000, 0));
  ShortSlices slices(into_, timeline_, 1'000'000, ShortSlices::Mode::kLeavesOut, 10'000);
  EXPECT_EQ(lines(slices, marks, true).size(), marks.size());
  EXPECT_EQ(slices.counts().not_held, 1U);
}

TEST_F(ShortSlicesTest, MayOnlyCount) {
  const std::vector<Mark> marks = {begin(0), end(5, 0), begin(10), end(30, 10)};
  ShortSlices slices(into_, timeline_, 10, ShortSlices::Mode::kCounts);
  const auto got = lines(slices, marks, false);
  EXPECT_EQ(slices.counts().slices, 1U);
  EXPECT_EQ(got.size(), marks.size() + 2);
}

TEST_F(ShortSlicesTest, WithoutABoundAllAreCounted) {
  const std::vector<Mark> marks = {begin(0), end(5, 0)};
  ShortSlices slices(into_, timeline_, 0);
  EXPECT_EQ(lines(slices, marks, false).size(), 2U);
  EXPECT_EQ(slices.durations().count(), 1U);
}

TEST_F(ShortSlicesTest, DurationsAreWrittenExactly) {
  EXPECT_EQ(exact_duration(0), "0ns");
  EXPECT_EQ(exact_duration(999), "999ns");
  EXPECT_EQ(exact_duration(10'000), "10us");
  EXPECT_EQ(exact_duration(1'500'000), "1.5ms");
  EXPECT_EQ(exact_duration(1'000'000'001), "1.000000001s");
}

class MarkWindowTest : public ShortSlicesTest {};

TEST_F(MarkWindowTest, CutsWhatGoesOnOutside) {
  const std::vector<Mark> marks = {
      begin(0),    mark(MarkKind::kState, 5),
      begin(20),   end(30, 20),
      begin(40),   begin(50),
      end(60, 50), end(80, 40),
      end(90, 0),  begin(95),
      end(99, 95),
  };
  for (const bool one_by_one : {false, true}) {
    MarkWindow window(into_);
    window.begin_at(25);
    window.end_at(70);
    const std::vector<std::string> expected = {
        "25 state 1 a",       "25 begin 1 a flags 1", "25 begin 1 a flags 1", "30 end 1 a",
        "40 begin 1 a",       "50 begin 1 a",         "60 end 1 a",           "70 end 1 a flags 2",
        "70 end 1 a flags 2", "70 state 1 flags 2"};
    EXPECT_EQ(lines(window, marks, one_by_one), expected);
  }
}

TEST_F(MarkWindowTest, WhatEndsAtTheEndIsWhole) {
  MarkWindow window(into_);
  window.end_at(70);
  EXPECT_EQ(lines(window, {begin(60), end(70, 60), begin(71), end(72, 71)}, false),
            (std::vector<std::string>{"60 begin 1 a", "70 end 1 a"}));
}

}  // namespace
}  // namespace tracedeck::timeline
