// What several threads do as one worker, told apart by their data streams, and damage in inputs of
// such.
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
using testing::IsEmpty;
using testing::Not;

class WorkerTest : public InterpretedTest {
 protected:
  static constexpr std::string_view kTable = R"(
table = "small"
streams_overlap = true
[[track]]
id = "worker"
kind = "thread"
name = "worker {worker}"
key = ["worker"]
[[track]]
id = "mode"
kind = "state"
name = "mode {worker}"
key = ["worker"]
parent = "worker"
tid = "thread"
[[track]]
id = "task"
kind = "state"
name = "task {task}"
key = ["task"]
[[slice]]
id = "poll"
begin = "start"
end = "stop"
match = ["worker"]
again = "mix"
by_stream = true
state = "mode"
begun = "active"
track = "worker"
category = "poll"
name = "{task}"
[[state]]
event = "park"
track = "mode"
name = "parked"
[[wait]]
name = "wake"
from = "wake"
to = "start"
match = ["task"]
track = "worker"
during = "poll"
state = "task"
asked = "runnable"
served = "polled"
over = "waiting"
unasked = "not running"
)";
  void say(int stream, const EventClass& of, std::int64_t time, std::uint64_t what) {
    on_stream(stream);
    InterpretedTest::say(of, time, {unsigned_slot(0), unsigned_slot(what)});
  }
  [[nodiscard]] const EventClass& small_class(const std::string& name, const std::string& what) {
    return add_class(name,
                     structure_class({{"worker", unsigned_class()}, {what, unsigned_class()}}));
  }
  // The lines that say something of it.
  [[nodiscard]] std::vector<std::string> lines(std::string_view of) {
    return marks_with(of, kTable);
  }
  // The same where it is said which tasks are made.
  [[nodiscard]] std::vector<std::string> born_lines(std::string_view of) {
    return marks_with(of, std::string(kTable) + "born = \"make\"\n");
  }

  const EventClass& start_ = small_class("start", "task");
  const EventClass& stop_ = small_class("stop", "none");
  const EventClass& wake_ = small_class("wake", "task");
  const EventClass& park_ = small_class("park", "thread");
  const EventClass& make_ = small_class("make", "task");
};

TEST_F(WorkerTest, AnEndIsOfWhatBeganInItsDataStream) {
  say(0, start_, 10, 1);
  say(1, start_, 20, 2);
  say(0, stop_, 30, 0);
  say(1, stop_, 40, 0);
  EXPECT_THAT(lines("poll "),
              ElementsAre("begin poll 1 on worker 0 at 10", "begin poll 2 on worker 0 (2) at 20",
                          "end poll 1 on worker 0 from 10 to 30",
                          "end poll 2 on worker 0 (2) from 20 to 40"));
  EXPECT_THAT(lines("task 1"),
              ElementsAre("state polled on task 1 at 10", "state not running on task 1 at 30"));
  EXPECT_THAT(notices(), Not(Contains(HasSubstr("poll"))));
}

TEST_F(WorkerTest, ElseOfWhatBeganInOneThatEndedBefore) {
  say(0, start_, 10, 1);
  say(1, stop_, 20, 0);
  EXPECT_THAT(lines("end"), ElementsAre("end poll 1 on worker 0 from 10 to 20"));
}

TEST_F(WorkerTest, UnlessTheTraceBeganLaterThanTheProgram) {
  say(0, wake_, 5, 3);
  say(0, start_, 10, 1);
  say(1, stop_, 20, 0);
  say(1, start_, 30, 2);
  say(1, stop_, 40, 0);
  EXPECT_THAT(born_lines("end"), ElementsAre("end poll 1 on worker 0 from 10 to 20",
                                             "end poll 2 on worker 0 from 30 to 40"));
  EXPECT_THAT(born_lines("task 1"),
              ElementsAre("state polled on task 1 at 10", "state unknown on task 1 at 20",
                          "state not running on task 1 at 20"));
  EXPECT_THAT(notices(), Not(Contains(HasSubstr("before the trace"))));
}

TEST_F(WorkerTest, WhatIsAskedForBehindADoubtfulEndWaitsOnceThatIsKnown) {
  say(0, wake_, 5, 3);
  say(0, start_, 10, 1);
  say(1, stop_, 20, 0);
  say(1, wake_, 25, 1);
  say(1, start_, 30, 2);
  say(1, stop_, 40, 0);
  say(1, start_, 50, 1);
  EXPECT_THAT(born_lines("task 1"),
              ElementsAre("state polled on task 1 at 10", "state unknown on task 1 at 20",
                          "state not running on task 1 at 20", "state runnable on task 1 at 25",
                          "state polled on task 1 at 50"));
  EXPECT_THAT(born_lines("wait "), ElementsAre("wait wake on worker 0 from 25 to 50"));
}

TEST_F(WorkerTest, WhatIsServedElsewhereBehindADoubtfulEndWaitedForAnUnknownTime) {
  say(0, wake_, 5, 3);
  say(0, start_, 10, 1);
  say(1, stop_, 20, 0);
  say(1, wake_, 25, 1);
  on_stream(2);
  InterpretedTest::say(start_, 30, {unsigned_slot(1), unsigned_slot(1)});
  InterpretedTest::say(stop_, 40, {unsigned_slot(1), unsigned_slot(0)});
  say(1, start_, 50, 2);
  EXPECT_THAT(born_lines("wait "), ElementsAre("wait wake on worker 1 from 25 to 30 inferred"));
  EXPECT_THAT(born_lines("task 1"),
              ElementsAre("state polled on task 1 at 10", "state unknown on task 1 at 20",
                          "state polled on task 1 at 30", "state waiting on task 1 at 40"));
}

TEST_F(WorkerTest, ADoubtfulEndThatNothingFollowsIsShownWhereItIs) {
  say(0, wake_, 5, 3);
  say(0, start_, 10, 1);
  say(1, stop_, 20, 0);
  say(1, wake_, 90, 1);
  EXPECT_THAT(born_lines("end"), ElementsAre("end poll 1 on worker 0 from 10 to 20 inferred"));
}

TEST_F(WorkerTest, ATaskWhoseNumberComesAgainWaits) {
  const EventClass& gone = small_class("gone", "task");
  const std::string table = std::string(kTable) + "born = \"make\"\ncancel = \"gone\"\n";
  say(0, make_, 1, 1);
  say(0, wake_, 5, 1);
  say(0, start_, 10, 1);
  say(0, stop_, 20, 0);
  say(0, gone, 21, 1);
  say(0, wake_, 22, 1);
  say(0, make_, 30, 1);
  say(0, wake_, 35, 1);
  say(0, start_, 40, 1);
  EXPECT_THAT(marks_with("wait ", table), ElementsAre("wait wake on worker 0 from 5 to 10",
                                                      "wait wake on worker 0 from 35 to 40"));
}

// A thread that lost its worker begins nothing more on it.
TEST_F(WorkerTest, AnEndWhoseDataStreamDoesNotGoOnMayBeOfAnother) {
  const auto expect_doubt = [&](std::string_view second) {
    EXPECT_THAT(born_lines("end"),
                ElementsAre("end poll 1 on worker 0 from 10 to 20 inferred", second));
    EXPECT_THAT(notices(), Contains(HasSubstr("what began before the trace may still be open")));
    forget();
  };
  say(0, wake_, 5, 3);
  say(0, start_, 10, 1);
  say(1, stop_, 20, 0);
  say(0, start_, 30, 2);
  say(0, stop_, 40, 0);
  expect_doubt("end poll 2 on worker 0 from 30 to 40");
  say(0, wake_, 5, 3);
  say(0, start_, 10, 1);
  say(1, stop_, 20, 0);
  say(1, stop_, 30, 0);
  say(1, start_, 40, 2);
  say(1, stop_, 50, 0);
  expect_doubt("end poll 2 on worker 0 from 40 to 50");
  say(0, wake_, 5, 3);
  say(0, start_, 10, 1);
  say(1, stop_, 20, 0);
  EXPECT_THAT(born_lines("end"), ElementsAre("end poll 1 on worker 0 from 10 to 20 inferred"));
}

TEST_F(WorkerTest, WhoIsMadeInTheTraceWasNotThereBefore) {
  say(0, make_, 5, 1);
  say(0, start_, 10, 1);
  say(1, stop_, 20, 0);
  EXPECT_THAT(born_lines("end"), ElementsAre("end poll 1 on worker 0 from 10 to 20"));
  EXPECT_THAT(born_lines("task 1"),
              ElementsAre("state polled on task 1 at 10", "state not running on task 1 at 20"));
  EXPECT_THAT(notices(), Not(Contains(HasSubstr("before the trace"))));
}

TEST_F(WorkerTest, AThreadHasOneDataStreamAtATime) {
  say(1, start_, 1, 7);
  say(1, stop_, 5, 0);
  say(0, start_, 10, 1);
  say(1, stop_, 20, 0);
  say(0, stop_, 30, 0);
  EXPECT_THAT(
      lines("poll "),
      ElementsAre("begin poll 7 on worker 0 at 1", "end poll 7 on worker 0 from 1 to 5",
                  "begin poll 1 on worker 0 at 10", "instant poll ? on worker 0 at 20 unmatched",
                  "end poll 1 on worker 0 from 10 to 30"));
}

TEST_F(WorkerTest, WhichOfTwoThatAreNotToldApartEndedIsNotKnown) {
  say(0, start_, 10, 1);
  say(0, start_, 20, 2);
  say(0, wake_, 25, 1);
  say(0, stop_, 30, 0);
  say(0, wake_, 35, 1);
  say(0, stop_, 40, 0);
  say(0, start_, 50, 1);
  EXPECT_THAT(lines("end"), ElementsAre("end poll 2 on worker 0 (2) from 20 to 30 inferred",
                                        "end poll 1 on worker 0 from 10 to 40 inferred",
                                        "end poll 1 on worker 0 from 50 to 50 open"));
  EXPECT_THAT(lines("task 1"),
              ElementsAre("state polled on task 1 at 10", "state unknown on task 1 at 30",
                          "state polled on task 1 at 50"));
  EXPECT_THAT(lines("wait "), IsEmpty());
  EXPECT_THAT(notices(), Contains(HasSubstr("of several `poll` that are open at once")));
}

// Of two that may have ended, one did.
TEST_F(WorkerTest, WhatMayBeOverIsNotOpen) {
  say(0, start_, 10, 1);
  say(0, start_, 20, 2);
  say(0, stop_, 30, 0);
  EXPECT_THAT(lines("end"), ElementsAre("end poll 2 on worker 0 (2) from 20 to 30 inferred",
                                        "end poll 1 on worker 0 from 10 to 30 inferred"));
  EXPECT_EQ(counts().open_at_end, 0U);
}

// A value says nothing of when its data stream began.
TEST_F(WorkerTest, WhatIsRecordedLateIsNoSignOfAnotherThread) {
  const EventClass& note = small_class("note", "value");
  say(1, note, 5, 0);
  say(0, start_, 10, 1);
  say(1, stop_, 20, 0);
  const std::string table =
      std::string(kTable) + "[[instant]]\nevent = \"note\"\ntrack = \"worker\"\nname = \"note\"\n";
  EXPECT_THAT(marks(table), Contains("end poll 1 on worker 0 from 10 to 20"));
}

// The end may be of what began before the trace did.
TEST_F(WorkerTest, AnEndOfAnotherDataStreamSaysNothingOfWhomTheWorkerLeft) {
  say(0, start_, 10, 1);
  say(1, park_, 15, 77);
  say(1, stop_, 20, 0);
  EXPECT_THAT(lines("end"), ElementsAre("end poll 1 on worker 0 from 10 to 20 inferred"));
}

TEST_F(WorkerTest, WhatIsBegunSaysTheStateWhereNoneIsKnown) {
  say(0, start_, 10, 1);
  say(0, stop_, 20, 0);
  say(0, park_, 30, 77);
  say(0, start_, 40, 1);
  EXPECT_THAT(lines("mode"),
              ElementsAre("state active on mode 0 at 10", "state parked on mode 0 at 30"));
}

// What it takes counts from there on.
TEST_F(WorkerTest, AStateThatIsSaidBeginsAnewBehindOneThatWasBegun) {
  const EventClass& unpark = add_class("unpark", structure_class({{"worker", unsigned_class()},
                                                                  {"thread", unsigned_class()},
                                                                  {"time", unsigned_class()}}));
  const auto go_on = [&](std::int64_t time, std::uint64_t thread, std::uint64_t cpu_time) {
    InterpretedTest::say(unpark, time,
                         {unsigned_slot(0), unsigned_slot(thread), unsigned_slot(cpu_time)});
  };
  say(0, start_, 10, 1);
  go_on(20, 77, 1000);
  go_on(30, 77, 1007);
  go_on(40, 78, 5);
  const std::string table =
      std::string(kTable) +
      "[[state]]\nevent = \"unpark\"\ntrack = \"mode\"\nname = \"active\"\nspent = \"time\"\n";
  std::vector<std::string> found = marks(table);
  std::erase_if(found, [](const std::string& line) { return !line.contains("mode"); });
  EXPECT_THAT(found, ElementsAre("state active on mode 0 at 10", "state unknown on mode 0 at 20",
                                 "state active on mode 0 at 20", "state unknown on mode 0 at 40",
                                 "state active on mode 0 at 40"));
}

TEST_F(WorkerTest, WhoWasNeverAskedMayDoSomethingElse) {
  say(0, start_, 10, 1);
  say(0, stop_, 20, 0);
  say(0, wake_, 30, 1);
  say(0, start_, 40, 1);
  say(0, stop_, 50, 0);
  EXPECT_THAT(lines("task 1"),
              ElementsAre("state polled on task 1 at 10", "state not running on task 1 at 20",
                          "state runnable on task 1 at 30", "state polled on task 1 at 40",
                          "state waiting on task 1 at 50"));
}

TEST_F(WorkerTest, NothingIsKnownFromDamageOnUntilAllPartsHaveEnded) {
  make_parts();
  say(0, wake_, 5, 1);
  damage();
  say(1, start_, 10, 1);
  say(1, stop_, 20, 0);
  say(1, wake_, 25, 1);
  end_parts();
  say(1, start_, 30, 1);
  say(1, stop_, 40, 0);
  say(1, wake_, 50, 1);
  say(1, start_, 60, 1);
  EXPECT_THAT(lines("end"), ElementsAre("end poll 1 on worker 0 from 10 to 20 lost",
                                        "end poll 1 on worker 0 from 30 to 40",
                                        "end poll 1 on worker 0 from 60 to 60 open"));
  EXPECT_THAT(lines("wait "), ElementsAre("wait wake on worker 0 from 5 to 10 lost",
                                          "wait wake on worker 0 from 50 to 60"));
  EXPECT_THAT(lines("gap"), ElementsAre("gap damage damaged from 5 to 25"));
  EXPECT_EQ(counts().gaps, 1U);
}

TEST_F(WorkerTest, DamageBeforeTheFirstEventCostsTheSame) {
  make_parts();
  damage();
  say(1, start_, 10, 1);
  say(1, stop_, 20, 0);
  end_parts();
  say(1, start_, 30, 1);
  say(1, stop_, 40, 0);
  EXPECT_THAT(lines("end"), ElementsAre("end poll 1 on worker 0 from 10 to 20 lost",
                                        "end poll 1 on worker 0 from 30 to 40"));
  EXPECT_EQ(counts().gaps, 1U);
}

TEST_F(WorkerTest, DamageEndsWhereAFileWasBegunBehindIt) {
  make_parts();
  say(0, start_, 1, 1);
  damage();
  say(0, stop_, 10, 0);
  begin_part_behind_damage(20);
  say(0, start_, 15, 1);
  say(0, stop_, 22, 0);
  say(0, start_, 25, 1);
  say(0, stop_, 30, 0);
  EXPECT_THAT(lines("end"), ElementsAre("end poll 1 on worker 0 from 1 to 10 lost",
                                        "end poll 1 on worker 0 from 15 to 22 lost",
                                        "end poll 1 on worker 0 from 25 to 30"));
  EXPECT_THAT(lines("gap"), ElementsAre("gap damage damaged from 1 to 20"));
}

TEST_F(WorkerTest, DamageOfOtherInputsEndsWithTheNextEvent) {
  say(0, wake_, 5, 1);
  damage();
  say(1, start_, 10, 1);
  say(1, stop_, 20, 0);
  EXPECT_THAT(lines("end"), ElementsAre("end poll 1 on worker 0 from 10 to 20"));
  EXPECT_THAT(lines("gap"), ElementsAre("gap damage damaged from 5 to 10"));
}

TEST_F(WorkerTest, TablesSayWhatGoesTogether) {
  const auto problem = [&](std::string_view from, std::string_view to) {
    std::string text(kTable);
    text.replace(text.find(from), from.size(), to);
    const auto parsed = parse_table(text, "test.toml");
    const Result<void> checked = parsed ? check_table(*parsed) : std::unexpected(parsed.error());
    return checked ? std::string() : checked.error().message;
  };
  EXPECT_EQ(problem("by_stream", "by_stream"), "");
  EXPECT_THAT(problem("again = \"mix\"\n", ""), HasSubstr("with `by_stream`, `again` is `mix`"));
  EXPECT_THAT(problem("begun = \"active\"\n", ""), HasSubstr("`state` and `begun` go together"));
  EXPECT_THAT(problem("state = \"mode\"", "state = \"worker\""),
              HasSubstr("the track `worker` is to be of kind state"));
  EXPECT_THAT(problem("during = \"poll\"\n", "born = \"make\"\n"),
              HasSubstr("`born` is of waits `during` slices that are `by_stream`"));
}

}  // namespace
}  // namespace tracedeck::timeline
