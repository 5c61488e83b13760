#include "tracedeck/export/perfetto.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tracedeck/export/made_up_marks_test.hpp"
#include "tracedeck/export/made_up_samples_test.hpp"
#include "tracedeck/export/perfetto_callstacks.hpp"
#include "tracedeck/export/perfetto_names.hpp"
#include "tracedeck/export/perfetto_tasks.hpp"
#include "tracedeck/export/perfetto_text_test.hpp"

namespace tracedeck::exporting {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class PerfettoTest : public testing::Test {
 protected:
  Exported write(PerfettoOptions options = {}, std::size_t at_once = 1'000'000) const {
    return exported(
        made_, [&](io::Output& output) { return make_perfetto(output, options); }, at_once);
  }
  // What comes behind the first packet and that of the order of tracks.
  std::vector<std::string> lines(const PerfettoOptions& options = {}) const {
    std::vector<std::string> all = perfetto_lines(write(options).bytes);
    if (all.size() < 2) return {"broken"};
    all.erase(all.begin(), all.begin() + 2);
    return all;
  }
  // The same without descriptors of tracks.
  std::vector<std::string> events(const PerfettoOptions& options = {}) const {
    std::vector<std::string> all = lines(options);
    std::erase_if(all, [](const std::string& line) { return line.starts_with("track "); });
    return all;
  }

  MadeUpMarks made_;
};

TEST_F(PerfettoTest, TheFirstPacketRelatesTheClocksAndTheSecondOrdersTracks) {
  made_.instant(made_.track(TrackKind::kPlain, "a"), 100, "x");
  EXPECT_THAT(
      perfetto_lines(write().bytes),
      ElementsAre("clocks 64+=100 65=100 6=100 11=100 primary=11", "track 1=0 11=3 19=1 20=1",
                  "track 1=1 2='a' 15=2 12=0", "100 instant 1 x"));
}

TEST_F(PerfettoTest, TheBaseClockIsThatOfTheFormatOrTheSystemsTime) {
  made_.instant(made_.track(TrackKind::kPlain, "a"), 100, "x");
  EXPECT_EQ(perfetto_lines(write({.format = "dial9"}).bytes).front(),
            "clocks 64+=100 65=100 6=100 3=100 primary=3");
  const ClockClass clock{.origin = ClockOrigin::kUnixEpoch};
  made_.timeline.note_clock(clock);
  EXPECT_EQ(perfetto_lines(write({.format = "dial9"}).bytes).front(),
            "clocks 64+=100 65=100 6=100 1=100 primary=1");
}

TEST_F(PerfettoTest, NothingIsATraceOfTheClocks) {
  EXPECT_THAT(perfetto_lines(write().bytes),
              ElementsAre("clocks 64+=0 65=0 6=0 11=0 primary=11", "track 1=0 11=3 19=1 20=1"));
}

// There is no slice in one packet.
TEST_F(PerfettoTest, ASliceIsItsBeginAndItsEnd) {
  const TrackId track = made_.track(TrackKind::kPlain, "worker");
  made_.begin(track, 100, "poll", "tokio");
  made_.begin(track, 130, "read");
  made_.end(track, 140, "read", 130);
  made_.end(track, 150, "poll", 100, "tokio");
  EXPECT_THAT(events(), ElementsAre("100 begin 1 poll [tokio]", "130 begin 1 read", "140 end 1",
                                    "150 end 1"));
}

TEST_F(PerfettoTest, ASliceWithoutArgumentsTakesAtMost36Bytes) {
  const TrackId track = made_.track(TrackKind::kPlain, "worker");
  constexpr std::size_t kSlices = 1000;
  for (std::size_t i = 0; i < kSlices; ++i) {
    const auto time = static_cast<std::int64_t>(i * 10'000);
    made_.begin(track, time, "poll", "tokio");
    made_.end(track, time + 5'000, "poll", time, "tokio");
  }
  EXPECT_LE(write().bytes.size(), 36 * kSlices);
}

TEST_F(PerfettoTest, MarksThatComeLateHaveAClockThatDoesNotCount) {
  const TrackId track = made_.track(TrackKind::kPlain, "a");
  made_.instant(track, 100, "x");
  made_.instant(track, 40, "y").flags = timeline::kLate;
  made_.instant(track, 150, "z");
  EXPECT_THAT(events(), ElementsAre("100 instant 1 x", "late 40 instant 1 y", "150 instant 1 z"));
}

TEST_F(PerfettoTest, TimesBefore0ShiftTheTrace) {
  const TrackId track = made_.track(TrackKind::kPlain, "a");
  made_.instant(track, -500, "x");
  made_.instant(track, 100, "y");
  EXPECT_THAT(events(), ElementsAre("0 instant 1 x", "600 instant 1 y"));
  EXPECT_THAT(sentences(write().receipt),
              ElementsAre("1 of time before 0: all times are 500 ns later"));
}

TEST_F(PerfettoTest, TimesThatCannotBeShiftedAreMovedAndCounted) {
  made_.instant(made_.track(TrackKind::kPlain, "a"), 100, "x");
  Mark early = made_.marks.front();
  early.time = -1;
  made_.marks.push_back(early);
  EXPECT_THAT(events(), ElementsAre("100 instant 1 x", "late 0 instant 1 x"));
  EXPECT_THAT(sentences(write().receipt),
              ElementsAre("1 of time before the trace's begin, or beyond 2^63 ns: moved there"));
}

TEST_F(PerfettoTest, TimesAtTheEndsOfTheRange) {
  const TrackId track = made_.track(TrackKind::kPlain, "a");
  made_.instant(track, std::numeric_limits<std::int64_t>::min(), "x");
  made_.instant(track, -1, "y");
  made_.instant(track, std::numeric_limits<std::int64_t>::max(), "z");
  EXPECT_THAT(events(), ElementsAre("0 instant 1 x", "9223372036854775807 instant 1 y",
                                    "9223372036854775807 instant 1 z"));
}

TEST_F(PerfettoTest, SlicesDeeperThan500AreLeftOutAndCounted) {
  const TrackId track = made_.track(TrackKind::kPlain, "a");
  for (std::int64_t i = 0; i < 503; ++i) made_.begin(track, i, "f");
  for (std::int64_t i = 502; i >= 0; --i) made_.end(track, 2000 - i, "f", i);
  const std::vector<std::string> all = events();
  ASSERT_EQ(all.size(), 1000U);
  EXPECT_EQ(all[499], "499 begin 1 f");
  EXPECT_EQ(all[500], "1501 end 1");
  EXPECT_THAT(sentences(write().receipt),
              ElementsAre("3 of slice or instant more than 500 deep: left out"));
}

// For Perfetto they lie in each other, and those beyond 512 are dropped.
TEST_F(PerfettoTest, InstantsOfOneTimeBeyond500AreLeftOutAndCounted) {
  const TrackId track = made_.track(TrackKind::kPlain, "a");
  made_.begin(track, 10, "f");
  for (int i = 0; i < 503; ++i) made_.instant(track, 20, "x");
  made_.instant(track, 21, "x");
  EXPECT_EQ(events().size(), 1U + 499 + 1);
  EXPECT_THAT(sentences(write().receipt),
              ElementsAre("4 of slice or instant more than 500 deep: left out"));
}

TEST_F(PerfettoTest, WhatDoesNotEndIsLeftOpen) {
  const TrackId track = made_.track(TrackKind::kPlain, "a");
  made_.begin(track, 10, "f");
  made_.end(track, 20, "f", 10).flags = timeline::kOpenAtEnd;
  EXPECT_THAT(events(), ElementsAre("10 begin 1 f"));
}

TEST_F(PerfettoTest, AnEndWithoutABeginBringsItAlong) {
  const TrackId track = made_.track(TrackKind::kPlain, "a");
  made_.instant(track, 15, "x");
  made_.end(track, 20, "f", 10).flags = timeline::kBeganBefore;
  EXPECT_THAT(events(), ElementsAre("15 instant 1 x", "late 10 begin 1 f",
                                    "20 end 1 began before what is shown=true"));
}

TEST_F(PerfettoTest, FlagsAreAnnotationsWhereTheyAreSet) {
  const TrackId track = made_.track(TrackKind::kPlain, "a");
  made_.begin(track, 10, "f").flags = timeline::kMarked;
  made_.end(track, 20, "f", 10).flags = timeline::kAcrossLoss | timeline::kInferredEnd;
  EXPECT_THAT(events(), ElementsAre("10 begin 1 f",
                                    "20 end 1 events were lost inside=true end inferred=true"));
}

TEST_F(PerfettoTest, ArgumentsAreAnnotationsOfTheirKinds) {
  const MadeUpArguments arguments;
  const TrackId track = made_.track(TrackKind::kPlain, "a");
  arguments.give(made_.begin(track, 10, "f"));
  arguments.give(made_.instant(track, 20, "x"));
  const std::string all =
      " task=7 offset=-3 ratio=0.5 ok=true path='/a\"b\xEF\xBF\xBD' sizes='[10,4096]' "
      "state='busy' large=18446744073709551615 data='AQI='";
  EXPECT_THAT(events(), ElementsAre("10 begin 1 f" + all, "20 instant 1 x" + all));
  EXPECT_THAT(sentences(write().receipt),
              ElementsAre("2 of text that is no UTF-8: written with U+FFFD"));
}

TEST_F(PerfettoTest, ProcessesAndThreadsHaveTheirNumbers) {
  const TrackId process = made_.process("server", 42);
  const TrackId thread = made_.thread("worker 0", 43, process);
  made_.instant(thread, 1, "x");
  EXPECT_THAT(lines(),
              ElementsAre("track 1=2 3={ 1=42 6='server'} 12=0",
                          "track 1=1 5=2 4={ 1=42 2=43 5='worker 0'} 12=0", "1 instant 1 x"));
}

TEST_F(PerfettoTest, AThreadThatLacksAProcessIsAPlainTrack) {
  made_.instant(made_.thread("worker 0", 43, made_.track(TrackKind::kGroup, "service")), 1, "x");
  EXPECT_THAT(lines(), ElementsAre("track 1=2 2='service' 11=3 15=2 12=0",
                                   "track 1=1 2='worker 0' 5=2 11=3 15=2 12=0", "1 instant 1 x"));
}

TEST_F(PerfettoTest, ASecondTrackOfAThreadIsAPlainOne) {
  const TrackId process = made_.process("server", 42);
  made_.instant(made_.thread("worker 0", 43, process), 1, "x");
  made_.instant(made_.thread("system calls", 43, process), 2, "y");
  EXPECT_THAT(lines().back(), "2 instant 3 y");
  EXPECT_EQ(lines()[3], "track 1=3 2='system calls' 5=2 11=3 15=2 12=0");
}

TEST_F(PerfettoTest, LanesAreMergedAndOthersOfOneNameAreNot) {
  const TrackId first = made_.track(TrackKind::kLanes, "requests");
  const TrackId second = made_.lane(first, 1);
  const TrackId other = made_.track(TrackKind::kPlain, "requests");
  for (const TrackId track : {first, second, other}) made_.instant(track, 1, "x");
  EXPECT_THAT(lines(), ElementsAre("track 1=1 2='requests' 15=3 17=1 12=0", "1 instant 1 x",
                                   "track 1=2 2='requests' 15=3 17=1 12=0", "1 instant 2 x",
                                   "track 1=3 2='requests' 15=2 12=0", "1 instant 3 x"));
}

TEST_F(PerfettoTest, TracksAreInTheOrderOfTheirRank) {
  const TrackId group =
      made_.timeline.add_track({.kind = TrackKind::kGroup, .name = "g", .rank = 3});
  const TrackId track = made_.timeline.add_track(
      {.kind = TrackKind::kPlain, .parent = group, .name = "a", .rank = 2});
  made_.instant(track, 1, "x");
  EXPECT_THAT(lines(), ElementsAre("track 1=2 2='g' 11=3 15=2 12=3",
                                   "track 1=1 2='a' 5=2 15=2 12=2", "1 instant 1 x"));
}

TEST_F(PerfettoTest, StatesHaveANameAndNothingKnownHasNone) {
  const TrackId track = made_.track(TrackKind::kState, "worker");
  made_.state(track, 10, "parked");
  made_.state(track, 20, "active").value = 7;
  made_.state(track, 30, "");
  EXPECT_THAT(lines(), ElementsAre("track 1=1 2='worker' 18={} 15=2 12=0", "10 state 1 parked",
                                   "20 state 1 active spent before=7", "30 state 1"));
}

TEST_F(PerfettoTest, StatesAreSlicesForOlderVersions) {
  const TrackId track = made_.track(TrackKind::kState, "worker");
  made_.state(track, 10, "parked");
  made_.state(track, 20, "active");
  made_.state(track, 30, "").value = 7;
  made_.state(track, 40, "parked");
  EXPECT_THAT(lines({.level = 50}),
              ElementsAre("track 1=1 2='worker' 15=2 12=0", "10 begin 1 parked", "20 end 1",
                          "20 begin 1 active", "30 end 1 spent=7", "40 begin 1 parked"));
  EXPECT_THAT(sentences(write({.level = 50}).receipt),
              ElementsAre("4 of state: written as a slice"));
}

TEST_F(PerfettoTest, CountersHaveTheirUnits) {
  const auto counter = [&](const char* unit) {
    return made_.timeline.add_track({.kind = TrackKind::kCounter, .name = "c", .unit = unit});
  };
  made_.counter(counter("bytes"), 1, -5);
  Mark& mark = made_.counter(counter("requests"), 2, 0);
  mark.flags = timeline::kReal;
  mark.real = 0.25;
  EXPECT_THAT(lines(),
              ElementsAre("track 1=1 2='c' 8={ 3=3} 15=2 12=0", "1 counter 1 value=-5",
                          "track 1=2 2='c' 8={ 6='requests'} 15=2 12=0", "2 counter 2 value=0.25"));
}

TEST_F(PerfettoTest, ACounterThatComesWithASliceTakesNoPacket) {
  const TrackId track = made_.track(TrackKind::kPlain, "worker");
  const TrackId queue = made_.track(TrackKind::kCounter, "queue");
  for (const std::int64_t time : {10, 30}) {
    made_.begin(track, time, "poll");
    made_.counter(queue, time, 3);
    made_.end(track, time + 10, "poll", time);
  }
  made_.counter(queue, 40, 2);
  EXPECT_THAT(events(),
              ElementsAre("10 begin 1 poll", "10 counter 2 value=3", "20 end 1",
                          "30 begin 1 poll counter=2 value=3", "40 end 1", "40 counter 2 value=2"));
}

// Functions, frames and stacks are named once; kernels' addresses are beyond 2^63.
TEST_F(PerfettoTest, StacksOfSamplesAreCallstacks) {
  MadeUpSamples samples;
  const TrackId track = made_.track(TrackKind::kPlain, "worker");
  samples.put(made_.instant(track, 10, "on cpu"), {0x208, 0xFFFF'FFFF'8100'0000, 0x100});
  samples.put(made_.instant(track, 20, "on cpu"), {0x208, 0xFFFF'FFFF'8100'0000, 0x100});
  samples.put(made_.instant(track, 30, "on cpu"), {0x208});
  samples.put(made_.instant(track, 40, "on cpu"), std::vector<std::uint64_t>());
  EXPECT_THAT(events(), ElementsAre("10 instant 1 on cpu stack=main;0xffffffff81000000;poll<T; U>",
                                    "20 instant 1 on cpu stack=main;0xffffffff81000000;poll<T; U>",
                                    "30 instant 1 on cpu stack=poll<T; U>", "40 instant 1 on cpu"));
  EXPECT_THAT(events({.level = 50}).front(), HasSubstr("callchain='[520,"));
  EXPECT_THAT(write().receipt, IsEmpty());
}

TEST_F(PerfettoTest, StacksBeyondTheirLimitAreLists) {
  MadeUpSamples samples;
  const TrackId track = made_.track(TrackKind::kPlain, "worker");
  for (std::uint64_t i = 0; i <= perfetto::Callstacks::kMostFrames; ++i)
    samples.put(made_.instant(track, static_cast<std::int64_t>(i), "on cpu"), {i});
  EXPECT_EQ(sentences(write().receipt),
            (std::vector<std::string>{
                "1 of stack beyond 65,536 others or frames: written as a list of addresses"}));
}

TEST_F(PerfettoTest, FlowsBeginAndEndAtWhatIsThere) {
  const TrackId a = made_.track(TrackKind::kPlain, "a");
  const TrackId b = made_.track(TrackKind::kPlain, "b");
  made_.instant(a, 10, "wake");
  made_.flow(MarkKind::kFlowOut, a, 10, 5);
  made_.begin(b, 30, "poll");
  made_.flow(MarkKind::kFlowIn, b, 30, 5);
  made_.flow(MarkKind::kFlowOut, b, 30, 6);
  made_.flow(MarkKind::kFlowOut, b, 40, 7, "send");
  EXPECT_THAT(events(), ElementsAre("10 instant 1 wake flow=5", "30 begin 2 poll ends=5 flow=6",
                                    "40 instant 2 send flow=7"));
}

TEST_F(PerfettoTest, AFlowOfAnotherTrackOrTimeHasAnInstantOfItsOwn) {
  const TrackId a = made_.track(TrackKind::kPlain, "a");
  const TrackId b = made_.track(TrackKind::kPlain, "b");
  made_.instant(a, 10, "x");
  made_.instant(b, 10, "x");
  made_.flow(MarkKind::kFlowOut, a, 10, 5);
  EXPECT_THAT(events(),
              ElementsAre("10 instant 1 x", "10 instant 2 x", "10 instant 1 'flow' flow=5"));
}

// As the interpreter makes them: where a flow began is told when it arrives.
TEST_F(PerfettoTest, AFlowThatBeganBeforeLeavesOpenWhatItEndsAt) {
  const TrackId a = made_.track(TrackKind::kPlain, "a");
  const TrackId b = made_.track(TrackKind::kPlain, "b");
  made_.begin(b, 30, "poll");
  made_.flow(MarkKind::kFlowOut, a, 10, 5).flags = timeline::kLate;
  made_.flow(MarkKind::kFlowIn, b, 30, 5);
  made_.wait(b, 10, 30, "wake");
  made_.end(b, 40, "poll", 30);
  made_.begin(b, 50, "poll");
  made_.flow(MarkKind::kFlowOut, a, 20, 6).flags = timeline::kLate;
  made_.flow(MarkKind::kFlowIn, b, 50, 6);
  EXPECT_THAT(events(),
              ElementsAre("30 begin 1 poll ends=5 wake (ns)=20", "late 10 instant 2 'flow' flow=5",
                          "40 end 1", "50 begin 1 poll ends=6", "late 20 instant 2 'flow' flow=6"));
}

TEST_F(PerfettoTest, AnEndOfWhatIsOnNoTrackIsLeftOut) {
  const TrackId track = made_.track(TrackKind::kLanes, "a");
  made_.begin(track, 10, "f");
  made_.end(track, 20, "g", 5).flags = timeline::kUnplaced;
  made_.end(track, 30, "f", 10);
  EXPECT_THAT(events(), ElementsAre("10 begin 1 f", "30 end 1"));
}

TEST_F(PerfettoTest, AWaitIsAnArgumentOfWhatItEndedWith) {
  const TrackId track = made_.track(TrackKind::kPlain, "a");
  made_.begin(track, 30, "poll");
  made_.wait(track, 10, 30, "wake -> poll");
  made_.wait(track, 10, 50, "wake -> poll");
  EXPECT_THAT(events(), ElementsAre("30 begin 1 poll wake -> poll (ns)=20",
                                    "50 instant 1 wake -> poll wake -> poll (ns)=40"));
}

TEST_F(PerfettoTest, BytesAreTheSameHoweverMarksAreCut) {
  const TrackId track = made_.track(TrackKind::kPlain, "a");
  const TrackId queue = made_.track(TrackKind::kCounter, "queue");
  for (std::int64_t time = 0; time < 1000; time += 10) {
    made_.begin(track, time, "poll");
    made_.wait(track, time - 5, time, "wake -> poll");
    made_.flow(MarkKind::kFlowIn, track, time, 1);
    made_.counter(queue, time, time);
    made_.end(track, time + 5, "poll", time);
  }
  const std::string whole = write().bytes;
  for (const std::size_t at_once : {1U, 2U, 3U, 7U}) EXPECT_EQ(write({}, at_once).bytes, whole);
}

TEST_F(PerfettoTest, LossesAreSlicesOnATrackOfTheirOwn) {
  const TrackId track = made_.track(TrackKind::kPlain, "worker");
  made_.instant(track, 100, "x");
  made_.gap(40, 100, "lost 7 events");
  made_.gap(60, 110, "damaged");
  made_.gap(110, 120, "lost 1 event");
  EXPECT_THAT(lines(),
              ElementsAre("track 1=1 2='worker' 15=2 12=0", "100 instant 1 x",
                          "track 1=2 2='trace quality'", "late 40 begin 2 lost 7 events",
                          "100 end 2", "track 1=3 2='trace quality'", "late 60 begin 3 damaged",
                          "110 end 3", "110 begin 2 lost 1 event", "120 end 2"));
}

TEST_F(PerfettoTest, TaskStatesAreEventsOfAKernel) {
  const TrackId process = made_.process("FreeRTOS", 1);
  const TrackId a = made_.task("A", 1001, process);
  const TrackId b = made_.task("B", 1002);
  made_.state(a, 10, "running", 1);
  made_.state(a, 20, "blocked: receive QUEUE", 0);  // it ran on 1
  made_.state(b, 20, "running", 1);
  made_.state(b, 30, "running", 1);
  made_.state(b, 40, "");
  EXPECT_THAT(events(), ElementsAre("10 task 1=1 2='A' 3=1001 4=3", "tree 2={ 1=1001 2=1 3='A'}",
                                    "20 task 1=1 2='A' 3=1001 4=4", "20 task 1=1 2='B' 3=1002 4=3",
                                    "40 task 1=1 2='B' 3=1002 4=8"));
  EXPECT_THAT(
      sentences(write().receipt),
      ElementsAre("1 of unknown state of a task: written as gone",
                  "1 of state of a task that it is in, or creation of a known one: left out"));
}

TEST_F(PerfettoTest, TasksThatRunNobodyKnowsWhereAreOnFreeProcessors) {
  const TrackId a = made_.task("A", 5);
  const TrackId b = made_.task("B", 6);
  const TrackId c = made_.task("C", 7);
  made_.state(a, 10, "running", 0);
  made_.state(b, 20, "running");
  made_.state(c, 30, "running");
  made_.state(b, 40, "pending");
  made_.state(b, 50, "running");
  EXPECT_THAT(events(), ElementsAre("10 task 1=0 2='A' 3=5 4=3", "20 task 1=1 2='B' 3=6 4=3",
                                    "30 task 1=2 2='C' 3=7 4=3", "40 task 1=1 2='B' 3=6 4=4",
                                    "50 task 1=1 2='B' 3=6 4=3"));
  EXPECT_THAT(sentences(write().receipt),
              ElementsAre("3 of task that runs on a processor that is not known: put on one that "
                          "is free"));
}

TEST_F(PerfettoTest, ATaskIsCreatedWhenItIsNotKnownAndEndsWhenItIsDead) {
  const TrackId a = made_.task("A", 5);
  made_.state(a, 10, "created");
  made_.state(a, 20, "dead");
  made_.state(a, 30, "runnable");
  made_.state(a, 40, "created");
  made_.state(a, 50, "deleted");
  made_.state(a, 60, "created");
  EXPECT_THAT(events(), ElementsAre("10 task 1=0 2='A' 3=5 4=1", "20 task 1=0 2='A' 3=5 4=7",
                                    "30 task 1=0 2='A' 3=5 4=8", "30 task 1=0 2='A' 3=5 4=2",
                                    "50 task 1=0 2='A' 3=5 4=8", "60 task 1=0 2='A' 3=5 4=1"));
}

// Which is the idle task of all processors for Perfetto.
TEST_F(PerfettoTest, ATaskWithoutANumberOrWith0HasOneMadeUp) {
  made_.state(made_.task("zero", 0), 10, "running", 0);
  made_.state(made_.track(TrackKind::kTask, "none"), 20, "running", 1);
  EXPECT_THAT(events(), ElementsAre("10 task 1=0 2='zero' 3=1000000001 4=3",
                                    "20 task 1=1 2='none' 3=1000000002 4=3"));
}

TEST_F(PerfettoTest, TaskStatesAreSlicesForOlderVersions) {
  const TrackId a = made_.task("A", 5);
  made_.state(a, 10, "running", 0);
  made_.state(a, 20, "delay", 0);
  EXPECT_THAT(lines({.level = 50}), ElementsAre("track 1=1 2='A' 15=2 12=0", "10 begin 1 running",
                                                "20 end 1", "20 begin 1 delay"));
}

TEST(PerfettoTaskState, IsWhatANameBeginsWith) {
  using perfetto::task_state;
  using perfetto::TaskState;
  EXPECT_EQ(task_state("running"), TaskState::kRunning);
  EXPECT_EQ(task_state("runnable (pre-empted)"), TaskState::kRunnable);
  EXPECT_EQ(task_state("suspended"), TaskState::kStopped);
  EXPECT_EQ(task_state("zombie"), TaskState::kDead);
  EXPECT_EQ(task_state("blocked: receive QUEUE"), TaskState::kSleeping);
  EXPECT_EQ(task_state("delay"), TaskState::kSleeping);
  EXPECT_EQ(task_state(""), TaskState::kSleeping);
}

TEST_F(PerfettoTest, AttributesComeLast) {
  made_.instant(made_.track(TrackKind::kPlain, "a"), 1, "x");
  const auto attributes = [] {
    return std::vector<TraceAttribute>{{"tracedeck.input.0", "trace.bin"},
                                       {"tracedeck.lost_events", std::int64_t{7}}};
  };
  EXPECT_EQ(
      lines({.attributes = attributes}).back(),
      "attributes 1={ 1='tracedeck.input.0' 3='trace.bin'} 1={ 1='tracedeck.lost_events' 2=7}");
}

TEST_F(PerfettoTest, NamesBeyondWhatIsNumberedAreWrittenOut) {
  const TrackId track = made_.track(TrackKind::kPlain, "a");
  for (std::uint32_t i = 0; i <= perfetto::Names::kMost; ++i)
    made_.instant(track, i, "n" + std::to_string(i));
  const std::vector<std::string> all = events();
  EXPECT_EQ(all[65'535], "65535 instant 1 n65535");
  EXPECT_EQ(all[65'536], "65536 instant 1 'n65536'");
  EXPECT_THAT(sentences(write().receipt),
              ElementsAre("1 of name beyond 65,536: written out each time"));
}

TEST_F(PerfettoTest, LongTextsTakeLongerLengths) {
  const TrackId track = made_.track(TrackKind::kPlain, std::string(200, 't'));
  made_.instant(track, 1, std::string(20'000, 'n'));
  made_.instant(track, 2, "x");
  EXPECT_THAT(events(), ElementsAre("1 instant 1 " + std::string(20'000, 'n'), "2 instant 1 x"));
}

TEST_F(PerfettoTest, AnOutputThatFailsIsReported) {
  struct Full final : io::Output {
    const std::string& name() const override { return name_; }
    Result<void> write(ByteSpan) override { return fail(ErrorCode::kWriteFailed, "disk full"); }
    Result<void> flush() override { return {}; }
    Result<void> finish() override { return {}; }
    std::string name_ = "full";
  };
  const TrackId track = made_.track(TrackKind::kPlain, "a");
  for (std::int64_t i = 0; i < 20'000; ++i) made_.instant(track, i, "x");
  Full full;
  const auto exporter = make_perfetto(full, {});
  EXPECT_FALSE(exporter->take(made_.timeline, made_.marks));
  EXPECT_FALSE(exporter->finish(made_.timeline));
}

}  // namespace
}  // namespace tracedeck::exporting
