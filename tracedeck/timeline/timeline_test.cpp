#include "tracedeck/timeline/timeline.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace tracedeck::timeline {
namespace {

class ParentTest : public testing::Test {
 protected:
  TrackId add(TrackKind kind, std::optional<std::int64_t> tid, TrackId parent = kNoTrack) {
    return timeline_.add_track({.kind = kind, .parent = parent, .tid = tid});
  }

  Timeline timeline_;
};

TEST_F(ParentTest, StatesOfAThreadAreOnTheTrackOfWhatItDoes) {
  const TrackId states = add(TrackKind::kTask, 7);
  EXPECT_EQ(timeline_.parent_of(states), kNoTrack);
  const TrackId other = add(TrackKind::kThread, 8);
  EXPECT_EQ(timeline_.parent_of(states), kNoTrack);
  const TrackId thread = add(TrackKind::kThread, 7);
  EXPECT_EQ(timeline_.parent_of(states), thread);
  EXPECT_EQ(timeline_.parent_of(thread), kNoTrack);
  EXPECT_EQ(timeline_.parent_of(add(TrackKind::kTask, 8)), other);
}

TEST_F(ParentTest, OfTwoThreadsOfOneNumberItIsNotKnownWhichItIs) {
  const TrackId states = add(TrackKind::kTask, 7);
  (void)add(TrackKind::kThread, 7);
  (void)add(TrackKind::kThread, 7);
  EXPECT_EQ(timeline_.parent_of(states), kNoTrack);
}

TEST_F(ParentTest, LanesOfAThreadAreNoOtherThread) {
  const TrackId states = add(TrackKind::kTask, 7);
  const TrackId thread = add(TrackKind::kThread, 7);
  (void)timeline_.add_track(
      {.kind = TrackKind::kThread, .lane = 1, .first_lane = thread, .tid = 7});
  EXPECT_EQ(timeline_.parent_of(states), thread);
}

TEST_F(ParentTest, WhatATableSaysHolds) {
  const TrackId group = add(TrackKind::kGroup, std::nullopt);
  const TrackId states = add(TrackKind::kTask, 7, group);
  (void)add(TrackKind::kThread, 7);
  EXPECT_EQ(timeline_.parent_of(states), group);
  // Nothing is shown on what is shown on it.
  const TrackId task = add(TrackKind::kTask, 9);
  (void)add(TrackKind::kThread, 9, task);
  EXPECT_EQ(timeline_.parent_of(task), kNoTrack);
}

TEST(TimelineNames, AreFoundWithTheirHost) {
  Timeline timeline;
  const NameId web = timeline.add_name("syscall", "read", {}, "web1");
  const NameId db = timeline.add_name("syscall", "read", {}, "db1");
  EXPECT_NE(web, db);
  EXPECT_EQ(timeline.find_name("syscall", "read", "web1"), web);
  EXPECT_EQ(timeline.find_name("syscall", "read", "db1"), db);
  EXPECT_EQ(timeline.find_name("syscall", "read"), kNoName);
}

TEST(TimelineNames, OfEqualTracksSayTheirTraces) {
  Timeline timeline;
  const OriginId host = timeline.add_machine("bot");
  const auto add = [&](std::string name, std::string trace, TrackId parent = kNoTrack) {
    Track track{.parent = parent, .name = std::move(name)};
    track.origin = timeline.add_trace(host, std::move(trace), "");
    return timeline.add_track(std::move(track));
  };
  const TrackId first = add("talker 501", "a");
  const TrackId second = add("talker 501", "b");
  const TrackId other = add("listener 502", "b");
  const TrackId child = add("lane", "a", first);
  const TrackId child_of_second = add("lane", "b", second);
  timeline.settle_names();
  timeline.settle_names();
  EXPECT_EQ(timeline.track(first).name, "talker 501 (a)");
  EXPECT_EQ(timeline.track(second).name, "talker 501 (b)");
  EXPECT_EQ(timeline.track(other).name, "listener 502");
  EXPECT_EQ(timeline.track(child).name, timeline.track(child_of_second).name);
}

TEST(TimelineNumbers, FurtherTracesOfAMachineDoNotMoveThoseOfOtherMachines) {
  Timeline timeline;
  const auto task_of = [&](OriginId origin) {
    return timeline.add_track({.kind = TrackKind::kTask, .tid = 7, .origin = origin});
  };
  const OriginId bench = timeline.add_machine("bench");
  const TrackId first = task_of(timeline.add_trace(bench, "a", ""));
  const TrackId second = task_of(timeline.add_trace(bench, "b", ""));
  const TrackId third = task_of(timeline.add_trace(bench, "c", ""));
  const TrackId shared = task_of(bench);
  const TrackId other = task_of(timeline.add_machine("other"));
  EXPECT_EQ(timeline.host_number(first), 0U);
  EXPECT_EQ(timeline.host_number(second), Timeline::kMostNumbers - 1);
  EXPECT_EQ(timeline.host_number(third), Timeline::kMostNumbers - 2);
  EXPECT_EQ(timeline.host_number(shared), 0U);
  EXPECT_EQ(timeline.host_number(other), 1U);
}

}  // namespace
}  // namespace tracedeck::timeline
