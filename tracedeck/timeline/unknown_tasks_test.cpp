// What is said of tasks and processors of which nothing is known yet: where a trace begins, or
// events were lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/render/sample_trace_test.hpp"
#include "tracedeck/timeline/interpreted_test.hpp"

namespace tracedeck::timeline {
namespace {

using render::string_class;
using render::structure_class;
using render::text_slot;
using render::unsigned_class;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kTable = R"(table = "scheduler"
[[track]]
id = "core"
kind = "cpu"
name = "core {core}"
key = ["core"]
[[track]]
id = "task"
kind = "task"
name = "task {task}"
key = ["task"]
[[track]]
id = "calls"
kind = "thread"
name = "calls of {current.task ?? core}"
key = ["current.task ?? core"]
[[current]]
event = "switch"
of = ["core"]
set = { task = "next" }
[[schedule]]
event = "switch"
cpu = ["core"]
next = "next"
previous = "task"
next_name = "task {next}"
previous_name = "task {task}"
previous_state = "{state}"
idle = "next == 0"
track = "task"
[[state]]
event = "wake"
track = "task"
name = "ready"
unless = "running"
cpu = "target"
[[state]]
event = "move"
track = "task"
name = "ready"
within = "ready"
cpu = "target"
[[wait]]
name = "wake -> run"
from = "wake"
to = "switch"
match = ["a.task == b.next"]
last = true
state = "task"
unless = ["running", "ready"]
track = "core"
[[slice]]
begin = "call"
end = "return"
match = ["current.task ?? core"]
track = "calls"
name = "call"
)";

class UnknownTasksTest : public InterpretedTest {
 protected:
  // Of that core's data stream.
  void switch_to(std::int64_t time, std::uint64_t core, std::uint64_t task, const char* state,
                 std::uint64_t next) {
    on_stream(static_cast<int>(core));
    say(switch_, time,
        {unsigned_slot(core), unsigned_slot(task), text_slot(state), unsigned_slot(next)});
  }
  void event(const EventClass& of, std::int64_t time, std::uint64_t core, std::uint64_t task,
             std::uint64_t target) {
    on_stream(static_cast<int>(core));
    say(of, time, {unsigned_slot(core), unsigned_slot(task), unsigned_slot(target)});
  }
  void event(const EventClass& of, std::int64_t time, std::uint64_t core) {
    on_stream(static_cast<int>(core));
    say(of, time, {unsigned_slot(core)});
  }
  [[nodiscard]] const EventClass& task_class(const std::string& name) {
    return add_class(name, structure_class({{"core", unsigned_class()},
                                            {"task", unsigned_class()},
                                            {"target", unsigned_class()}}));
  }
  [[nodiscard]] const EventClass& core_class(const std::string& name) {
    return add_class(name, structure_class({{"core", unsigned_class()}}));
  }
  [[nodiscard]] std::vector<std::string> lines(std::string_view with) {
    return marks_with(with, kTable);
  }

  const EventClass& switch_ = add_switch_class();
  const EventClass& wake_ = task_class("wake");
  const EventClass& move_ = task_class("move");
  const EventClass& call_ = core_class("call");
  const EventClass& return_ = core_class("return");
};

TEST_F(UnknownTasksTest, WhoLeavesACoreFirstRanWhenItWasWoken) {
  event(wake_, 10, 1, 7, 0);
  switch_to(20, 0, 7, "ready", 8);
  switch_to(30, 0, 8, "asleep", 7);
  EXPECT_THAT(lines("task 7"),
              ElementsAre("state ready on task 7 at 20", "state running on task 7 at 30"));
  EXPECT_THAT(lines("wait"), IsEmpty());
}

TEST_F(UnknownTasksTest, WhoDoesNotLeaveTheCoreFirstWasWoken) {
  event(wake_, 10, 1, 7, 0);
  switch_to(20, 0, 8, "asleep", 0);
  EXPECT_THAT(lines("task 7"), ElementsAre("state ready on task 7 at 10"));
}

TEST_F(UnknownTasksTest, WhoIsPutOnACoreDidNotRunBefore) {
  event(wake_, 10, 0, 7, 0);
  switch_to(20, 1, 8, "asleep", 7);
  EXPECT_THAT(lines("task 7"),
              ElementsAre("state ready on task 7 at 10", "state running on task 7 at 20"));
  EXPECT_THAT(lines("wait"), ElementsAre("wait wake -> run on core 1 from 10 to 20"));
}

TEST_F(UnknownTasksTest, WhoIsMovedDoesNotRun) {
  event(wake_, 10, 0, 7, 0);
  event(move_, 15, 0, 7, 1);
  EXPECT_THAT(lines("task 7"),
              ElementsAre("state ready on task 7 at 10", "state ready on task 7 at 15"));
}

TEST_F(UnknownTasksTest, WhereTheCoreIsKnownWhoDoesNotRunThereIsWokenAtOnce) {
  switch_to(5, 0, 8, "asleep", 9);
  event(wake_, 10, 1, 7, 0);
  EXPECT_THAT(lines("task 7"), ElementsAre("state ready on task 7 at 10"));
}

TEST_F(UnknownTasksTest, WhatNothingSaysIsNotKnown) {
  event(wake_, 10, 0, 7, 0);
  switch_to(20, 1, 8, "asleep", 9);
  EXPECT_THAT(lines("task 7"), IsEmpty());
}

TEST_F(UnknownTasksTest, WhoWasWokenBeforeALossMayHaveRunThen) {
  event(wake_, 10, 0, 7, 1);
  on_stream(1);
  lose();
  switch_to(30, 1, 8, "asleep", 9);
  EXPECT_THAT(lines("task 7"), IsEmpty());
}

TEST_F(UnknownTasksTest, ACallThatBeganBeforeItsTaskWasKnownIsOfWhoLeavesTheCore) {
  event(call_, 10, 0);
  switch_to(20, 0, 7, "asleep", 8);
  event(call_, 30, 0);
  event(return_, 40, 0);
  switch_to(50, 0, 8, "asleep", 7);
  event(return_, 60, 0);
  EXPECT_THAT(lines("end call"), ElementsAre("end call on calls of 8 from 30 to 40",
                                             "end call on calls of 0 from 10 to 60"));
  EXPECT_EQ(counts().open_at_end, 0U);
  EXPECT_EQ(counts().began_before, 0U);
}

TEST_F(UnknownTasksTest, BehindALossACallIsNotThatFromBefore) {
  switch_to(5, 0, 8, "asleep", 7);
  event(call_, 10, 0);
  lose();
  event(call_, 20, 0);
  switch_to(30, 0, 7, "asleep", 8);
  switch_to(40, 0, 8, "asleep", 7);
  event(return_, 50, 0);
  EXPECT_THAT(lines("end call"), ElementsAre("end call on calls of 7 from 10 to 10 inferred lost",
                                             "end call on calls of 0 from 20 to 50"));
}

TEST_F(UnknownTasksTest, WhatRunsOnACoreOfOneTraceSaysNothingOfAnother) {
  render::SampleTrace other;
  const EventClass& other_switch =
      other.add(other.event_class(1, "switch",
                                  structure_class({{"core", unsigned_class()},
                                                   {"task", unsigned_class()},
                                                   {"state", string_class()},
                                                   {"next", unsigned_class()}})));
  switch_to(10, 0, 8, "asleep", 7);
  event(call_, 20, 0);
  say(other.event(other_switch, 30,
                  {unsigned_slot(0), unsigned_slot(1), text_slot("asleep"), unsigned_slot(2)}));
  event(return_, 40, 0);
  EXPECT_THAT(lines("end call"), ElementsAre("end call on calls of 7 from 20 to 40"));
}

TEST_F(UnknownTasksTest, BehindTheDamagedEndOfADataStreamNothingIsKnownOfTasks) {
  switch_to(5, 0, 8, "asleep", 7);
  switch_to(10, 1, 6, "asleep", 9);
  on_stream(1);
  end_in_damage();
  event(wake_, 20, 0, 6, 0);
  switch_to(30, 0, 7, "asleep", 8);
  EXPECT_THAT(lines("task 7"),
              ElementsAre("state running on task 7 at 5", "state unknown on task 7 at 10 lost",
                          "state asleep on task 7 at 30", "state unknown on task 7 at 30 lost"));
  EXPECT_THAT(lines("task 9"),
              ElementsAre("state running on task 9 at 10", "state unknown on task 9 at 10 lost"));
}

constexpr std::string_view kRepeating = R"(table = "repeating"
[[track]]
id = "task"
kind = "task"
name = "task {task}"
key = ["task"]
[[schedule]]
event = "in"
cpu = ["0"]
next = "task"
next_name = "task {task}"
track = "task"
[[state]]
event = "ready"
track = "task"
name = "ready"
unless = "running"
not_behind = "given back"
not_before = "inherited"
[[wait]]
name = "ready -> run"
from = "ready"
to = "in"
match = ["task"]
state = "task"
unless = ["running", "ready"]
track = "task"
)";

class RepeatedStatesTest : public InterpretedTest {
 protected:
  void say(const EventClass& of, std::int64_t time, std::uint64_t task) {
    InterpretedTest::say(of, time, {unsigned_slot(task)});
  }
  [[nodiscard]] const EventClass& task_class(const std::string& name) {
    return add_class(name, structure_class({{"task", unsigned_class()}}));
  }
  const EventClass& in_ = task_class("in");
  const EventClass& ready_ = task_class("ready");
  const EventClass& inherited_ = task_class("inherited");
  const EventClass& given_back_ = task_class("given back");
};

TEST_F(RepeatedStatesTest, WhatIsSaidOnceIsNew) {
  say(ready_, 10, 7);
  say(ready_, 15, 8);
  say(in_, 20, 7);
  EXPECT_THAT(
      marks(kRepeating),
      ElementsAre("state ready on task 7 at 10", "state running on task 7 at 20",
                  "wait ready -> run on task 7 from 10 to 20", "state ready on task 8 at 15"));
}

TEST_F(RepeatedStatesTest, RightBeforeAnotherItIsNot) {
  say(ready_, 10, 7);
  say(inherited_, 11, 7);
  say(in_, 20, 7);
  EXPECT_THAT(marks(kRepeating), ElementsAre("state running on task 7 at 20"));
}

TEST_F(RepeatedStatesTest, RightBehindAnotherItIsNot) {
  say(given_back_, 10, 7);
  say(ready_, 11, 7);
  say(in_, 20, 7);
  EXPECT_THAT(marks(kRepeating), ElementsAre("state running on task 7 at 20"));
}

TEST_F(RepeatedStatesTest, WhatIsSaidOnceMoreIsRepeatedThen) {
  say(ready_, 10, 7);
  say(ready_, 14, 7);
  say(inherited_, 15, 7);
  say(in_, 20, 7);
  EXPECT_THAT(marks(kRepeating),
              ElementsAre("state ready on task 7 at 10", "state running on task 7 at 20",
                          "wait ready -> run on task 7 from 10 to 20"));
}

TEST_F(RepeatedStatesTest, WhoWaitsBehindALossMayHaveRunInIt) {
  say(ready_, 10, 7);
  lose();
  say(ready_, 25, 8);
  say(ready_, 30, 7);
  say(in_, 40, 7);
  const std::vector<std::string> seen = marks(kRepeating);
  EXPECT_THAT(seen, testing::IsSupersetOf({"state ready on task 7 at 30",
                                           "wait ready -> run on task 7 from 30 to 40"}));
  EXPECT_EQ(std::ranges::count_if(seen, [](const auto& each) { return each.contains("wait"); }), 1);
}

TEST_F(RepeatedStatesTest, RightBehindALossItMayBeRepeated) {
  say(ready_, 15, 8);
  lose();
  say(ready_, 30, 7);
  say(in_, 40, 7);
  const std::vector<std::string> seen = marks(kRepeating);
  EXPECT_THAT(seen, testing::Contains("state running on task 7 at 40"));
  EXPECT_TRUE(std::ranges::none_of(seen, [](const auto& each) {
    return each.starts_with("wait") || each.starts_with("state ready on task 7");
  }));
}

}  // namespace
}  // namespace tracedeck::timeline
