// What a scheduler's events say of threads that are made, woken and end, and where some were lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tracedeck/render/sample_trace_test.hpp"
#include "tracedeck/timeline/interpreted_test.hpp"

namespace tracedeck::timeline {
namespace {

using render::string_class;
using render::structure_class;
using render::text_slot;
using render::unsigned_class;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

constexpr std::string_view kScheduler = R"(table = "scheduler"
[[track]]
id = "core"
kind = "cpu"
name = "core"
[[track]]
id = "task"
kind = "task"
name = "task {task}"
key = ["task"]
ends = "gone"
[[track]]
id = "calls"
kind = "thread"
name = "calls of {task}"
key = ["task"]
[[schedule]]
event = "switch"
cpu = ["core"]
next = "next"
previous = "task"
next_name = "task {next}"
previous_name = "task {task}"
previous_state = "{state}"
unclear = "perhaps *"
idle = "next == 0"
track = "task"
[[pending]]
event = "exit"
cpu = ["core"]
task = "task"
state = "gone"
lasting = true
[[slice]]
begin = "call"
end = "return"
match = ["task"]
track = "calls"
name = "call"
ends_with = "task"
born = "make"
born_key = "task"
[[state]]
event = "wake"
track = "task"
name = "ready"
unless = "running"
[[wait]]
name = "wake -> run"
from = "wake"
to = "switch"
match = ["a.task == b.next"]
state = "task"
unless = ["running", "ready"]
track = "core"
)";

class TaskLifeTest : public InterpretedTest {
 protected:
  void switch_to(std::int64_t time, std::uint64_t task, const char* state, std::uint64_t next) {
    say(switch_, time,
        {unsigned_slot(0), unsigned_slot(task), text_slot(state), unsigned_slot(next)});
  }
  void event(const EventClass& of, std::int64_t time, std::uint64_t task) {
    say(of, time, {unsigned_slot(0), unsigned_slot(task)});
  }
  [[nodiscard]] const EventClass& task_class(const std::string& name) {
    return add_class(name,
                     structure_class({{"core", unsigned_class()}, {"task", unsigned_class()}}));
  }
  [[nodiscard]] std::vector<std::string> lines(std::string_view with) {
    return marks_with(with, kScheduler);
  }

  const EventClass& switch_ = add_switch_class();
  const EventClass& wake_ = task_class("wake");
  const EventClass& exit_ = task_class("exit");
  const EventClass& make_ = task_class("make");
  const EventClass& call_ = task_class("call");
  const EventClass& return_ = task_class("return");
};

TEST_F(TaskLifeTest, StatesEndWithTheTask) {
  switch_to(10, 0, "idle", 7);
  switch_to(20, 7, "gone", 0);
  switch_to(50, 0, "idle", 8);
  EXPECT_THAT(lines("on task 7"),
              ElementsAre("state running on task 7 at 10", "state gone on task 7 at 20",
                          "state unknown on task 7 at 20"));
}

TEST_F(TaskLifeTest, ItsExitDecidesWhatAnUnclearStateIs) {
  switch_to(10, 0, "idle", 7);
  event(exit_, 15, 7);
  switch_to(20, 7, "ready", 8);
  switch_to(30, 8, "perhaps 1", 7);
  switch_to(40, 7, "perhaps 1", 0);
  EXPECT_THAT(lines("on task"),
              ElementsAre("state running on task 7 at 10", "state ready on task 7 at 20",
                          "state running on task 8 at 20", "state perhaps 1 on task 8 at 30",
                          "state running on task 7 at 30", "state gone on task 7 at 40",
                          "state unknown on task 7 at 40"));
}

TEST_F(TaskLifeTest, WhatIsOpenEndsWithTheTaskAndHasNoDuration) {
  switch_to(10, 0, "idle", 7);
  event(call_, 12, 7);
  switch_to(20, 7, "gone", 0);
  switch_to(50, 0, "idle", 8);
  EXPECT_THAT(lines("call on"), ElementsAre("begin call on calls of 7 at 12",
                                            "end call on calls of 7 from 12 to 20"));
  EXPECT_EQ(counts().ended_with_task, 1U);
  EXPECT_EQ(counts().open_at_end, 0U);
}

TEST_F(TaskLifeTest, TheFirstEndOfWhoIsMadeIsOfWhatAnotherBegan) {
  event(make_, 10, 9);
  event(return_, 20, 9);
  event(call_, 30, 9);
  event(return_, 40, 9);
  event(return_, 50, 9);
  EXPECT_THAT(lines("call on"),
              ElementsAre("begin call on calls of 9 at 30", "end call on calls of 9 from 30 to 40",
                          "instant call on calls of 9 at 50 unmatched"));
  EXPECT_EQ(counts().began_before, 0U);
}

TEST_F(TaskLifeTest, AnEndThatSaysSoIsOfWhatAnotherBegan) {
  std::string table(kScheduler);
  const std::string_view born = "born_key = \"task\"\n";
  table.insert(table.find(born) + born.size(), "inherited = \"task == 9\"\n");
  event(return_, 10, 9);
  event(call_, 20, 9);
  event(return_, 30, 9);
  event(return_, 40, 8);
  EXPECT_THAT(marks_with("call on", table),
              ElementsAre("begin call on calls of 9 at 20", "end call on calls of 9 from 20 to 30",
                          "begin call on calls of 8 at 10 before",
                          "end call on calls of 8 from 10 to 40 before"));
}

TEST_F(TaskLifeTest, AWakeOfWhoRunsOrIsReadyIsNoWait) {
  switch_to(10, 0, "idle", 7);
  event(wake_, 12, 7);
  switch_to(20, 7, "ready", 8);
  event(wake_, 22, 7);
  switch_to(30, 8, "asleep", 7);
  switch_to(40, 7, "asleep", 0);
  event(wake_, 50, 7);
  switch_to(60, 0, "idle", 7);
  EXPECT_THAT(lines("wait"), ElementsAre("wait wake -> run on core from 50 to 60"));
}

TEST_F(TaskLifeTest, StatesCountUpToALossOfAnyStreamAndThoseThatRunOn) {
  switch_to(10, 0, "idle", 7);
  on_stream(1);
  event(wake_, 20, 8);
  on_stream(0);
  lose();
  switch_to(40, 7, "asleep", 8);
  const std::vector<std::string> all = lines("on task");
  EXPECT_THAT(all, Contains("state unknown on task 7 at 10 lost"));
  EXPECT_THAT(all, Contains("state unknown on task 8 at 20 lost"));
}

TEST_F(TaskLifeTest, AWaitIsAcrossALossUntilTheNextEventOfItsStream) {
  switch_to(10, 0, "idle", 7);
  lose();
  on_stream(1);
  event(wake_, 20, 8);
  on_stream(0);
  switch_to(40, 7, "asleep", 8);
  event(wake_, 50, 7);
  switch_to(60, 8, "asleep", 7);
  EXPECT_THAT(lines("wait"), ElementsAre(HasSubstr("from 20 to 40 lost"),
                                         "wait wake -> run on core from 50 to 60"));
}

TEST_F(TaskLifeTest, AWideLossBeforeTheFirstEventIsOverWithIt) {
  on_stream(1);
  lose();
  on_stream(0);
  event(wake_, 10, 9);
  switch_to(20, 7, "asleep", 9);
  on_stream(1);
  event(wake_, 30, 7);
  EXPECT_THAT(marks("wide_losses = true\n" + std::string(kScheduler)),
              Not(Contains(EndsWith(" lost"))));
}

}  // namespace
}  // namespace tracedeck::timeline
