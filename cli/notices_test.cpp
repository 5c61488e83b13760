#include "cli/notices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <initializer_list>
#include <string>

namespace tracedeck::cli {
namespace {

class NoticesTest : public testing::Test {
 protected:
  ~NoticesTest() override { std::fclose(messages); }

  std::string said() {
    std::string text(100'000, '\0');
    std::rewind(messages);
    text.resize(std::fread(text.data(), 1, text.size(), messages));
    return text;
  }

  Options options;
  std::FILE* messages = std::tmpfile();
  Progress progress{nullptr};
  Diagnostics diagnostics{messages, progress, {}};
  std::string written;
  std::unique_ptr<io::Output> out = io::memory_output(written);
  Session session{.out = *out, .diagnostics = diagnostics, .stop = {}};
};

TEST_F(NoticesTest, FindingsAreCountedByTraceAndErrorsNamed) {
  static constexpr Rule kTolerated = {"x/tolerated", Severity::kWarning, "S", "A rule."};
  static constexpr Rule kBroken = {"x/broken", Severity::kError, "S", "A rule."};
  options.operands = {"dir", "tree/"};
  Notices notices(session, options);
  const auto see = [&](const std::string& input, const Rule& rule) {
    notices.see(
        RecordKind::kFinding,
        {.input = input, .finding = {.rule = &rule, .offset = 7, .length = 0, .text = "t"}});
  };
  see("dir/stream_0", kTolerated);
  see("dir/stream_1", kTolerated);
  see("dir/metadata", kBroken);
  see("tree/a/b", kTolerated);
  see("directory", kTolerated);
  notices.finish();
  const std::string text = said();
  EXPECT_THAT(text, testing::HasSubstr("dir/metadata:7: error: x/broken: t [S]\n"));
  EXPECT_THAT(text, testing::HasSubstr("dir: 3 findings: x/tolerated (2), x/broken (1); see "
                                       "'tracedeck validate dir'"));
  EXPECT_THAT(text, testing::HasSubstr("tree/: 1 finding: x/tolerated (1)"));
  EXPECT_THAT(text, testing::HasSubstr("directory: 1 finding: x/tolerated (1)"));
  EXPECT_EQ(session.outcome.code(), ExitCode::kOk);
}

// A batch of events at these times, of a trace of its own.
struct Timed {
  Timed(const std::string& name, ClockOrigin origin, std::initializer_list<std::uint64_t> times)
      : description(name, "made-up", "1") {
    const ClockClass& clock = description.add_clock({.origin = origin});
    const DataStreamClass& stream_class = description.add_stream_class({.default_clock = &clock});
    Event event;
    event.event_class =
        &description.add_event_class({.stream_class = &stream_class, .clock = &clock});
    for (const std::uint64_t time : times) {
      event.time = event.end_time = time;
      batch.add_event(event);
    }
  }
  TraceDescription description;
  Batch batch{0};
};

TEST_F(NoticesTest, StepsBackAreSaidWherePrintingCountsThem) {
  options.operands = {"a"};
  const Timed trace("a", ClockOrigin::kUnknown, {5, 4, 9, 8, 8});
  Notices silent(session, options);
  silent.see_order(trace.batch);
  silent.finish();
  EXPECT_EQ(said(), "");
  Notices notices(session, options);
  notices.count_steps_back();
  for (int i = 0; i < 1000; ++i) notices.see_order(trace.batch);
  notices.finish();
  EXPECT_THAT(
      said(),
      testing::HasSubstr("printed out of the order of time: 2,999 steps back; --order time sorts"));
}

TEST_F(NoticesTest, ClocksThatNothingRelatesAreSaidOnceWhereTracesAreMerged) {
  const Timed first("a", ClockOrigin::kUnixEpoch, {5});
  const Timed second("b", ClockOrigin::kUnknown, {6});
  const auto say = [&] {
    Notices notices(session, options);
    notices.see_order(first.batch);
    notices.see_order(second.batch);
    notices.see_order(first.batch);
    notices.finish();
  };
  options.operands = {"a", "b"};
  options.selection.order = flow::Order::kRecorded;
  say();
  EXPECT_EQ(said(), "") << "recorded order asks no clock";
  options.selection.order = flow::Order::kMerged;
  // One of all traces relates none.
  options.selection.clock_offsets = {{.nanoseconds = 5}};
  say();
  const std::string text = said();
  EXPECT_THAT(text, testing::HasSubstr("nothing relates the clocks of a and b"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
}

TEST_F(NoticesTest, StrictMakesAnErrorOfClocksThatNothingRelates) {
  options.operands = {"a", "b"};
  options.strict = true;
  const Timed first("a", ClockOrigin::kUnixEpoch, {5});
  std::deque<Timed> others;
  Notices notices(session, options);
  notices.see_order(first.batch);
  for (const char* name : {"b", "c", "d", "e", "f"}) {
    others.emplace_back(name, ClockOrigin::kUnknown, std::initializer_list<std::uint64_t>{6});
    notices.see_order(others.back().batch);
  }
  EXPECT_EQ(session.outcome.code(), ExitCode::kOk);
  notices.finish();
  EXPECT_THAT(said(), testing::HasSubstr("clocks of a and b, c, d and 2 more: "));
  EXPECT_EQ(session.outcome.code(), ExitCode::kDamage);
}

TEST_F(NoticesTest, StrictMakesAnErrorOfLossesUnlessTheyCameAfterAll) {
  options.strict = true;
  const DataStream stream = {.entity = {1, 0}};
  const auto code_of = [&](std::initializer_list<bool> are_taken_back) {
    Session strict{.out = *out, .diagnostics = diagnostics, .stop = {}};
    {
      Notices notices(strict, options);
      for (const bool taken_back : are_taken_back) {
        const Loss loss = {.stream = &stream, .events = 7, .taken_back = taken_back};
        notices.see(Record(&loss));
      }
    }
    return strict.outcome.code();
  };
  EXPECT_EQ(code_of({false}), ExitCode::kDamage);
  EXPECT_EQ(code_of({false, true}), ExitCode::kOk);
  EXPECT_EQ(code_of({true, false}), ExitCode::kOk);
  EXPECT_EQ(code_of({false, true, false}), ExitCode::kDamage);
  options.strict = false;
  EXPECT_EQ(code_of({false}), ExitCode::kOk);
}

TEST_F(NoticesTest, OfManyOfARuleAFewAreNamedAndTheRestIsCounted) {
  static constexpr Rule kBroken = {"x/broken", Severity::kError, "S", "A rule."};
  static constexpr Rule kOther = {"x/other", Severity::kError, "S", "A rule."};
  const auto meet = [&](Notices& notices) {
    for (std::uint64_t i = 0; i < 100; ++i) {
      notices.see(RecordKind::kProblem,
                  {.input = "t",
                   .finding = {.rule = i == 50 ? &kOther : &kBroken, .offset = i, .text = "t"}});
    }
    notices.finish();
  };
  Notices silent(session, options, {.silent = true});
  meet(silent);
  EXPECT_EQ(said(), "");
  EXPECT_EQ(session.outcome.code(), ExitCode::kDamage);
  Notices few(session, options, {.lines_per_rule = 20});
  meet(few);
  const std::string text = said();
  EXPECT_THAT(text, testing::HasSubstr("t:19: error: x/broken"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("t:20: error")));
  EXPECT_THAT(text, testing::HasSubstr("t:50: error: x/other"));
  EXPECT_THAT(text, testing::HasSubstr("79 more of x/broken;"));
}

}  // namespace
}  // namespace tracedeck::cli
