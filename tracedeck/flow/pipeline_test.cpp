// Directories, and several traces at once, through the pipeline.
#include "tracedeck/flow/pipeline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tracedeck/flow/trace_by_trace.hpp"
#include "tracedeck/folder_format_test.hpp"

namespace tracedeck::flow {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const Format& kFolder = FolderFormat::format();
FolderLog& folder_log = FolderFormat::log;

// Remembers what was reported.
class Listener final : public PipelineObserver {
 public:
  void failed(const Error& error) override {
    codes.push_back(error.code);
    said += error.to_string() + "\n";
  }
  void selected_nothing(const NothingSelected& what) override { nothing.push_back(what); }

  std::vector<ErrorCode> codes;
  std::string said;
  std::vector<NothingSelected> nothing;
};

std::vector<std::string> events_of(RecordSource& source) {
  std::vector<std::string> result;
  while (true) {
    const auto batch = source.next();
    EXPECT_TRUE(batch) << batch.error().to_string();
    if (!batch || *batch == nullptr) return result;
    for (const Record& record : (*batch)->records()) {
      if (record.kind != RecordKind::kEvent) continue;
      result.push_back(*record.event.event_class->name + ":" + std::to_string(record.event.time));
    }
  }
}

class PipelineTest : public testing::Test {
 protected:
  PipelineTest() { options.format = &kFolder; }

  // The events of the operands, "NAME:TIME".
  std::vector<std::string> events() {
    folder_log = {};
    const auto pipeline = Pipeline::open(options, listener);
    return pipeline == nullptr ? std::vector<std::string>{"nothing"} : events_of(*pipeline);
  }
  // The same trace by trace.
  std::vector<std::vector<std::string>> events_by_trace() {
    std::vector<std::vector<std::string>> result;
    for_each_trace(
        options, listener, {}, list_traces({.names = options.operands, .format = &kFolder}, {}),
        [&](const TracePlace& place, Result<std::unique_ptr<SingleTrace>> trace) {
          result.push_back(trace ? events_of(**trace) : std::vector{place.operand + " failed"});
          return true;
        });
    return result;
  }

  FolderTree tree;
  PipelineOptions options;
  Listener listener;
};

TEST_F(PipelineTest, TheStreamsOfATraceAreMerged) {
  (void)tree.trace("t");
  tree.stream("t/a", "1\n5\n3\n9\n");
  tree.stream("t/b", "2\n3\n5\n");
  options.operands = {tree.path("t")};
  EXPECT_THAT(events(), ElementsAre("a:1", "b:2", "b:3", "a:5", "a:3", "b:5", "a:9"));
  options.selection.order = Order::kRecorded;
  EXPECT_THAT(events(), ElementsAre("a:1", "a:5", "a:3", "a:9", "b:2", "b:3", "b:5"));
  options.selection.order = Order::kTime;
  EXPECT_THAT(events(), ElementsAre("a:1", "b:2", "a:3", "b:3", "a:5", "b:5", "a:9"));
  EXPECT_THAT(folder_log.opened, SizeIs(testing::Ge(2)));
}

TEST_F(PipelineTest, TiesKeepTheOrderOfTheTracesThenOfTheFiles) {
  for (const char* const name : {"z", "y"}) {
    (void)tree.trace(name);
    for (const char* const stream : {"b", "a"}) {
      tree.stream(std::string(name) + "/" + stream + name, "7\n7\n");
    }
  }
  options.operands = {tree.path("z"), tree.path("y")};
  for (const Order order : {Order::kMerged, Order::kTime}) {
    options.selection.order = order;
    EXPECT_THAT(events(),
                ElementsAre("az:7", "az:7", "bz:7", "bz:7", "ay:7", "ay:7", "by:7", "by:7"));
  }
}

TEST_F(PipelineTest, ATreeIsAsManyTracesAsItHolds) {
  const std::string a = tree.trace("tree/a", "one");
  const std::string b = tree.trace("tree/b", "two");
  const std::string c = tree.trace("tree/c", "one");
  tree.stream("tree/a/a", "1\n4\n");
  tree.stream("tree/b/b", "2\n");
  tree.stream("tree/c/c", "3\n");
  options.operands = {tree.path("tree")};
  EXPECT_THAT(events(), ElementsAre("a:1", "b:2", "c:3", "a:4"));
  EXPECT_THAT(folder_log.opened, ElementsAre(ElementsAre(a, c), ElementsAre(b)));
  options.selection.order = Order::kRecorded;
  EXPECT_THAT(events(), ElementsAre("a:1", "a:4", "c:3", "b:2"));
  options.selection.limit = 2;
  EXPECT_THAT(events(), ElementsAre("a:1", "a:4"));
  EXPECT_THAT(folder_log.opened, SizeIs(1)) << "the second is not needed";
}

TEST_F(PipelineTest, WhatIsNoTraceDoesNotKeepTheOthers) {
  (void)tree.trace("t");
  tree.stream("t/a", "1\n");
  std::filesystem::create_directory(tree.path("none"));
  options.operands = {tree.path("none"), tree.path("t"), tree.path("missing")};
  for (const Order order : {Order::kMerged, Order::kRecorded, Order::kTime}) {
    options.selection.order = order;
    listener.codes.clear();
    EXPECT_THAT(events(), ElementsAre("a:1"));
    EXPECT_THAT(listener.codes, ElementsAre(ErrorCode::kUnrecognised, ErrorCode::kCannotOpen));
  }
  EXPECT_THAT(listener.said, AllOf(HasSubstr(tree.path("none") + ": there is no trace"),
                                   HasSubstr(tree.path("missing"))));
  options.operands = {tree.path("none")};
  EXPECT_THAT(events(), ElementsAre("nothing"));
}

TEST_F(PipelineTest, AStreamThatFailsEndsAlone) {
  (void)tree.trace("t");
  tree.stream("t/a", "1\nbad\n5\n");
  tree.stream("t/b", "2\n6\n");
  options.operands = {tree.path("t")};
  EXPECT_THAT(events(), ElementsAre("a:1", "b:2", "b:6"));
  EXPECT_THAT(listener.codes, ElementsAre(ErrorCode::kReadFailed));
  EXPECT_THAT(listener.said, HasSubstr(tree.path("t/a") + ": a bad line"));
}

TEST_F(PipelineTest, TimesAreTrimmedAndHandedToTheReader) {
  (void)tree.trace("t");
  tree.stream("t/a", "1\n5\n9\n");
  tree.stream("t/b", "2\n6\n");
  options.operands = {tree.path("t")};
  options.selection.begin = parse_time_point("2ns").value();
  options.selection.end = parse_time_point("6ns").value();
  EXPECT_THAT(events(), ElementsAre("b:2", "a:5", "b:6"));
  EXPECT_EQ(folder_log.options.at(0).begin, Nanoseconds(2));
  EXPECT_EQ(folder_log.options.at(0).end, Nanoseconds(6));
}

TEST_F(PipelineTest, ATimeOfDayIsOneOfTheTracesFirstDay) {
  constexpr std::uint64_t kDay = 86'400'000'000'000;
  (void)tree.trace("t");
  tree.stream("t/a", std::to_string(4 * kDay) + "\n");
  tree.stream("t/b", std::to_string(3 * kDay + 5) + "\n" + std::to_string(3 * kDay + 50) + "\n");
  options.operands = {tree.path("t")};
  options.selection.end = parse_time_point("00:00:00.000000010").value();
  EXPECT_THAT(events(), ElementsAre("b:" + std::to_string(3 * kDay + 5)));
  EXPECT_FALSE(folder_log.options.at(0).end) << "the reader cannot know the day";
}

TEST_F(PipelineTest, TimesFromTheBeginAndTheEndAreThoseOfTheWholeTrace) {
  (void)tree.trace("t");
  tree.stream("t/a", "10\n50\n90\n");
  tree.stream("t/b", "5\n60\n");
  options.operands = {tree.path("t")};
  options.selection.begin = parse_time_point("+45").value();
  options.selection.end = parse_time_point("end-30").value();
  EXPECT_THAT(events(), ElementsAre("a:50", "b:60"));
  EXPECT_EQ(folder_log.options.at(1).begin, Nanoseconds(50)) << "after the survey";
  options.selection.order = Order::kTime;
  EXPECT_THAT(events(), ElementsAre("a:50", "b:60"));
  EXPECT_THAT(events_by_trace(), ElementsAre(ElementsAre("a:50", "b:60")));
}

TEST_F(PipelineTest, NothingSelectedComesWithTheRangeOfTheTraces) {
  for (const char* const name : {"t", "u"}) (void)tree.trace(name);
  tree.stream("t/a", "10\n50\n");
  tree.stream("u/b", "5\n60\n");
  options.operands = {tree.path("t"), tree.path("u")};
  options.selection.begin = parse_time_point("61").value();
  for (const Order order : {Order::kMerged, Order::kRecorded, Order::kTime}) {
    options.selection.order = order;
    listener.nothing.clear();
    EXPECT_THAT(events(), IsEmpty());
    ASSERT_THAT(listener.nothing, SizeIs(1));
    EXPECT_EQ(listener.nothing[0].traces, 2U);
    EXPECT_EQ(listener.nothing[0].range->first, Nanoseconds(5));
    EXPECT_EQ(listener.nothing[0].range->last, Nanoseconds(60));
  }
  listener.nothing.clear();
  options.selection.begin = parse_time_point("55").value();
  EXPECT_THAT(events(), SizeIs(1));
  EXPECT_THAT(listener.nothing, IsEmpty());
  EXPECT_THAT(events_by_trace(), ElementsAre(IsEmpty(), ElementsAre("b:60")));
  ASSERT_THAT(listener.nothing, SizeIs(1));
  EXPECT_EQ(listener.nothing[0].range->last, Nanoseconds(50)) << "of that trace alone";
}

TEST_F(PipelineTest, AnEmptyResultThatNobodyTrimmedIsNoWord) {
  (void)tree.trace("t");
  tree.stream("t/a", "");
  options.operands = {tree.path("t")};
  EXPECT_THAT(events(), IsEmpty());
  options.selection.limit = 0;
  EXPECT_THAT(events(), IsEmpty());
  EXPECT_THAT(listener.nothing, IsEmpty());
}

TEST_F(PipelineTest, TracesByThemselvesGoThroughTheSameStages) {
  for (const char* const name : {"t", "u"}) (void)tree.trace(name);
  tree.stream("t/a", "1\n5\n9\n");
  tree.stream("u/b", "bad\n");
  options.operands = {tree.path("t"), tree.path("missing")};
  options.selection.begin = parse_time_point("2").value();
  options.selection.limit = 1;
  EXPECT_THAT(events_by_trace(),
              ElementsAre(ElementsAre("a:5"), ElementsAre(tree.path("missing") + " failed")));
  EXPECT_THAT(listener.codes, IsEmpty()) << "who asks for a trace learns why it cannot be read";
}

TEST_F(PipelineTest, WhatAStageNeedsIsReadWithWhatTheReaderNeeds) {
  (void)tree.trace("t");
  options.operands = {tree.path("t")};
  options.needs = {.findings = true};
  (void)events();
  EXPECT_FALSE(folder_log.options.at(0).values);
  EXPECT_TRUE(folder_log.options.at(0).findings);
}

TEST(Stages, EachSaysWhetherItChangesAnything) {
  EXPECT_FALSE(changes_events({}));
  EXPECT_FALSE(changes_events({.order = Order::kRecorded}));
  EXPECT_TRUE(changes_events({.order = Order::kTime}));
  EXPECT_TRUE(changes_events({.begin = TimePoint{}}));
  EXPECT_TRUE(changes_events({.end = TimePoint{}}));
  EXPECT_TRUE(changes_events({.limit = 1}));
  EXPECT_TRUE(changes_events({.clock_offsets = {{.nanoseconds = 1}}}));
  EXPECT_TRUE(selects_events({.end = TimePoint{}}));
  EXPECT_FALSE(selects_events({.limit = 1}));
}

TEST_F(PipelineTest, JobsAreSharedByWhatIsOpenAtOnce) {
  for (const char* const name : {"a", "b", "c"}) (void)tree.trace(name);
  options.operands = {tree.path()};
  options.jobs = 8;
  (void)events();
  EXPECT_THAT(folder_log.options, AllOf(SizeIs(3), Each(Field(&ReadOptions::jobs, 2U))));
  options.selection.order = Order::kRecorded;
  (void)events();
  EXPECT_THAT(folder_log.options, Each(Field(&ReadOptions::jobs, 8U)));
  options.selection.order = Order::kMerged;
  options.jobs = 1;
  (void)events();
  EXPECT_THAT(folder_log.options, Each(Field(&ReadOptions::jobs, 1U)));
}

TEST_F(PipelineTest, OffsetsGoByTheOperand) {
  (void)tree.trace("tree/a");
  tree.stream("tree/a/a", "1\n");
  options.operands = {tree.path("tree")};
  options.selection.clock_offsets = {{.trace = tree.path("tree"), .nanoseconds = 100}};
  (void)events();
  EXPECT_EQ(folder_log.options.at(0).clock_shift, 100);
}

}  // namespace
}  // namespace tracedeck::flow
