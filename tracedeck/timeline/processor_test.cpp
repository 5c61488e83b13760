// Which processor an event is of: `Table::processor`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tracedeck/timeline/interpreted_test.hpp"

namespace tracedeck::timeline {
namespace {

using render::structure_class;
using render::unsigned_class;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class ProcessorTest : public InterpretedTest {
 protected:
  static constexpr std::string_view kTable = R"(
table = "small"
processor = "cpu"
[[track]]
id = "task"
kind = "task"
name = "task {task}"
key = ["task"]
[[track]]
id = "calls"
name = "calls of {current.task}"
key = ["current.task ?? processor"]
[[current]]
event = "in"
of = ["processor"]
set = { task = "task" }
[[schedule]]
event = "in"
cpu = ["processor"]
next = "task"
next_name = "task {task}"
previous_state = "off"
track = "task"
[[schedule]]
event = "out"
cpu = ["processor"]
previous = "task"
previous_name = "task {task}"
previous_state = "off"
next = "0"
next_name = "none"
idle = "0 == 0"
track = "task"
[[state]]
event = "moved"
track = "task"
name = "off"
within = "off"
cpu = "cpu"
[[slice]]
begin = "enter"
end = "exit"
match = ["current.task ?? processor"]
track = "calls"
name = "call"
)";
  void say(const EventClass& of, std::int64_t time, std::uint64_t task) {
    InterpretedTest::say(of, time, {unsigned_slot(task)});
  }
  void say(const EventClass& of, std::int64_t time, std::uint64_t task, std::uint64_t cpu) {
    InterpretedTest::say(of, time, {unsigned_slot(task), unsigned_slot(cpu)});
  }
  [[nodiscard]] const EventClass& task_class(const std::string& name) {
    return add_class(name, structure_class({{"task", unsigned_class()}}));
  }
  [[nodiscard]] const EventClass& placed_class(const std::string& name) {
    return add_class(name,
                     structure_class({{"task", unsigned_class()}, {"cpu", unsigned_class()}}));
  }
};

TEST_F(ProcessorTest, WhereNoneIsSaidThereIsOne) {
  const EventClass& in = task_class("in");
  const EventClass& out = task_class("out");
  const EventClass& enter = task_class("enter");
  const EventClass& exit = task_class("exit");
  say(in, 10, 1);
  say(enter, 12, 0);
  say(exit, 15, 0);
  say(out, 20, 1);
  say(in, 30, 2);
  EXPECT_THAT(marks(kTable),
              ElementsAre("state running on task 1 at 10", "begin call on calls of 1 at 12",
                          "end call on calls of 1 from 12 to 15", "state off on task 1 at 20",
                          "state running on task 2 at 30"));
  EXPECT_THAT(notices(), Not(Contains(HasSubstr("on which processor"))));
}

TEST_F(ProcessorTest, TasksThatRunAtOnceGoByThemselvesAndCallsCannotBeToldApart) {
  const EventClass& in = task_class("in");
  const EventClass& out = task_class("out");
  const EventClass& enter = task_class("enter");
  const EventClass& exit = task_class("exit");
  say(in, 10, 1);
  say(enter, 12, 0);
  say(in, 20, 2);
  say(exit, 25, 0);
  say(out, 30, 1);
  say(enter, 32, 0);
  say(out, 40, 2);
  EXPECT_THAT(
      marks(kTable),
      ElementsAre("state running on task 1 at 10", "begin call on calls of 1 at 12",
                  "end call on calls of 1 from 12 to 20 inferred", "state running on task 2 at 20",
                  "state off on task 1 at 30", "state off on task 2 at 40"));
  EXPECT_EQ(counts().without_field, 2);
  EXPECT_THAT(notices(), Contains(HasSubstr("do not say on which processor")));
}

TEST_F(ProcessorTest, ATaskThatLeavesAndDidNotRunThereRanElsewhere) {
  const EventClass& in = task_class("in");
  const EventClass& out = task_class("out");
  say(in, 10, 1);
  say(out, 20, 2);
  say(out, 30, 1);
  EXPECT_THAT(marks(kTable), ElementsAre("state running on task 1 at 10",
                                         "state off on task 2 at 20", "state off on task 1 at 30"));
}

TEST_F(ProcessorTest, WhatIsSaidIsToldApart) {
  const EventClass& in = placed_class("in");
  const EventClass& enter = placed_class("enter");
  const EventClass& exit = placed_class("exit");
  say(in, 10, 1, 0);
  say(enter, 11, 0, 0);
  say(in, 12, 2, 1);
  say(enter, 13, 0, 1);
  say(exit, 14, 0, 0);
  say(exit, 16, 0, 1);
  EXPECT_THAT(
      marks(kTable),
      ElementsAre("state running on task 1 at 10", "begin call on calls of 1 at 11",
                  "state running on task 2 at 12", "begin call on calls of 2 at 13",
                  "end call on calls of 1 from 11 to 14", "end call on calls of 2 from 13 to 16"));
  EXPECT_THAT(notices(), Not(Contains(HasSubstr("on which processor"))));
}

TEST_F(ProcessorTest, WhatBeginsBeforeATaskIsKnownIsOfTheOneThatLeaves) {
  const EventClass& in = task_class("in");
  const EventClass& out = task_class("out");
  const EventClass& enter = task_class("enter");
  const EventClass& exit = task_class("exit");
  say(enter, 5, 0);
  say(out, 10, 1);
  say(in, 20, 1);
  say(exit, 25, 0);
  EXPECT_THAT(marks(kTable),
              ElementsAre("begin call on calls of ? at 5", "state off on task 1 at 10",
                          "state running on task 1 at 20", "end call on calls of ? from 5 to 25"));
}

TEST_F(ProcessorTest, WhatBeginsBeforeAnotherTaskComesEndsThere) {
  const EventClass& in = task_class("in");
  const EventClass& enter = task_class("enter");
  say(enter, 5, 0);
  say(in, 10, 2);
  EXPECT_THAT(marks(kTable), ElementsAre("begin call on calls of ? at 5",
                                         "end call on calls of ? from 5 to 10 inferred",
                                         "state running on task 2 at 10"));
}

TEST_F(ProcessorTest, AStateSaysItsProcessorWithinAnother) {
  const EventClass& in = placed_class("in");
  const EventClass& out = placed_class("out");
  const EventClass& moved = placed_class("moved");
  say(in, 10, 1, 0);
  say(moved, 15, 1, 1);
  say(out, 20, 1, 0);
  say(moved, 25, 1, 1);
  EXPECT_THAT(marks(kTable), ElementsAre("state running on task 1 at 10",
                                         "state off on task 1 at 20", "state off on task 1 at 25"));
}

}  // namespace
}  // namespace tracedeck::timeline
