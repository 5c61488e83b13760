#include "tracedeck/marks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/time_point.hpp"
#include "tracedeck/dial9/encoder.hpp"

namespace tracedeck {

struct FrontDoorStart {
  std::uint64_t timestamp = 0;
  std::uint64_t job = 0;
  std::string_view kind;
};
struct FrontDoorEnd {
  std::uint64_t timestamp = 0;
  std::uint64_t job = 0;
};

}  // namespace tracedeck

namespace tracedeck_descriptions {
using namespace tracedeck;

template <>
inline constexpr auto kDescription<FrontDoorStart> = dial9::describe<FrontDoorStart>(
    "JobStart", dial9::timestamp(&FrontDoorStart::timestamp),
    dial9::field("job_id", &FrontDoorStart::job), dial9::field("kind", &FrontDoorStart::kind));
template <>
inline constexpr auto kDescription<FrontDoorEnd> =
    dial9::describe<FrontDoorEnd>("JobEnd", dial9::timestamp(&FrontDoorEnd::timestamp),
                                  dial9::field("job_id", &FrontDoorEnd::job));

}  // namespace tracedeck_descriptions

namespace tracedeck {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using timeline::MarkKind;

constexpr std::string_view kTable = R"(
table = "jobs"
applies = { class = "Job*" }
[[track]]
id = "jobs"
kind = "lanes"
name = "jobs"
[[slice]]
begin = "JobStart"
end = "JobEnd"
match = "job_id"
track = "jobs"
category = "job"
name = "{kind}"
args = ["job_id", "kind"]
)";

class MarksTest : public testing::Test {
 protected:
  MarksTest() {
    std::string name = testing::TempDir() + "marks_XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~MarksTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(std::string_view name) const { return (folder_ / name).string(); }
  // Jobs that begin 1,000 ns apart and take 100 ns to 900 ns, one after the other; the last one
  // does not end.
  [[nodiscard]] std::string write_jobs(int count, std::size_t cut_off = 0) const {
    dial9::Encoder encoder;
    for (int i = 0; i < count; ++i) {
      const auto number = static_cast<std::uint64_t>(i);
      const FrontDoorStart start{.timestamp = 1000 * number, .job = number, .kind = "hash"};
      EXPECT_TRUE(encoder.write(start));
      if (i + 1 == count) break;
      EXPECT_TRUE(encoder.write(
          FrontDoorEnd{.timestamp = 1000 * number + 100 * (number % 9 + 1), .job = number}));
    }
    const auto bytes = encoder.finish();
    const ByteSpan kept = bytes->span().first(bytes->span().size() - cut_off);
    std::ofstream(path("jobs.bin"), std::ios::binary) << as_text(kept);
    return path("jobs.bin");
  }
  [[nodiscard]] static std::vector<timeline::Table> tables() {
    std::vector<timeline::Table> tables;
    tables.push_back(timeline::parse_table(kTable, "jobs.toml").value());
    return tables;
  }
  [[nodiscard]] OpenOptions reported() {
    return {.report = [this](const Report& report) { reports_.push_back(report.text); }};
  }

  std::vector<std::string> reports_;

 private:
  std::filesystem::path folder_;
};

TEST_F(MarksTest, SpansWithNamesTracksAndArguments) {
  Marks marks = open_marks(write_jobs(4), {.tables = tables()});
  std::vector<std::string> begins;
  std::vector<std::int64_t> durations;
  int open = 0;
  for (const auto& mark : marks) {
    EXPECT_EQ(mark.label(), "job hash");
    EXPECT_EQ(mark.category(), "job");
    EXPECT_EQ(mark.name(), "hash");
    EXPECT_EQ(mark.track().name, "jobs");
    if (mark.kind() == MarkKind::kSliceBegin) {
      EXPECT_FALSE(mark.ends_span());
      EXPECT_FALSE(mark.duration());
      const auto event = mark.event();
      ASSERT_TRUE(event);
      EXPECT_EQ(event->name(), "JobStart");
      EXPECT_EQ((*event)["job_id"].get<std::int64_t>(), mark.time() / 1000);
      EXPECT_NE(event->batch(), nullptr);
      for (const auto& [name, text] : mark.arguments()) begins.push_back(name + "=" + text);
    } else if (const auto took = mark.duration()) {
      durations.push_back(*took);
      EXPECT_EQ(mark.mark().begin + *took, mark.time());
    } else {
      open += mark.ends_span() && mark.has(timeline::kOpenAtEnd) ? 1 : 0;
    }
  }
  EXPECT_THAT(begins, ElementsAre("job_id=0", "kind=hash", "job_id=1", "kind=hash", "job_id=2",
                                  "kind=hash", "job_id=3", "kind=hash"));
  EXPECT_THAT(durations, ElementsAre(100, 200, 300));
  EXPECT_EQ(open, 1);
  EXPECT_EQ(marks.timeline().counts().events, 7U);
  EXPECT_EQ(marks.timeline().counts().open_at_end, 1U);
  EXPECT_THAT(marks.timeline().tables(), ElementsAre("jobs"));
  EXPECT_THAT(marks.explain(), HasSubstr("table = \"jobs\""));
  EXPECT_TRUE(marks.complete());
  EXPECT_EQ(marks.lost_events(), 0U);
}

TEST_F(MarksTest, ArgumentsAndEventsLiveWithTheirMark) {
  // Several batches.
  int events = 0;
  for (const auto& mark : open_marks(write_jobs(5'000), {.tables = tables()})) {
    if (mark.kind() != MarkKind::kSliceBegin) continue;
    const auto job = (*mark.event())["job_id"].get<std::int64_t>();
    ASSERT_EQ(job, mark.time() / 1000);
    ASSERT_EQ(mark.arguments().front().text, std::to_string(*job));
    ++events;
  }
  EXPECT_EQ(events, 5'000);
}

TEST_F(MarksTest, FlowsOfWhatTookLessThanATableAsksForOnlyIfAllAreWanted) {
  const std::string table = std::string(kTable) + R"([[flow]]
from = "JobStart"
to = "JobEnd"
match = "job_id"
from_track = "jobs"
to_track = "jobs"
minimum = "500ns"
)";
  for (const bool all : {false, true}) {
    MarkOptions options{.all_flows = all};
    options.tables.push_back(timeline::parse_table(table, "jobs.toml").value());
    int arrived = 0;
    for (const auto& mark : open_marks(write_jobs(9), std::move(options)))
      arrived += mark.kind() == MarkKind::kFlowIn ? 1 : 0;
    // They take 100 ns to 800 ns.
    EXPECT_EQ(arrived, all ? 8 : 4);
  }
}

TEST_F(MarksTest, WithoutATableNamesMakePairs) {
  int spans = 0;
  for (const auto& mark : open_marks(write_jobs(3))) spans += mark.duration() ? 1 : 0;
  EXPECT_EQ(spans, 2);
}

TEST_F(MarksTest, WhatLiesBeforeTheBeginIsInterpreted) {
  MarkOptions options{.tables = tables()};
  options.reading.selection.begin = parse_time_point("1100").value();
  std::vector<std::int64_t> durations;
  bool began_before = false;
  for (const auto& mark : open_marks(write_jobs(4), std::move(options))) {
    began_before =
        began_before || (mark.kind() == MarkKind::kSliceBegin && mark.has(timeline::kBeganBefore));
    if (const auto took = mark.duration()) durations.push_back(*took);
  }
  EXPECT_THAT(durations, ElementsAre(200, 300));
  EXPECT_TRUE(began_before);
}

// More at a time than a track has lanes: those without one are spans all the same.
TEST_F(MarksTest, SpansWithoutALane) {
  constexpr std::uint64_t kJobs = 300;
  dial9::Encoder encoder;
  for (std::uint64_t i = 0; i < kJobs; ++i)
    ASSERT_TRUE(encoder.write(FrontDoorStart{.timestamp = i, .job = i, .kind = "hash"}));
  for (std::uint64_t i = 0; i < kJobs; ++i)
    ASSERT_TRUE(encoder.write(FrontDoorEnd{.timestamp = 1000 + i, .job = i}));
  const auto bytes = encoder.finish();
  std::ofstream(path("many.bin"), std::ios::binary) << as_text(bytes->span());
  Marks marks = open_marks(path("many.bin"), {.tables = tables()});
  std::uint64_t spans = 0;
  std::int64_t last = 0;
  for (const auto& mark : marks) {
    spans += mark.duration() == 1000 ? 1 : 0;
    EXPECT_LE(last, mark.time());
    last = mark.time();
  }
  EXPECT_EQ(spans, kJobs);
  EXPECT_EQ(marks.timeline().counts().without_lane, kJobs - 256);
}

TEST_F(MarksTest, DamageIsReported) {
  Marks marks = open_marks(write_jobs(4, 2), {.reading = reported(), .tables = tables()});
  int gaps = 0;
  for (const auto& mark : marks) {
    gaps += mark.kind() == MarkKind::kGap ? 1 : 0;
    EXPECT_EQ(mark.name() == "damaged", mark.kind() == MarkKind::kGap);
  }
  EXPECT_EQ(gaps, 1);
  EXPECT_FALSE(marks.complete());
  EXPECT_FALSE(marks.error());
  ASSERT_FALSE(reports_.empty());
  EXPECT_THAT(reports_.front(), HasSubstr("frame"));
}

TEST_F(MarksTest, ErrorsLeaveNoMarks) {
  const auto error_of = [](const std::string& name, MarkOptions options) {
    Marks marks = open_marks(name, std::move(options));
    for ([[maybe_unused]] const auto& mark : marks) ADD_FAILURE();
    EXPECT_EQ(marks.timeline().track_count(), 0U);
    EXPECT_THAT(marks.explain(), IsEmpty());
    EXPECT_FALSE(marks.complete());
    return marks.error() ? marks.error()->to_string() : std::string();
  };
  EXPECT_THAT(error_of(path("absent.bin"), {.reading = reported()}), HasSubstr("absent.bin"));
  MarkOptions conditional{.reading = reported()};
  conditional.reading.where = "job_id == 1";
  EXPECT_THAT(error_of(write_jobs(2), std::move(conditional)), HasSubstr("begins and ends"));
  MarkOptions wrong{.reading = reported(), .tables = tables()};
  wrong.tables.front().slices.front().match = {{"(", "("}};
  EXPECT_NE(error_of(write_jobs(2), std::move(wrong)), "");
  EXPECT_EQ(reports_.size(), 3U);
}

TEST_F(MarksTest, MayBeMoved) {
  Marks first = open_marks(write_jobs(3), {.tables = tables()});
  Marks marks = std::move(first);
  int spans = 0;
  for (const auto& mark : marks) spans += mark.duration() ? 1 : 0;
  EXPECT_EQ(spans, 2);
}

}  // namespace
}  // namespace tracedeck
