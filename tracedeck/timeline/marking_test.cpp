// The rules of disorder, one by one (docs/timeline.md).

#include "tracedeck/timeline/marking.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace tracedeck::timeline {
namespace {

// Events made up, at times, in streams.
class MarkingTest : public testing::Test {
 protected:
  [[nodiscard]] Moment at(std::int64_t time, StreamState* stream = nullptr) {
    timeline_.note_time(time);
    if (stream != nullptr) marking_.end_loss(*stream, number_);
    return {.time = time,
            .number = ++number_,
            .stream = stream,
            .stretch = marking_.is_losing() ? marking_.new_stretch() : marking_.stretch_of(stream)};
  }
  [[nodiscard]] TrackId track(TrackKind kind = TrackKind::kThread) {
    return marking_.add_track({.kind = kind, .name = "track"});
  }
  [[nodiscard]] NameId name(std::string_view text) { return marking_.add_name("", text); }

  OpenId begin(TrackId on, std::string_view text, std::int64_t time,
               StreamState* stream = nullptr) {
    return marking_.begin(on, name(text), at(time, stream), nullptr, 0);
  }
  void end(OpenId slice, std::int64_t time, StreamState* stream = nullptr) {
    marking_.end(slice, at(time, stream), nullptr);
  }
  void lose(StreamState* stream, std::int64_t from, std::int64_t to) {
    const NameId lost = marking_.add_name("loss", "lost");
    if (stream != nullptr)
      marking_.gap(*stream, lost, from, to, number_);
    else
      marking_.wide_gap(nullptr, lost, from, to, number_);
  }

  // The ends of slices so far, those that are moved to lanes left out.
  [[nodiscard]] std::vector<Mark> ends() {
    std::vector<Mark> ends;
    for (const Mark& mark : marking_.marks()) {
      if (mark.kind == MarkKind::kSliceEnd && !mark.has(kMoved)) ends.push_back(mark);
    }
    return ends;
  }
  [[nodiscard]] Mark only_end() {
    const std::vector<Mark> all = ends();
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? Mark() : all.front();
  }
  [[nodiscard]] const TimelineCounts& counts() const { return timeline_.counts(); }

  // What mark.hpp promises: an end closes what began last on its track.
  void expect_nesting() {
    std::vector<std::vector<NameId>> open(timeline_.track_count() + 1);
    for (const Mark& mark : marking_.marks()) {
      if (mark.kind == MarkKind::kSliceBegin) open[mark.track].push_back(mark.name);
      if (mark.kind != MarkKind::kSliceEnd || mark.has(kUnplaced)) continue;
      ASSERT_FALSE(open[mark.track].empty());
      EXPECT_EQ(open[mark.track].back(), mark.name);
      open[mark.track].pop_back();
    }
  }

  Timeline timeline_;
  Marking marking_{timeline_};
  std::uint64_t number_ = 0;
};

TEST_F(MarkingTest, WholeSlicesHaveADuration) {
  const OpenId slice = begin(track(), "a", 10);
  end(slice, 35);
  const Mark mark = only_end();
  EXPECT_TRUE(mark.has_duration());
  EXPECT_EQ(mark.duration(), 25);
}

TEST_F(MarkingTest, AnEndWithoutABeginBeganBeforeTheTrace) {
  timeline_.note_time(5);
  marking_.end_unmatched(track(), name("a"), at(30), nullptr, true);
  const Mark mark = only_end();
  EXPECT_TRUE(mark.has(kBeganBefore));
  EXPECT_FALSE(mark.has_duration());
  EXPECT_EQ(mark.begin, 5);
  EXPECT_EQ(counts().began_before, 1U);
  expect_nesting();
}

TEST_F(MarkingTest, WhatBeganBeforeIsOnALaneOfItsOwnWhereTheTrackWasUsed) {
  const TrackId on = track();
  const OpenId inner = begin(on, "inner", 10);
  marking_.end_unmatched(on, name("a"), at(20), nullptr, true);
  marking_.end_unmatched(on, name("b"), at(25), nullptr, true);
  end(inner, 30);
  ASSERT_EQ(ends().size(), 3U);
  EXPECT_NE(ends()[0].track, on);
  EXPECT_NE(ends()[1].track, on);
  EXPECT_NE(ends()[0].track, ends()[1].track);
  EXPECT_TRUE(ends()[2].has_duration());
  expect_nesting();
}

TEST_F(MarkingTest, LaterEndsWithoutABeginAreInstants) {
  marking_.end_unmatched(track(), name("a"), at(30), nullptr, false);
  ASSERT_EQ(marking_.marks().size(), 1U);
  EXPECT_EQ(marking_.marks()[0].kind, MarkKind::kInstant);
  EXPECT_TRUE(marking_.marks()[0].has(kUnmatchedEnd));
  EXPECT_EQ(counts().unmatched_ends, 1U);
}

TEST_F(MarkingTest, ABeginOverAnOpenSliceEndsIt) {
  const TrackId on = track();
  const OpenId first = begin(on, "a", 10);
  marking_.end_inferred(first, at(40));
  const Mark mark = only_end();
  EXPECT_EQ(mark.time, 40);
  EXPECT_TRUE(mark.has(kInferredEnd));
  EXPECT_FALSE(mark.has_duration());
  EXPECT_EQ(counts().inferred_ends, 1U);
}

TEST_F(MarkingTest, WhatIsOpenAtTheEndStaysSo) {
  begin(track(), "a", 10);
  marking_.finish(50);
  const Mark mark = only_end();
  EXPECT_TRUE(mark.has(kOpenAtEnd));
  EXPECT_FALSE(mark.has_duration());
  EXPECT_EQ(mark.duration(), 40);
  EXPECT_EQ(counts().open_at_end, 1U);
}

TEST_F(MarkingTest, ALossRightBehindABeginIsWithinTheSlice) {
  StreamState stream;
  const OpenId slice = begin(track(), "a", 10, &stream);
  lose(&stream, 10, 20);
  end(slice, 30, &stream);
  EXPECT_TRUE(only_end().has(kAcrossLoss));
  EXPECT_EQ(counts().across_loss, 1U);
}

TEST_F(MarkingTest, ALossIsWithinASliceWhateverBeganAndEndedSince) {
  StreamState stream;
  const TrackId on = track();
  const OpenId outer = begin(on, "a", 10, &stream);
  lose(&stream, 10, 20);
  end(begin(on, "b", 30, &stream), 40, &stream);
  end(begin(on, "c", 50, &stream), 60, &stream);
  end(outer, 70, &stream);
  ASSERT_EQ(ends().size(), 3U);
  EXPECT_TRUE(ends()[0].has_duration());
  EXPECT_TRUE(ends()[1].has_duration());
  EXPECT_TRUE(ends()[2].has(kAcrossLoss));
}

TEST_F(MarkingTest, ALossBeforeASliceDoesNotMatter) {
  StreamState stream;
  const TrackId on = track();
  marking_.instant(on, name("x"), at(5, &stream), nullptr);
  lose(&stream, 5, 9);
  const OpenId slice = begin(on, "a", 10, &stream);
  end(slice, 30, &stream);
  EXPECT_TRUE(only_end().has_duration());
}

TEST_F(MarkingTest, ALossCountsForTheStreamsOfATrackOnly) {
  StreamState own;
  StreamState second;
  StreamState other;
  const TrackId on = track();
  marking_.instant(on, name("x"), at(5, &second), nullptr);
  OpenId slice = begin(on, "a", 10, &own);
  lose(&other, 12, 13);
  end(slice, 30, &own);
  slice = begin(on, "a", 40, &own);
  lose(&second, 42, 43);
  end(slice, 50, &own);
  ASSERT_EQ(ends().size(), 2U);
  EXPECT_FALSE(ends()[0].has(kAcrossLoss));
  EXPECT_TRUE(ends()[1].has(kAcrossLoss));
}

TEST_F(MarkingTest, DamageIsALossOfAllStreams) {
  StreamState stream;
  const OpenId slice = begin(track(), "a", 10, &stream);
  lose(nullptr, 12, 20);
  end(slice, 30, &stream);
  EXPECT_TRUE(only_end().has(kAcrossLoss));
  EXPECT_EQ(counts().gaps, 1U);
}

TEST_F(MarkingTest, WhatIsReplacedAfterALossEndsWhereTheFirstLossBegan) {
  StreamState stream;
  const OpenId slice = begin(track(), "a", 10, &stream);
  lose(&stream, 15, 20);
  lose(&stream, 25, 28);
  marking_.end_inferred(slice, at(40, &stream));
  const Mark mark = only_end();
  EXPECT_EQ(mark.time, 15);
  EXPECT_TRUE(mark.has(kAcrossLoss));
  EXPECT_TRUE(mark.has(kInferredEnd));
}

TEST_F(MarkingTest, ALossMakesStatesUnknown) {
  StreamState stream;
  const TrackId on = track(TrackKind::kState);
  marking_.state(on, name("busy"), at(10, &stream), kNoCpu, 0);
  lose(&stream, 20, 30);
  timeline_.note_time(40);
  EXPECT_EQ(marking_.state_of(on, 40), kNoName);
  marking_.state(on, name("busy"), at(40, &stream), kNoCpu, 0);
  std::vector<Mark> states;
  for (const Mark& mark : marking_.marks()) {
    if (mark.kind == MarkKind::kState) states.push_back(mark);
  }
  ASSERT_EQ(states.size(), 3U);
  EXPECT_EQ(states[1].name, kNoName);
  EXPECT_EQ(states[1].time, 20);
  EXPECT_TRUE(states[1].has(kAcrossLoss));
  EXPECT_EQ(states[2].time, 40);
}

TEST_F(MarkingTest, AStateThatIsSaidAgainChangesNothing) {
  const TrackId on = track(TrackKind::kState);
  marking_.state(on, name("busy"), at(10), kNoCpu, 0);
  marking_.state(on, name("busy"), at(20), kNoCpu, 0);
  EXPECT_EQ(marking_.marks().size(), 1U);
  const TrackId task = track(TrackKind::kTask);
  marking_.state(task, name("running"), at(10), 0, 0);
  marking_.state(task, name("running"), at(20), 1, 0);
  EXPECT_EQ(marking_.marks().size(), 3U);
}

TEST_F(MarkingTest, AClockThatStepsBackIsClamped) {
  const TrackId on = track();
  const OpenId first = begin(on, "a", 10);
  end(first, 50);
  const OpenId second = begin(on, "b", 40);
  end(second, 60);
  ASSERT_EQ(ends().size(), 2U);
  EXPECT_EQ(ends()[1].begin, 50);
  EXPECT_TRUE(ends()[1].has(kClockStep));
  EXPECT_FALSE(ends()[1].has_duration());
  EXPECT_EQ(counts().clock_steps, 1U);
}

TEST_F(MarkingTest, WhatEndsBeforeItBeginsHasNoDuration) {
  Moment now = at(30);
  now.end_time = 20;
  marking_.whole(track(TrackKind::kLanes), name("a"), now, nullptr, 0);
  marking_.finish(100);
  const Mark mark = only_end();
  EXPECT_TRUE(mark.has(kNegative));
  EXPECT_EQ(mark.duration(), 0);
  EXPECT_FALSE(mark.has_duration());
  EXPECT_EQ(counts().negative, 1U);
}

TEST_F(MarkingTest, WhatOutlastsWhatItBeganWithinMovesToALane) {
  const TrackId on = track();
  const OpenId outer = begin(on, "outer", 10);
  const OpenId inner = begin(on, "inner", 20);
  end(outer, 30);
  end(inner, 40);
  expect_nesting();
  ASSERT_EQ(ends().size(), 2U);
  EXPECT_EQ(ends()[0].track, on);
  EXPECT_EQ(timeline_.track(ends()[1].track).first_lane, on);
  EXPECT_NE(ends()[1].track, on);
  EXPECT_TRUE(ends()[1].has(kOverlap));
  EXPECT_EQ(ends()[1].duration(), 20);
  EXPECT_TRUE(ends()[1].has_duration());
}

TEST_F(MarkingTest, TimeDoesNotGoBackOnTheLaneThatASliceMovedTo) {
  const TrackId on = track();
  const OpenId outer = begin(on, "outer", 10);
  const OpenId inner = begin(on, "inner", 20);
  end(outer, 30);
  end(inner, 25);
  ASSERT_EQ(ends().size(), 2U);
  EXPECT_EQ(ends()[1].time, 30);
  EXPECT_TRUE(ends()[1].has(kClockStep));
}

TEST_F(MarkingTest, SlicesOfLanesTakeTheLowestThatIsFree) {
  const TrackId on = track(TrackKind::kLanes);
  const OpenId first = begin(on, "a", 10);
  const OpenId second = begin(on, "b", 20);
  end(first, 30);
  const OpenId third = begin(on, "c", 40);
  EXPECT_EQ(marking_.open(third).track, on);
  EXPECT_NE(marking_.open(second).track, on);
  end(second, 50);
  end(third, 60);
  expect_nesting();
}

TEST_F(MarkingTest, MoreSlicesThanLanesAreMeasuredAllTheSame) {
  const TrackId on = track(TrackKind::kLanes);
  std::vector<OpenId> slices;
  constexpr int kSlices = Marking::kMostLanes + 6;
  for (int i = 0; i < kSlices; ++i) slices.push_back(begin(on, "a", 10 + i));
  for (const OpenId each : slices) end(each, 2000);
  EXPECT_EQ(counts().without_lane, 6U);
  EXPECT_EQ(timeline_.track_count(), Marking::kMostLanes);
  ASSERT_EQ(ends().size(), std::size_t{kSlices});
  EXPECT_TRUE(ends().back().has(kUnplaced));
  EXPECT_TRUE(ends().back().has_duration());
  EXPECT_EQ(ends().back().duration(), 2000 - (10 + kSlices - 1));
  expect_nesting();
}

// Each moves to a lane because what it began within ends first, until there is none left.
TEST_F(MarkingTest, WhatNoLaneIsLeftForIsMeasuredAllTheSame) {
  const TrackId on = track();
  std::vector<OpenId> slices;
  constexpr int kPairs = Marking::kMostLanes + 16;
  for (int i = 0; i < kPairs; ++i) {
    const OpenId outer = begin(on, "outer", 100 + 10 * i);
    slices.push_back(begin(on, "inner", 101 + 10 * i));
    end(outer, 102 + 10 * i);
  }
  for (const OpenId each : slices) end(each, 20'000);
  expect_nesting();
  EXPECT_EQ(ends().size(), std::size_t{2 * kPairs});
  EXPECT_EQ(counts().without_lane, 17U);
}

TEST_F(MarkingTest, OneThatEndsWhereAnotherBeginsIsNotOpen) {
  const TrackId on = track(TrackKind::kLanes);
  const auto whole = [&](std::string_view text, std::int64_t from, std::int64_t to) {
    Moment now = at(from);
    now.end_time = to;
    marking_.pass(from);
    marking_.whole(on, name(text), now, nullptr, 0);
  };
  whole("a", 10, 20);
  whole("inside", 12, 18);
  whole("b", 20, 30);
  whole("beyond", 25, 40);
  marking_.finish(40);
  expect_nesting();
  EXPECT_EQ(timeline_.track_count(), 2U);
  EXPECT_EQ(ends().size(), 4U);
}

TEST_F(MarkingTest, TracksAndNamesAreBounded) {
  for (std::size_t i = 0; i < Marking::kMostTracks + 100; ++i) (void)track();
  EXPECT_EQ(timeline_.track_count(), Marking::kMostTracks + 1);
  EXPECT_EQ(timeline_.track(track()).name, "(others)");
  for (std::size_t i = 0; i < Marking::kMostNames + 100; ++i) (void)name(std::to_string(i));
  EXPECT_EQ(timeline_.name(name("new")).text, "(other)");
}

// What shares the track of all others has a state of its own, by its key.
class OtherStatesTest : public MarkingTest {
 protected:
  OtherStatesTest() {
    while (!marking_.tracks_are_full()) (void)track();
    others_ = track();
  }
  void choose(std::uint64_t key) {
    const std::array<std::uint64_t, 2> words = {key, 1};
    marking_.other_states().choose(keys_, words.data(), 0, false);
  }
  void state(std::uint64_t key, std::string_view text, std::int64_t time,
             StreamState* stream = nullptr) {
    choose(key);
    marking_.state(others_, name(text), at(time, stream), kNoCpu, 0);
  }
  // "NAME BEGIN-END", with a + where it goes on.
  [[nodiscard]] std::vector<std::string> states() {
    std::vector<std::string> states;
    for (const Mark& mark : marking_.marks()) {
      if (mark.kind != MarkKind::kOtherState) continue;
      EXPECT_EQ(mark.track, others_);
      states.push_back(fmt::format("{} {}-{}{}", timeline_.name(mark.name).text, mark.begin,
                                   mark.time, mark.has(kOpenAtEnd) ? "+" : ""));
    }
    return states;
  }

  KeyTable keys_{2};
  TrackId others_ = kNoTrack;
};

TEST_F(OtherStatesTest, EachHasItsOwn) {
  state(1, "a", 10);
  state(2, "b", 20);
  state(1, "a", 25);
  state(1, "b", 30);
  choose(1);
  EXPECT_EQ(marking_.other_state(at(35), false), name("b"));
  choose(2);
  marking_.last_state(others_, name("gone"), at(40), kNoCpu, 0);
  choose(2);
  EXPECT_EQ(marking_.other_state(at(45), false), kNoName);
  state(2, "a", 50);
  marking_.finish(100);
  EXPECT_EQ(states(), (std::vector<std::string>{"a 10-30", "b 20-40", "b 30-100+", "a 50-100+"}));
  EXPECT_EQ(marking_.other_states().count(), 3U);
}

TEST_F(OtherStatesTest, EndWhereSomethingWasLost) {
  StreamState stream;
  StreamState other;
  state(1, "a", 10, &stream);
  state(2, "a", 10, &other);
  lose(&stream, 30, 40);
  state(1, "a", 50, &stream);
  state(2, "b", 60, &other);
  marking_.finish(100);
  EXPECT_EQ(states(), (std::vector<std::string>{"a 10-30", "a 10-60", "a 50-100+", "b 60-100+"}));
}

TEST_F(OtherStatesTest, AreUnknownWhereTheClockStepsBack) {
  state(1, "a", 50);
  state(1, "b", 40);
  state(1, "c", 60);
  marking_.finish(100);
  EXPECT_EQ(states(), (std::vector<std::string>{"c 60-100+"}));
}

TEST_F(OtherStatesTest, AreBounded) {
  for (std::uint64_t key = 0; key < OtherStates::kMost + 10; ++key)
    state(key, "a", static_cast<std::int64_t>(key));
  EXPECT_EQ(marking_.states_without_room(), 10U);
  EXPECT_EQ(marking_.other_states().count(), OtherStates::kMost);
  // Where one has ended there is room again.
  choose(7);
  marking_.last_state(others_, name("gone"), at(1 << 20), kNoCpu, 0);
  state(OtherStates::kMost + 20, "a", 1 << 20);
  EXPECT_EQ(marking_.states_without_room(), 10U);
}

TEST_F(MarkingTest, OpenSlicesAreBounded) {
  const TrackId on = track();
  for (std::size_t i = 0; i < Marking::kMostOpen; ++i) (void)begin(on, "a", 10);
  EXPECT_EQ(begin(on, "a", 10), 0U);
  EXPECT_EQ(counts().not_held, 1U);
}

TEST(Timeline, ItsClockOutlivesTheTrace) {
  Timeline timeline;
  EXPECT_EQ(timeline.clock(), nullptr);
  {
    ClockClass clock;
    clock.origin = ClockOrigin::kUnixEpoch;
    timeline.note_clock(clock);
    clock.origin = ClockOrigin::kUnknown;
  }
  EXPECT_EQ(timeline.clock()->origin, ClockOrigin::kUnixEpoch);
}

}  // namespace
}  // namespace tracedeck::timeline
