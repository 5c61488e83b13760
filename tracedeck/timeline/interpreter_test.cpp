// What tables and their rules make of events.

#include "tracedeck/timeline/interpreter.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/model/batch.hpp"
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
using testing::IsEmpty;

constexpr std::string_view kJobs = R"(table = "jobs"
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
[[slice]]
begin = "start"
end = "stop"
match = ["worker"]
track = "worker"
name = "job {job}"
[[state]]
event = "mode"
track = "mode"
name = "mode {job}"
[[wait]]
name = "asked -> start"
from = "ask"
to = "start"
match = ["job"]
track = "worker"
)";

constexpr std::int64_t kSecond = 1'000'000'000;

// Jobs on workers.
class JobsTest : public InterpretedTest {
 protected:
  void say(const EventClass& of, std::int64_t time, std::uint64_t worker, std::uint64_t job) {
    InterpretedTest::say(of, time, {unsigned_slot(worker), unsigned_slot(job)});
  }
  [[nodiscard]] const EventClass& job_class(const std::string& name) {
    return add_class(name,
                     structure_class({{"worker", unsigned_class()}, {"job", unsigned_class()}}));
  }

  const EventClass& start_ = job_class("start");
  const EventClass& stop_ = job_class("stop");
  const EventClass& mode_ = job_class("mode");
  const EventClass& ask_ = job_class("ask");
};

TEST_F(JobsTest, WhatTheTableSaysBecomesMarks) {
  say(ask_, 5, 0, 7);
  say(start_, 10, 0, 7);
  say(mode_, 15, 0, 2);
  say(stop_, 20, 0, 7);
  EXPECT_THAT(
      marks(kJobs),
      ElementsAre("begin job 7 on worker 0 at 10", "wait asked -> start on worker 0 from 5 to 10",
                  "state mode 2 on mode 0 at 15", "end job 7 on worker 0 from 10 to 20"));
  EXPECT_EQ(counts().sections, 0U);
}

TEST_F(JobsTest, WhatNobodyServedIsWaitedForStill) {
  say(ask_, 5, 0, 7);
  say(ask_, 8, 0, 9);
  say(start_, 10, 0, 7);
  say(stop_, 20, 0, 7);
  EXPECT_THAT(marks(kJobs), ElementsAre("begin job 7 on worker 0 at 10",
                                        "wait asked -> start on worker 0 from 5 to 10",
                                        "end job 7 on worker 0 from 10 to 20",
                                        "wait asked -> start on asked -> start from 8 to 20 open"));
}

TEST_F(JobsTest, WhatIsWaitedForStillMayHaveBeenServedWhereEventsWereLost) {
  say(ask_, 5, 0, 7);
  lose();
  say(ask_, 8, 0, 9);
  say(stop_, 20, 0, 7);
  EXPECT_THAT(marks(kJobs),
              testing::IsSupersetOf({"wait asked -> start on asked -> start from 5 to 20 lost open",
                                     "wait asked -> start on asked -> start from 8 to 20 open"}));
}

// The state goes on.
TEST_F(JobsTest, WhoWaitsStillAndHasAStateHasNoMarkBesides) {
  say(ask_, 5, 0, 7);
  say(stop_, 20, 0, 8);
  const std::string table = std::string(kJobs) +
                            "state = \"waiter\"\nasked = \"waiting\"\n[[track]]\nid = \"waiter\"\n"
                            "kind = \"state\"\nname = \"job {job}\"\nkey = [\"job\"]\n";
  const std::vector<std::string> seen = marks(table);
  EXPECT_THAT(seen, Contains("state waiting on job 7 at 5"));
  EXPECT_THAT(seen, testing::Not(Contains(HasSubstr("asked -> start"))));
}

TEST_F(JobsTest, WhatIsWaitedForUnderOneKeyIsToldApartWhereEventsSayWhich) {
  const std::string table = std::string(kJobs) + "check = [\"a.worker == b.worker\"]\n";
  say(ask_, 10, 1, 7);
  say(ask_, 20, 2, 7);
  say(ask_, 25, 1, 7);
  say(start_, 30, 2, 7);
  say(start_, 40, 3, 7);
  say(start_, 50, 1, 7);
  say(start_, 60, 1, 7);
  EXPECT_THAT(marks_with("wait ", table),
              ElementsAre("wait asked -> start on worker 2 from 20 to 30",
                          "wait asked -> start on worker 1 from 10 to 50"));
}

TEST_F(JobsTest, WhatIsToldApartAndNotServedIsWaitedForStill) {
  const std::string table = std::string(kJobs) + "check = [\"a.worker == b.worker\"]\n";
  say(ask_, 10, 1, 7);
  say(ask_, 20, 2, 7);
  say(start_, 30, 1, 7);
  EXPECT_THAT(marks_with("wait ", table),
              ElementsAre("wait asked -> start on worker 1 from 10 to 30",
                          "wait asked -> start on asked -> start from 20 to 30 open"));
}

TEST_F(JobsTest, WhichOfSeveralIsServedIsNotKnownOfAnEventThatDoesNotSay) {
  const std::string table = std::string(kJobs) + "check = [\"a.worker == b.other\"]\n";
  say(ask_, 10, 1, 7);
  say(start_, 15, 3, 7);
  say(ask_, 20, 1, 7);
  say(ask_, 22, 2, 7);
  say(start_, 30, 3, 7);
  EXPECT_THAT(marks_with("wait ", table),
              ElementsAre("wait asked -> start on worker 3 from 10 to 15",
                          "wait asked -> start on worker 3 from 20 to 30 inferred",
                          "wait asked -> start on worker 3 from 22 to 30 inferred"));
}

TEST_F(JobsTest, AFlowIsNotFromWhatSaysSomethingElse) {
  const std::string table = std::string(kJobs) +
                            "[[flow]]\nfrom = \"ask\"\nto = \"start\"\nmatch = [\"job\"]\n"
                            "check = [\"worker\"]\nfrom_track = \"worker\"\nto_track = "
                            "\"worker\"\n";
  say(ask_, 10, 1, 7);
  say(start_, 20, 2, 7);
  say(start_, 30, 1, 7);
  EXPECT_THAT(marks_with("flow ", table),
              ElementsAre("flow 1 out of worker 1 at 10", "flow 1 into worker 1 at 30"));
}

TEST_F(JobsTest, WhatTellsWaitsApartIsOneAndOfNoStates) {
  const auto error_of = [](std::string_view more) {
    const auto table = parse_table(std::string(kJobs) + std::string(more), "test.toml");
    if (!table) return table.error().message;
    const auto made = Interpreter::make({.tables = {*table}});
    return made ? std::string("none") : made.error().message;
  };
  EXPECT_EQ(error_of("check = [\"worker\"]\n"), "none");
  EXPECT_THAT(error_of("check = [\"worker\", \"job\"]\n"), HasSubstr("one entry"));
  EXPECT_THAT(error_of("check = [\"worker\"]\nstate = \"mode\"\n"),
              HasSubstr("there is no `check`"));
}

TEST_F(JobsTest, WhatEndsBehindALossMayHaveBegunInIt) {
  say(start_, 0, 5, 1);
  say(stop_, 5, 6, 2);
  lose();
  say(stop_, 10, 7, 3);
  EXPECT_THAT(marks_with("job", kJobs),
              ElementsAre("begin job 1 on worker 5 at 0", "begin job 2 on worker 6 at 0 before",
                          "end job 2 on worker 6 from 0 to 5 before",
                          "instant job 3 on worker 7 at 10 unmatched",
                          "end job 1 on worker 5 from 0 to 10 lost open"));
}

TEST_F(JobsTest, AClockThatStepsBackALittleIsClamped) {
  say(start_, 5 * kSecond, 0, 7);
  say(start_, 4 * kSecond, 0, 8);
  EXPECT_THAT(marks(kJobs), ElementsAre("begin job 7 on worker 0 at 5000000000",
                                        "end job 7 on worker 0 from 5000000000 to 5000000000 "
                                        "inferred",
                                        "begin job 8 on worker 0 at 5000000000 clamped",
                                        "end job 8 on worker 0 from 5000000000 to 5000000000 "
                                        "clamped open"));
  EXPECT_EQ(counts().clock_steps, 1U);
  EXPECT_EQ(counts().sections, 0U);
}

class NoSink final : public MarkSink {
 public:
  Result<void> take(const Timeline&, std::span<const Mark>) override { return {}; }
  Result<void> finish(const Timeline&) override { return {}; }
};

TEST(StreamsTest, ADataStreamAtTheAddressOfOneThatEndedIsAnother) {
  auto table = parse_table(kJobs, "test.toml");
  ASSERT_TRUE(table);
  auto made = Interpreter::make({.tables = {*std::move(table)}});
  ASSERT_TRUE(made);
  render::SampleTrace trace;
  const EventClass& start = trace.add(trace.event_class(
      1, "start", structure_class({{"worker", unsigned_class()}, {"job", unsigned_class()}})));
  NoSink sink;
  const auto add = [&](std::uint64_t time) {
    const auto batch = std::make_shared<Batch>();
    batch->add_event(trace.event(start, time, {unsigned_slot(0), unsigned_slot(time)}));
    batch->add(Record(RecordKind::kStreamEnd, &trace.stream));
    ASSERT_TRUE((*made)->add(batch, sink));
  };
  add(10 * kSecond);
  // As when the first one is gone and this one was made where it lay.
  trace.stream.entity = trace.description.next_stream();
  add(1 * kSecond);
  EXPECT_EQ((*made)->timeline().counts().sections, 0U);
}

TEST_F(JobsTest, AClockThatStepsBackFarBeginsASection) {
  say(mode_, 3 * kSecond, 0, 1);
  say(ask_, 3 * kSecond, 0, 9);
  say(start_, 4 * kSecond, 0, 7);
  say(mode_, 5 * kSecond, 1, 1);
  say(mode_, 2 * kSecond, 1, 2);
  say(start_, 2 * kSecond, 0, 9);
  say(stop_, 3 * kSecond, 0, 9);
  EXPECT_THAT(
      marks(kJobs),
      ElementsAre("state mode 1 on mode 0 at 3000000000", "begin job 7 on worker 0 at 4000000000",
                  "state mode 1 on mode 1 at 5000000000",
                  // All ends at the latest time that was known,
                  "state unknown on mode 0 at 5000000000",
                  "end job 7 on worker 0 from 4000000000 to 5000000000 inferred",
                  "state unknown on mode 1 at 5000000000",
                  "wait asked -> start on asked -> start from 3000000000 to 5000000000 clamped",
                  // and goes on on new tracks, on which nothing was waited for.
                  "state mode 2 on mode 1 (2) at 2000000000",
                  "begin job 9 on worker 0 (2) at 2000000000",
                  "end job 9 on worker 0 (2) from 2000000000 to 3000000000",
                  // Of what goes on nothing is known behind the last event of the section.
                  "state unknown on mode 1 (2) at 3000000000 open"));
  EXPECT_EQ(counts().sections, 1U);
  EXPECT_EQ(counts().clock_steps, 0U);
}

TEST_F(JobsTest, ASectionIsOfTheStreamWhoseClockSteppedBack) {
  say(start_, 5 * kSecond, 0, 7);
  on_stream(1);
  say(start_, 5 * kSecond, 1, 8);
  say(mode_, kSecond, 2, 1);
  on_stream(0);
  say(stop_, 6 * kSecond, 0, 7);
  EXPECT_THAT(
      marks(kJobs),
      ElementsAre("begin job 7 on worker 0 at 5000000000", "begin job 8 on worker 1 at 5000000000",
                  "end job 8 on worker 1 from 5000000000 to 5000000000 inferred",
                  "state mode 1 on mode 2 at 1000000000",
                  "end job 7 on worker 0 from 5000000000 to 6000000000",
                  "state unknown on mode 2 at 1000000000 open"));
}

TEST_F(JobsTest, ManySmallStepsAreAFarOne) {
  say(mode_, 5 * kSecond, 0, 1);
  say(mode_, 5 * kSecond - 600'000'000, 0, 2);
  say(mode_, 5 * kSecond - 1'200'000'000, 0, 3);
  (void)marks(kJobs);
  EXPECT_EQ(counts().clock_steps, 1U);
  EXPECT_EQ(counts().sections, 1U);
}

TEST_F(JobsTest, AfterManySectionsTheClockIsNone) {
  for (std::int64_t i = 0; i < 1000; ++i) {
    say(start_, 5 * kSecond, 0, 7);
    say(start_, 2 * kSecond, 0, 7);
  }
  (void)marks(kJobs);
  EXPECT_EQ(counts().sections, 256U);
  EXPECT_EQ(counts().clock_steps, 1000U - 256U);
}

// A wait of which the table says that long ones are arrows from the worker that asked.
TEST_F(JobsTest, ALongWaitIsAFlowFromWhereItWasAsked) {
  const std::string table =
      std::string(kJobs) +
      "flow_track = \"worker\"\nflow_key = \"worker\"\nflow_minimum = \"1us\"\n";
  say(start_, 0, 5, 1);
  say(ask_, 10, 5, 7);
  say(start_, 1010, 0, 7);
  say(ask_, 2000, 5, 8);
  say(start_, 2999, 1, 8);
  // Asked for on a worker of which nothing is known.
  say(ask_, 3000, 6, 9);
  say(start_, 9000, 2, 9);
  EXPECT_THAT(marks(table), testing::IsSupersetOf(
                                {"flow 1 out of worker 5 at 10", "flow 1 into worker 0 at 1010"}));
  EXPECT_THAT(marks(table), testing::Not(testing::Contains(HasSubstr("flow 2"))));
  EXPECT_THAT(
      marks(table, {.tables = {}, .all_flows = true}),
      testing::IsSupersetOf({"flow 2 out of worker 5 at 2000", "flow 2 into worker 1 at 2999"}));
}

TEST_F(JobsTest, AWaitAcrossALossIsNoFlow) {
  const std::string table = std::string(kJobs) + "flow_track = \"worker\"\nflow_key = \"worker\"\n";
  say(start_, 0, 5, 1);
  say(ask_, 10, 5, 7);
  lose();
  say(start_, 1010, 0, 7);
  EXPECT_THAT(marks(table), testing::Not(testing::Contains(HasSubstr("flow 1"))));
}

TEST_F(JobsTest, AFlowOfAWaitHasATrackAndItsKey) {
  const auto error_of = [](std::string_view more) {
    const auto table = parse_table(std::string(kJobs) + std::string(more), "test.toml");
    if (!table) return table.error().message;
    const auto made = Interpreter::make({.tables = {*table}});
    return made ? std::string("none") : made.error().message;
  };
  EXPECT_EQ(error_of("flow_track = \"worker\"\nflow_key = \"worker\"\n"), "none");
  EXPECT_THAT(error_of("flow_track = \"worker\"\n"), HasSubstr("go together"));
  EXPECT_THAT(error_of("flow_track = \"work\"\nflow_key = \"worker\"\n"), HasSubstr("`work`"));
  EXPECT_THAT(error_of("flow_track = \"worker\"\nflow_key = \"worker\"\nflow_minimum = \"x\"\n"),
              HasSubstr("`flow_minimum` is to be a duration"));
}

TEST_F(JobsTest, AnEventThatLacksAFieldOfItsRuleIsLeftOutAndSaidSo) {
  const EventClass& bare = add_class("start", structure_class({{"job", unsigned_class()}}));
  InterpretedTest::say(bare, 10, {unsigned_slot(7)});
  EXPECT_THAT(marks(kJobs), IsEmpty());
  EXPECT_THAT(notices(),
              Contains(HasSubstr("events `start` lack `worker`, which their [[slice]] needs")));
  EXPECT_THAT(notices(), Contains(EndsWith("[[slice]] from start: no event is called `stop`")));
  EXPECT_THAT(notices(),
              Contains(EndsWith("[[slice]] from start: none of its events has `worker`")));
}

// What runs on processors.
class ScheduleTest : public InterpretedTest {
 protected:
  static constexpr std::string_view kTasks = R"(table = "tasks"
[[track]]
id = "task"
kind = "task"
name = "task {task}"
key = ["task"]
[[schedule]]
event = "switch"
cpu = ["cpu"]
next = "task"
next_name = "task {task}"
track = "task"
[[pending]]
event = "stops"
cpu = ["cpu"]
task = "task"
state = "stopped"
[[state]]
event = "stops"
track = "task"
name = "stopped"
unless = "running"
)";
  [[nodiscard]] const EventClass& task_class(const std::string& name) {
    return add_class(name,
                     structure_class({{"cpu", unsigned_class()}, {"task", unsigned_class()}}));
  }
  void say(const EventClass& of, std::int64_t time, std::uint64_t cpu, std::uint64_t task) {
    InterpretedTest::say(of, time, {unsigned_slot(cpu), unsigned_slot(task)});
  }
  const EventClass& switch_ = task_class("switch");
  const EventClass& stops_ = task_class("stops");
};

TEST_F(ScheduleTest, WhatIsAboutToStopStopsWhereSomethingElseRuns) {
  say(switch_, 10, 0, 1);
  say(stops_, 15, 0, 1);
  say(switch_, 20, 0, 2);
  EXPECT_THAT(marks(kTasks),
              ElementsAre("state running on task 1 at 10", "state stopped on task 1 at 20",
                          "state running on task 2 at 20"));
}

TEST_F(ScheduleTest, ATaskThatIsPutOnAnotherProcessorHasLeftTheFirst) {
  say(switch_, 10, 0, 1);
  say(switch_, 20, 1, 1);
  say(switch_, 30, 1, 2);
  say(stops_, 35, 1, 1);
  say(switch_, 40, 0, 3);
  EXPECT_THAT(marks(kTasks),
              ElementsAre("state running on task 1 at 10", "state running on task 1 at 20",
                          "state runnable on task 1 at 30", "state running on task 2 at 30",
                          // Processor 0 says nothing of it any more.
                          "state stopped on task 1 at 35", "state running on task 3 at 40"));
}

// What one event adds to a counter and another takes off.
class BalanceTest : public InterpretedTest {
 protected:
  static constexpr std::string_view kMemory = R"(table = "memory"
[[track]]
id = "memory"
kind = "counter"
name = "live bytes"
[[counter]]
event = ["get", "change"]
until = ["put", "change"]
match = ["a.place == b.old ?? place"]
when = "place != 0"
track = "memory"
value = ".size"
)";
  const EventClass& get_ =
      add_class("get", structure_class({{"place", unsigned_class()}, {"size", unsigned_class()}}));
  const EventClass& put_ = add_class("put", structure_class({{"place", unsigned_class()}}));
  const EventClass& change_ = add_class("change", structure_class({{"old", unsigned_class()},
                                                                   {"place", unsigned_class()},
                                                                   {"size", unsigned_class()}}));
  void get(std::int64_t time, std::uint64_t place, std::uint64_t size) {
    say(get_, time, {unsigned_slot(place), unsigned_slot(size)});
  }
  void put(std::int64_t time, std::uint64_t place) { say(put_, time, {unsigned_slot(place)}); }
};

TEST_F(BalanceTest, WhatIsAddedIsTakenOffOnce) {
  get(10, 1, 100);
  get(20, 2, 50);
  put(30, 1);
  put(40, 1);  // it is off already
  put(50, 7);  // it was never added
  put(60, 2);
  EXPECT_THAT(marks(kMemory),
              ElementsAre("counter 100 on live bytes at 10", "counter 150 on live bytes at 20",
                          "counter 50 on live bytes at 30", "counter 0 on live bytes at 60"));
}

TEST_F(BalanceTest, AnEventMayDoBoth) {
  get(10, 1, 100);
  say(change_, 20, {unsigned_slot(1), unsigned_slot(2), unsigned_slot(300)});
  put(30, 2);
  EXPECT_THAT(marks(kMemory),
              ElementsAre("counter 100 on live bytes at 10", "counter 0 on live bytes at 20",
                          "counter 300 on live bytes at 20", "counter 0 on live bytes at 30"));
}

TEST_F(BalanceTest, WhatIsAddedAgainTakesThePlaceOfWhatWasThere) {
  get(10, 1, 100);
  get(20, 1, 70);
  get(30, 0, 9);  // the condition does not hold
  EXPECT_THAT(marks(kMemory),
              ElementsAre("counter 100 on live bytes at 10", "counter 70 on live bytes at 20"));
}

TEST_F(BalanceTest, NotMoreIsHeldThanThereIsRoomFor) {
  for (std::uint64_t i = 1; i <= 131'072 + 5; ++i) get(10, i, 1);
  EXPECT_EQ(marks(kMemory).back(), "counter 131072 on live bytes at 10");
  EXPECT_EQ(counts().not_held, 5U);
}

TEST_F(BalanceTest, AnOptionalTableIsUsedOnlyWhenAskedFor) {
  const std::vector<Table>& all = built_in_tables();
  const auto found = std::ranges::find(all, "lttng-ust-memory", &Table::name);
  ASSERT_NE(found, all.end());
  EXPECT_TRUE(found->optional);
}

// Two tables about one thread.
class JoinTest : public InterpretedTest {
 protected:
  [[nodiscard]] static std::string table(std::string_view name, std::string_view event,
                                         std::string_view more) {
    return fmt::format(
        "table = \"{0}\"\n[[track]]\nid = \"t\"\nname = \"{0} {{tid}}\"\n"
        "key = [\"tid\"]\n{2}\n[[instant]]\nevent = \"{1}\"\ntrack = \"t\"\n"
        "name = \"{1}\"\n",
        name, event, more);
  }
  std::vector<std::string> both(std::string_view more) {
    say(call_, 10, {unsigned_slot(7)});
    say(note_, 20, {unsigned_slot(7)});
    return marks(table("kernel", "call", more),
                 {.tables = {*parse_table(table("user", "note", more), "user.toml")}});
  }
  const EventClass& call_ = add_class("call", structure_class({{"tid", unsigned_class()}}));
  const EventClass& note_ = add_class("note", structure_class({{"tid", unsigned_class()}}));
};

TEST_F(JoinTest, TracksOfOneWordAreOne) {
  EXPECT_THAT(both("shared = true\njoin = \"thread\""),
              ElementsAre("instant call on kernel 7 at 10", "instant note on kernel 7 at 20"));
}

TEST_F(JoinTest, OthersAreNot) {
  EXPECT_THAT(both("shared = true"),
              ElementsAre("instant call on kernel 7 at 10", "instant note on user 7 at 20"));
}

TEST_F(JoinTest, JoinedTracksAreShared) {
  const auto parsed = parse_table(table("kernel", "call", "join = \"thread\""), "kernel.toml");
  ASSERT_TRUE(parsed);
  const auto made = Interpreter::make({.tables = {*parsed}});
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("joined as `thread` are to be shared"));
}

// Names without any table.
class InferredTest : public InterpretedTest {};

TEST_F(InferredTest, ClassesThatBeginAndEndTheSamePair) {
  const auto fields = [] {
    return structure_class({{"job_id", unsigned_class()}, {"size", unsigned_class()}});
  };
  const EventClass& begin = add_class("load_begin", fields());
  const EventClass& end = add_class("load_end", fields());
  say(begin, 10, {unsigned_slot(1), unsigned_slot(100)});
  say(begin, 11, {unsigned_slot(2), unsigned_slot(200)});
  say(end, 20, {unsigned_slot(1), unsigned_slot(0)});
  say(end, 30, {unsigned_slot(2), unsigned_slot(0)});
  EXPECT_THAT(marks({}), testing::IsSupersetOf({"end load on stream 0 from 10 to 20",
                                                "end load on stream 0 (2) from 11 to 30"}));
  EXPECT_THAT(explained(), HasSubstr("job_id"));
  EXPECT_THAT(explained(), testing::Not(HasSubstr("\"size\"")));
}

TEST_F(InferredTest, ABeginWithoutAnEndIsAnInstant) {
  const EventClass& begin = add_class("load_begin", structure_class({}));
  say(begin, 10, {});
  EXPECT_THAT(marks({}), ElementsAre(HasSubstr("instant load_begin")));
}

// Slices that are known whole, as Heph's.
class WholeTest : public InterpretedTest {
 protected:
  static constexpr std::string_view kSpans =
      "table = \"spans\"\n[[track]]\nid = \"t\"\nkind = \"lanes\"\nname = \"spans\"\n"
      "[[slice]]\nbegin = \"*\"\ntrack = \"t\"\nname = \"{name}\"\n";
  const EventClass& inner_ = add_whole_class("inner");
  const EventClass& outer_ = add_whole_class("outer");
};

TEST_F(WholeTest, OfEqualBeginsTheLongestIsOutside) {
  say_whole(inner_, 10, 15);
  say_whole(outer_, 10, 20);
  EXPECT_THAT(marks(kSpans),
              ElementsAre("begin outer on spans at 10", "begin inner on spans at 10",
                          "end inner on spans from 10 to 15", "end outer on spans from 10 to 20"));
}

TEST_F(WholeTest, WhatOverlapsIsOnALane) {
  say_whole(outer_, 10, 20);
  say_whole(inner_, 15, 25);
  EXPECT_THAT(
      marks(kSpans),
      ElementsAre("begin outer on spans at 10", "begin inner on spans (2) at 15",
                  "end outer on spans from 10 to 20", "end inner on spans (2) from 15 to 25"));
}

TEST_F(WholeTest, WhatIsRecordedAtItsEndSaysNothingOfTheClock) {
  say_whole(outer_, 5 * kSecond, 6 * kSecond);
  say_whole(inner_, kSecond, 7 * kSecond);
  (void)marks(kSpans);
  EXPECT_EQ(counts().sections, 0U);
}

// Templates and their filters.
class NamesTest : public InterpretedTest {
 protected:
  // What a template makes of a text.
  [[nodiscard]] std::string named(const std::string& text_template, std::string_view text) {
    const EventClass& note =
        add_class(fmt::format("note {}", made_++), structure_class({{"text", string_class()}}));
    say(note, 10, {text_slot(text)});
    const std::string table =
        "table = \"names\"\n[[track]]\nid = \"t\"\nname = \"t\"\n"
        "[[instant]]\nevent = \"note*\"\ntrack = \"t\"\nname = \"" +
        text_template + "\"\n";
    const std::vector<std::string> all = marks(table);
    forget();
    return all.empty() ? "" : all.back();
  }
  int made_ = 0;
};

TEST_F(NamesTest, FiltersShortenTexts) {
  struct Case {
    const char* text_template;
    const char* text;
    const char* name;
  };
  constexpr auto kCases = std::to_array<Case>({
      {"{text}", "as it is", "as it is"},
      {"<{text}>", "", "<>"},
      {"{text|file}", "/usr/lib/libc.so.6", "libc.so.6"},
      {"{text|file}", "libc.so.6", "libc.so.6"},
      {"{text|source}", "examples/app/src/main.rs:220:14", "main.rs:220"},
      {"{text|source}", "/home/a/.cargo/registry/src/i-0/hyper-util-0.1.20/src/rt/tokio.rs:115:9",
       "hyper-util rt/tokio.rs:115"},
      {"{text|hex}", "255", "0xff"},
      {"{text|worker}", "3", "worker 3"},
      {"{text|worker}", "254", "blocking pool"},
      {"{text|worker}", "255", "no worker"},
      {"{text|task}", "7", "task 7"},
      {"{text|task}", "idle", "idle"},
      {"{text|softirq}", "1", "TIMER"},
      {"{text|duration}", "1000000", "1ms"},
      {"{text|syscall}", "syscall_entry_read", "read"},
      {"{text|before_enter}", "k_sem_take_enter", "k_sem_take"},
      // A filter that leaves nothing makes room for the next alternative,
      {"{text|named ?? text}", "7", "7"},
      // and what no event has is a question mark.
      {"{absent}", "x", "?"},
      {"{absent ?? text}", "x", "x"},
  });
  for (const Case& each : kCases)
    EXPECT_EQ(named(each.text_template, each.text), fmt::format("instant {} on t at 10", each.name))
        << each.text_template;
}

TEST_F(NamesTest, LongTextsAreCutBetweenCharacters) {
  std::string text(79, 'a');
  text += "é and more";
  EXPECT_EQ(named("{text|first80}", text), "instant " + std::string(79, 'a') + " on t at 10");
}

}  // namespace
}  // namespace tracedeck::timeline
