// Directories, and several traces at once, through the pipeline.
#include "cli/pipeline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "cli/notices.hpp"
#include "tracedeck/folder_format_test.hpp"

namespace tracedeck::cli {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

const FolderFormat kFolder;

class PipelineTest : public testing::Test {
 protected:
  PipelineTest() { options.format = &kFolder; }
  ~PipelineTest() override { std::fclose(messages); }

  // The events of the operands, "NAME:TIME".
  std::vector<std::string> events() {
    std::vector<std::string> result;
    kFolder.log = {};
    const auto pipeline = Pipeline::open(options, session, {});
    if (pipeline == nullptr) return {"nothing"};
    while (true) {
      const auto batch = pipeline->next();
      EXPECT_TRUE(batch) << batch.error().to_string();
      if (!batch || *batch == nullptr) break;
      for (const Record& record : (*batch)->records()) {
        if (record.kind != RecordKind::kEvent) continue;
        result.push_back(*record.event.event_class->name + ":" + std::to_string(record.event.time));
      }
    }
    return result;
  }

  std::string said() {
    std::string text(10'000, '\0');
    std::rewind(messages);
    text.resize(std::fread(text.data(), 1, text.size(), messages));
    return text;
  }

  FolderTree tree;
  Options options;
  std::FILE* messages = std::tmpfile();
  Progress progress{nullptr};
  Diagnostics diagnostics{messages, progress, {}};
  std::string written;
  std::unique_ptr<io::Output> out = io::memory_output(written);
  Session session{.out = *out, .diagnostics = diagnostics, .stop = {}};
};

TEST_F(PipelineTest, TheStreamsOfATraceAreMerged) {
  (void)tree.trace("t");
  tree.stream("t/a", "1\n5\n3\n9\n");
  tree.stream("t/b", "2\n3\n5\n");
  options.operands = {tree.path("t")};
  EXPECT_THAT(events(), ElementsAre("a:1", "b:2", "b:3", "a:5", "a:3", "b:5", "a:9"));
  options.order = Order::kRecorded;
  EXPECT_THAT(events(), ElementsAre("a:1", "a:5", "a:3", "a:9", "b:2", "b:3", "b:5"));
  options.order = Order::kTime;
  EXPECT_THAT(events(), ElementsAre("a:1", "b:2", "a:3", "b:3", "a:5", "b:5", "a:9"));
  EXPECT_THAT(kFolder.log.opened, SizeIs(testing::Ge(2)));
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
    options.order = order;
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
  EXPECT_THAT(kFolder.log.opened, ElementsAre(ElementsAre(a, c), ElementsAre(b)));
  options.order = Order::kRecorded;
  EXPECT_THAT(events(), ElementsAre("a:1", "a:4", "c:3", "b:2"));
  options.limit = 2;
  EXPECT_THAT(events(), ElementsAre("a:1", "a:4"));
  EXPECT_THAT(kFolder.log.opened, SizeIs(1)) << "the second is not needed";
}

TEST_F(PipelineTest, WhatIsNoTraceDoesNotKeepTheOthers) {
  (void)tree.trace("t");
  tree.stream("t/a", "1\n");
  std::filesystem::create_directory(tree.path("none"));
  options.operands = {tree.path("none"), tree.path("t"), tree.path("missing")};
  for (const Order order : {Order::kMerged, Order::kRecorded, Order::kTime}) {
    options.order = order;
    session.outcome = {};
    EXPECT_THAT(events(), ElementsAre("a:1"));
    EXPECT_EQ(session.outcome.code(), ExitCode::kNoTrace);
  }
  EXPECT_THAT(said(), AllOf(testing::HasSubstr(tree.path("none") + ": there is no trace"),
                            testing::HasSubstr(tree.path("missing"))));
  options.operands = {tree.path("none")};
  EXPECT_THAT(events(), ElementsAre("nothing"));
}

TEST_F(PipelineTest, AStreamThatFailsEndsAlone) {
  (void)tree.trace("t");
  tree.stream("t/a", "1\nbad\n5\n");
  tree.stream("t/b", "2\n6\n");
  options.operands = {tree.path("t")};
  EXPECT_THAT(events(), ElementsAre("a:1", "b:2", "b:6"));
  EXPECT_EQ(session.outcome.code(), ExitCode::kDamage);
  EXPECT_THAT(said(), testing::HasSubstr(tree.path("t/a") + ": a bad line"));
}

TEST_F(PipelineTest, TimesAreTrimmedAndHandedToTheReader) {
  (void)tree.trace("t");
  tree.stream("t/a", "1\n5\n9\n");
  tree.stream("t/b", "2\n6\n");
  options.operands = {tree.path("t")};
  options.begin = parse_time_point("2").value();
  options.end = parse_time_point("6").value();
  EXPECT_THAT(events(), ElementsAre("b:2", "a:5", "b:6"));
  EXPECT_EQ(kFolder.log.options.at(0).begin, Nanoseconds(2));
  EXPECT_EQ(kFolder.log.options.at(0).end, Nanoseconds(6));
}

TEST_F(PipelineTest, ATimeOfDayIsOneOfTheTracesFirstDay) {
  constexpr std::uint64_t kDay = 86'400'000'000'000;
  (void)tree.trace("t");
  tree.stream("t/a", std::to_string(4 * kDay) + "\n");
  tree.stream("t/b", std::to_string(3 * kDay + 5) + "\n" + std::to_string(3 * kDay + 50) + "\n");
  options.operands = {tree.path("t")};
  options.end = parse_time_point("00:00:00.000000010").value();
  EXPECT_THAT(events(), ElementsAre("b:" + std::to_string(3 * kDay + 5)));
  EXPECT_FALSE(kFolder.log.options.at(0).end) << "the reader cannot know the day";
}

TEST_F(PipelineTest, JobsAreSharedByWhatIsOpenAtOnce) {
  for (const char* const name : {"a", "b", "c"}) (void)tree.trace(name);
  options.operands = {tree.path()};
  options.jobs = 8;
  (void)events();
  EXPECT_THAT(kFolder.log.options, AllOf(SizeIs(3), Each(Field(&ReadOptions::jobs, 2U))));
  options.order = Order::kRecorded;
  (void)events();
  EXPECT_THAT(kFolder.log.options, Each(Field(&ReadOptions::jobs, 8U)));
  options.order = Order::kMerged;
  options.jobs = 1;
  (void)events();
  EXPECT_THAT(kFolder.log.options, Each(Field(&ReadOptions::jobs, 1U)));
}

TEST_F(PipelineTest, OffsetsGoByTheOperand) {
  (void)tree.trace("tree/a");
  tree.stream("tree/a/a", "1\n");
  options.operands = {tree.path("tree")};
  options.clock_offsets = {{.trace = tree.path("tree"), .nanoseconds = 100}};
  (void)events();
  EXPECT_EQ(kFolder.log.options.at(0).clock_shift, 100);
}

TEST_F(PipelineTest, FindingsAreCountedByTraceAndErrorsNamed) {
  static constexpr Rule kFrowned = {"x/frowned", Severity::kWarning, "S", "A rule."};
  static constexpr Rule kBroken = {"x/broken", Severity::kError, "S", "A rule."};
  options.operands = {"dir", "tree/"};
  Notices notices(session, options);
  const auto see = [&](const std::string& input, const Rule& rule) {
    notices.see(
        RecordKind::kFinding,
        {.input = input, .finding = {.rule = &rule, .offset = 7, .length = 0, .text = "t"}});
  };
  see("dir/stream_0", kFrowned);
  see("dir/stream_1", kFrowned);
  see("dir/metadata", kBroken);
  see("tree/a/b", kFrowned);
  see("directory", kFrowned);
  notices.finish();
  const std::string text = said();
  EXPECT_THAT(text, testing::HasSubstr("dir/metadata:7: error: x/broken: t [S]\n"));
  EXPECT_THAT(text, testing::HasSubstr("dir: 3 findings: x/frowned (2), x/broken (1); see "
                                       "'tracedeck validate dir'"));
  EXPECT_THAT(text, testing::HasSubstr("tree/: 1 finding: x/frowned (1)"));
  EXPECT_THAT(text, testing::HasSubstr("directory: 1 finding: x/frowned (1)"));
  EXPECT_EQ(session.outcome.code(), ExitCode::kOk);
}

}  // namespace
}  // namespace tracedeck::cli
