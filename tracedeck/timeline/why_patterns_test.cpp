// Each pattern of `why`, met and just not met.
#include <gtest/gtest.h>

#include <array>

#include "tracedeck/timeline/why.hpp"

namespace tracedeck::timeline {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

class Patterns : public ::testing::Test {
 protected:
  Patterns() {
    for (int i = 0; i < 100; ++i) durations.add_unsigned(kMillisecond / 100);
  }

  TrackId track(TrackKind kind, std::string name) {
    return timeline.add_track({.kind = kind, .name = std::move(name)});
  }
  void about(TrackId on, std::string_view category, std::string_view text) {
    evidence.slice = {
        .track = on, .name = timeline.add_name(category, text), .end = 10 * kMillisecond};
    evidence.off_processor = 9 * kMillisecond;
  }
  void sample(std::string_view name, std::vector<std::string> stack) {
    evidence.samples.push_back({.track = evidence.slice.track,
                                .name = timeline.add_name("sample", name),
                                .stack = std::move(stack),
                                .count = 1});
  }
  Evidence::Spent spent(TrackId on, std::string_view state, std::int64_t time) {
    return {.track = on, .name = timeline.add_name("", state), .cpu = 0, .time = time};
  }
  [[nodiscard]] std::string concluded() const { return conclusion(evidence, timeline, durations); }

  Timeline timeline;
  Evidence evidence;
  Histogram durations;
};

TEST_F(Patterns, ASleepInAPoll) {
  about(track(TrackKind::kThread, "worker 0"), "poll", "main.rs:1");
  sample("descheduled", {"do_nanosleep", "hrtimer_nanosleep", "std::thread::sleep"});
  EXPECT_TRUE(concluded().contains("switched out in nanosleep")) << concluded();
  // It also ran: what took the time is not known.
  sample("on cpu", {"work"});
  EXPECT_EQ(concluded(), "");
}

TEST_F(Patterns, ASleepThatIsNoPoll) {
  about(track(TrackKind::kThread, "worker 0"), "segment", "retry");
  sample("descheduled", {"do_nanosleep", "hrtimer_nanosleep"});
  EXPECT_EQ(concluded(), "");
}

TEST_F(Patterns, ASampleOfAnotherTrackSaysNothing) {
  about(track(TrackKind::kThread, "worker 0"), "poll", "main.rs:1");
  sample("descheduled", {"do_nanosleep", "hrtimer_nanosleep"});
  evidence.samples.front().track = track(TrackKind::kThread, "worker 1");
  EXPECT_EQ(concluded(), "");
}

TEST_F(Patterns, PreemptionBeginsWithTheKernelsFunction) {
  about(track(TrackKind::kThread, "worker 0"), "poll", "main.rs:1");
  sample("descheduled", {"exit_to_user_mode_prepare", "asm_sysvec_apic_timer_interrupt"});
  EXPECT_TRUE(concluded().contains("took the processor")) << concluded();
  evidence.samples.front().stack.insert(evidence.samples.front().stack.begin(), "pipe_read");
  EXPECT_EQ(concluded(), "");
}

TEST_F(Patterns, WhatTookNoLongerThanMostNeedsNoReason) {
  about(track(TrackKind::kThread, "worker 0"), "poll", "main.rs:1");
  sample("descheduled", {"do_nanosleep", "hrtimer_nanosleep"});
  durations = {};
  for (int i = 0; i < 100; ++i) durations.add_unsigned(9 * kMillisecond);
  EXPECT_EQ(concluded(), "");
}

TEST_F(Patterns, NorDoesTheOnlyOneOfItsName) {
  about(track(TrackKind::kThread, "worker 0"), "poll", "main.rs:1");
  sample("descheduled", {"do_nanosleep", "hrtimer_nanosleep"});
  durations = {};
  durations.add_unsigned(10 * kMillisecond);
  EXPECT_EQ(concluded(), "");
}

TEST_F(Patterns, CpuTimeProvesThatAThreadWasSwitchedOut) {
  about(track(TrackKind::kThread, "worker 0"), "poll", "main.rs:1");
  sample("descheduled", {"exit_to_user_mode_prepare"});
  evidence.off_processor = 5 * kMillisecond;
  EXPECT_TRUE(concluded().contains("took the processor")) << concluded();
  evidence.off_processor = 4 * kMillisecond;
  EXPECT_EQ(concluded(), "");
}

TEST_F(Patterns, ASampleSaysNothingOfWhatWasBefore) {
  about(track(TrackKind::kThread, "worker 0"), "poll", "main.rs:1");
  sample("descheduled", {"do_nanosleep", "hrtimer_nanosleep"});
  evidence.samples.front().first = 5 * kMillisecond;
  EXPECT_TRUE(concluded().contains("nanosleep")) << concluded();
  evidence.samples.front().first = 6 * kMillisecond;
  EXPECT_EQ(concluded(), "");
}

TEST_F(Patterns, AllSamplesAreOfTheTableOfFiles) {
  about(track(TrackKind::kThread, "worker 0"), "poll", "main.rs:1");
  sample("descheduled", {"schedule_timeout", "synchronize_rcu", "expand_fdtable"});
  EXPECT_TRUE(concluded().contains("file descriptors")) << concluded();
  sample("descheduled", {"do_nanosleep", "hrtimer_nanosleep"});
  EXPECT_EQ(concluded(), "");
}

TEST_F(Patterns, NothingIsConcludedAcrossALoss) {
  about(track(TrackKind::kThread, "worker 0"), "poll", "main.rs:1");
  sample("descheduled", {"do_nanosleep", "hrtimer_nanosleep"});
  evidence.gaps.push_back({.begin = 1, .end = 2});
  EXPECT_EQ(concluded(), "");
}

class Locks : public Patterns {
 protected:
  Locks() {
    about(track(TrackKind::kThread, "api 11"), "wait", "mutex 0x10");
    evidence.held.push_back({.track = track(TrackKind::kLanes, "mutex 0x10"),
                             .name = timeline.add_name("hold", "mutex 0x10"),
                             .begin = -kMillisecond,
                             .end = 10 * kMillisecond,
                             .values = "logger 12"});
  }
};

TEST_F(Locks, HeldForHalfOfTheTime) {
  EXPECT_EQ(concluded(), "logger 12 held mutex 0x10 for 10.0ms of it");
  evidence.held.front().end = 4 * kMillisecond;
  EXPECT_EQ(concluded(), "");
}

TEST_F(Locks, AHolderThatIsANumberIsCalledByItsField) {
  evidence.held.front().arguments = "worker=1";
  evidence.held.front().values = "1";
  EXPECT_EQ(concluded(), "worker 1 held mutex 0x10 for 10.0ms of it");
}

TEST_F(Locks, HeldOnBehindTheWaitIsAnother) {
  evidence.held.front().end = 11 * kMillisecond;
  EXPECT_EQ(concluded(), "");
}

TEST_F(Locks, HeldWhileSomethingElseWasWaitedFor) {
  evidence.slice.name = timeline.add_name("syscall", "mutex 0x10");
  EXPECT_EQ(concluded(), "");
}

TEST_F(Locks, TheWaitMayBeInside) {
  const Evidence::Piece wait{
      .name = evidence.slice.name, .begin = 2 * kMillisecond, .end = 10 * kMillisecond};
  evidence.slice.name = timeline.add_name("task", "sort");
  EXPECT_EQ(concluded(), "");
  evidence.inside.push_back(wait);
  EXPECT_EQ(concluded(), "logger 12 held mutex 0x10 for 8.00ms of it");
  evidence.inside.front().begin = 6 * kMillisecond;
  EXPECT_EQ(concluded(), "");
}

TEST_F(Locks, Inversion) {
  const TrackId logger = track(TrackKind::kTask, "logger");
  const TrackId network = track(TrackKind::kTask, "network");
  evidence.holder = {spent(logger, "runnable", 7 * kMillisecond),
                     spent(logger, "running", 3 * kMillisecond)};
  evidence.ran = {spent(network, "running", 7 * kMillisecond)};
  evidence.ran_while_holder_ready = 7 * kMillisecond;
  evidence.holder_cpu = 0;
  EXPECT_TRUE(concluded().contains("a priority inversion, unless network is the most urgent"))
      << concluded();
  // The other one ran where the holder was not.
  evidence.holder_cpu = 1;
  EXPECT_EQ(concluded(), "logger 12 held mutex 0x10 for 10.0ms of it");
  evidence.holder_cpu = 0;
  // Several ran meanwhile: not one of them kept it from running.
  evidence.ran_while_holder_ready = 5 * kMillisecond;
  EXPECT_EQ(concluded(), "logger 12 held mutex 0x10 for 10.0ms of it");
  // It was not ready: it waited for something itself.
  evidence.ran_while_holder_ready = 7 * kMillisecond;
  evidence.holder.front() = spent(logger, "uninterruptible", 7 * kMillisecond);
  EXPECT_EQ(concluded(), "logger 12 held mutex 0x10 for 10.0ms of it");
}

TEST_F(Locks, RecordedPrioritiesDecideAnInversion) {
  const TrackId api = track(TrackKind::kTask, "api");
  const TrackId logger = track(TrackKind::kTask, "logger");
  const TrackId network = track(TrackKind::kTask, "network");
  evidence.tasks = {api};
  evidence.holder = {spent(logger, "runnable", 7 * kMillisecond)};
  evidence.holder_cpu = 0;
  evidence.ran = {spent(network, "running", 7 * kMillisecond)};
  evidence.ran_while_holder_ready = 7 * kMillisecond;
  const auto priority = [&](std::string name, std::int64_t least, std::int64_t most) {
    evidence.priorities.push_back(
        {.track = track(TrackKind::kCounter, name + ": priority"), .least = least, .most = most});
  };
  priority("api", 5, 5);
  EXPECT_TRUE(concluded().ends_with("unless network is the most urgent of the three"));
  priority("network", 3, 4);
  EXPECT_TRUE(concluded().ends_with("because network did: a priority inversion")) << concluded();
  evidence.priorities.back().most = 6;
  EXPECT_TRUE(concluded().ends_with("unless network is the most urgent of the three"));
  // Who waits would not have run either.
  evidence.priorities.back().least = 5;
  EXPECT_EQ(concluded(), "logger 12 held mutex 0x10 for 10.0ms of it");
  // Two are called so.
  priority("network", 1, 1);
  EXPECT_TRUE(concluded().ends_with("unless network is the most urgent of the three"));
}

TEST_F(Patterns, ALockOfARealTimeSystem) {
  const TrackId control = track(TrackKind::kTask, "control");
  about(control, "", "cycle");
  evidence.tasks = {control};
  evidence.states = {spent(control, "blocked: receive bus", 9 * kMillisecond)};
  evidence.held.push_back({.track = track(TrackKind::kState, "bus"),
                           .name = timeline.add_name("", "taken by logger"),
                           .end = 9 * kMillisecond});
  EXPECT_EQ(concluded(), "logger held bus for 9.00ms of it");
  evidence.held.front().name = timeline.add_name("", "taken by control");
  EXPECT_EQ(concluded(), "");
  evidence.held.front().name = timeline.add_name("", "available");
  EXPECT_EQ(concluded(), "");
}

TEST_F(Patterns, AFullQueue) {
  const TrackId sensor = track(TrackKind::kTask, "sensor");
  about(sensor, "", "measure");
  evidence.states = {spent(sensor, "blocked: send samples", 9 * kMillisecond)};
  evidence.levels.push_back({.track = track(TrackKind::kCounter, "samples: length"),
                             .least = 7,
                             .most = 8,
                             .time_at_most = 9 * kMillisecond,
                             .most_of_trace = 8});
  EXPECT_EQ(concluded(), "samples was full, with 8 in it, for 9.00ms of it");
  evidence.levels.push_back(evidence.levels.front());
  EXPECT_EQ(concluded(), "");
  evidence.levels.pop_back();
  // It held more before: it was not full.
  evidence.levels.front().most_of_trace = 9;
  EXPECT_EQ(concluded(), "");
}

TEST_F(Patterns, ATimeout) {
  about(track(TrackKind::kThread, "consumer 1"), "syscall", "futex");
  evidence.arguments = "uaddr=16 op=0 ret=-110";
  EXPECT_TRUE(concluded().contains("nobody woke the thread")) << concluded();
  evidence.arguments = "uaddr=16 op=0 ret=0";
  EXPECT_EQ(concluded(), "");
}

TEST_F(Patterns, AnotherTaskHadTheProcessor) {
  about(track(TrackKind::kCpu, "cpu 0"), "", "wake -> run");
  evidence.slice.is_wait = true;
  evidence.ran = {spent(track(TrackKind::kTask, "hog"), "running", 10 * kMillisecond)};
  EXPECT_EQ(concluded(), "hog ran on the same processor for 10.0ms of it");
  evidence.ran.front().time = 8 * kMillisecond;
  EXPECT_EQ(concluded(), "");
  // What was not ready to run was not kept from it.
  evidence.ran.front().time = 10 * kMillisecond;
  evidence.slice.is_wait = false;
  EXPECT_EQ(concluded(), "");
}

TEST_F(Patterns, AnotherTaskHadTheProcessorWhileItWasReady) {
  const TrackId task = track(TrackKind::kTask, "api");
  about(task, "", "request");
  evidence.states = {spent(task, "runnable", 6 * kMillisecond)};
  evidence.ran = {spent(track(TrackKind::kTask, "hog"), "running", 6 * kMillisecond)};
  evidence.ran_while_ready = 6 * kMillisecond;
  EXPECT_EQ(concluded(), "hog ran on the same processor for 6.00ms of it");
  // Some of that it ran while the other slept.
  evidence.ran_while_ready = 5 * kMillisecond;
  EXPECT_EQ(concluded(), "");
}

TEST_F(Patterns, WhatRanIsComparedWithWhenItWasReady) {
  const TrackId task = track(TrackKind::kTask, "api");
  const TrackId hog = track(TrackKind::kTask, "hog");
  about(task, "", "request");
  const NameId running = timeline.add_name("", "running");
  const NameId ready = timeline.add_name("", "runnable");
  const NameId asleep = timeline.add_name("", "sleeping");
  const auto at = [](std::int64_t time, TrackId on, NameId name) {
    return Mark{.kind = MarkKind::kState,
                .track = on,
                .name = name,
                .cpu = 0,
                .time = time * kMillisecond,
                .begin = 0};
  };
  const auto marks =
      std::to_array<Mark>({at(-5, task, running), at(-1, hog, running), at(-1, task, asleep),
                           at(4, task, ready), at(6, hog, ready), at(7, hog, running),
                           at(8, hog, asleep), at(11, task, running), at(12, task, asleep)});
  SliceWitness witness(evidence.slice);
  ASSERT_TRUE(witness.take(timeline, marks));
  ASSERT_TRUE(witness.finish(timeline));
  ASSERT_EQ(witness.evidence().ran.size(), 1U);
  EXPECT_EQ(witness.evidence().ran.front().time, 7 * kMillisecond);
  EXPECT_EQ(witness.evidence().ran_while_ready, 3 * kMillisecond);
}

TEST_F(Patterns, ACounterLastsNoLongerThanTheSlice) {
  about(track(TrackKind::kTask, "sensor"), "", "blocked: send samples");
  evidence.slice.is_state = true;
  const TrackId length = track(TrackKind::kCounter, "samples: length");
  const auto at = [&](std::int64_t time, std::int64_t value) {
    return Mark{.kind = MarkKind::kCounter, .track = length, .time = time, .value = value};
  };
  SliceWitness witness(evidence.slice);
  const auto marks =
      std::to_array<Mark>({at(-5 * kMillisecond, 4), at(-kMillisecond, 8), at(11 * kMillisecond, 7),
                           at(12 * kMillisecond, 8), at(13 * kMillisecond, 7)});
  ASSERT_TRUE(witness.take(timeline, marks));
  ASSERT_TRUE(witness.finish(timeline));
  ASSERT_EQ(witness.evidence().levels.size(), 1U);
  EXPECT_EQ(witness.evidence().levels.front().most, 8);
  EXPECT_EQ(witness.evidence().levels.front().time_at_most, 10 * kMillisecond);
}

}  // namespace
}  // namespace tracedeck::timeline
