#include "tracedeck/export/chrome.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tracedeck/export/made_up_marks_test.hpp"

namespace tracedeck::exporting {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

class ChromeTest : public testing::Test {
 protected:
  Exported write(std::size_t at_once = 1'000'000) const {
    return exported(made_, [](io::Output& output) { return make_chrome(output); }, at_once);
  }
  // The events, without commas; those of tracks with `all`.
  std::vector<std::string> events(bool all = false) const {
    std::vector<std::string> lines;
    std::istringstream text(write().bytes);
    for (std::string line; std::getline(text, line);) {
      if (!line.starts_with("{\"ph\"") || (!all && line.starts_with("{\"ph\":\"M\""))) continue;
      if (line.ends_with(',')) line.pop_back();
      lines.push_back(line);
    }
    return lines;
  }
  // Where a plain track without a parent is.
  static std::string at(TrackId track) {
    return R"("pid":4194304,"tid":)" + std::to_string(4'194'304 + track);
  }

  MadeUpMarks made_;
};

TEST_F(ChromeTest, NothingIsAnEmptyTrace) {
  EXPECT_EQ(write().bytes, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n]}\n");
}

TEST_F(ChromeTest, SlicesBeginAndEndInMicrosecondsFromTheTracesBegin) {
  const TrackId track = made_.track(TrackKind::kPlain, "worker");
  constexpr std::int64_t kBegin =
      1'700'000'000'123'456'789;  // a double of microseconds is 0.25 off
  made_.begin(track, kBegin, "poll", "tokio");
  made_.begin(track, kBegin + 1, "read");
  made_.end(track, kBegin + 999, "read", kBegin + 1);
  made_.end(track, kBegin + 86'400'000'000'001, "poll", kBegin, "tokio");
  const std::string place = at(track);
  EXPECT_THAT(events(),
              ElementsAre(R"({"ph":"B",)" + place + R"(,"ts":0.000,"name":"poll","cat":"tokio"})",
                          R"({"ph":"B",)" + place + R"(,"ts":0.001,"name":"read"})",
                          R"({"ph":"E",)" + place + R"(,"ts":0.999,"name":"read"})",
                          R"({"ph":"E",)" + place +
                              R"(,"ts":86400000000.001,"name":"poll","cat":"tokio"})"));
}

TEST_F(ChromeTest, TracksAreIntroducedBeforeWhatIsOnThem) {
  const TrackId process = made_.process("server", 42);
  const TrackId thread = made_.thread("worker 0", 43, process);
  const TrackId group = made_.track(TrackKind::kGroup, "inner", process);
  const TrackId plain = made_.track(TrackKind::kPlain, "a", group);
  made_.instant(thread, 5, "x");
  made_.instant(plain, 6, "x");
  EXPECT_THAT(
      events(true),
      ElementsAre(
          R"({"ph":"M","pid":42,"tid":43,"name":"process_name","args":{"name":"server"}})",
          R"({"ph":"M","pid":42,"tid":43,"name":"thread_name","args":{"name":"worker 0"}})",
          R"({"ph":"M","pid":42,"tid":43,"name":"thread_sort_index","args":{"sort_index":0}})",
          R"({"ph":"M","pid":42,"tid":4194308,"name":"thread_name","args":{"name":"inner / a"}})",
          R"({"ph":"M","pid":42,"tid":4194308,"name":"thread_sort_index","args":{"sort_index":0}})",
          R"({"ph":"i","pid":42,"tid":43,"ts":0.000,"name":"x","s":"t"})",
          R"({"ph":"i","pid":42,"tid":4194308,"ts":0.001,"name":"x","s":"t"})"));
}

TEST_F(ChromeTest, LanesAreAsynchronous) {
  const TrackId first = made_.track(TrackKind::kLanes, "requests");
  const TrackId second = made_.lane(first, 1);
  made_.begin(first, 0, "GET", "http");
  made_.begin(second, 10, "PUT");
  made_.instant(second, 15, "x");
  made_.end(first, 20, "GET", 0, "http");
  EXPECT_THAT(
      events(),
      ElementsAre(R"({"ph":"b",)" + at(1) +
                      R"(,"ts":0.000,"name":"GET","cat":"http","id2":{"local":"4194305"}})",
                  R"({"ph":"b",)" + at(2) +
                      R"(,"ts":0.010,"name":"PUT","cat":"requests","id2":{"local":"4194306"}})",
                  R"({"ph":"n",)" + at(2) +
                      R"(,"ts":0.015,"name":"x","cat":"requests","id2":{"local":"4194306"}})",
                  R"({"ph":"e",)" + at(1) +
                      R"(,"ts":0.020,"name":"GET","cat":"http","id2":{"local":"4194305"}})"));
}

TEST_F(ChromeTest, ArgumentsFlagsAndWaitsAreArgs) {
  const MadeUpArguments arguments;
  const TrackId track = made_.track(TrackKind::kPlain, "a");
  made_.flow(MarkKind::kFlowOut, track, 10, 5);
  arguments.give(made_.begin(track, 10, "f"));
  made_.flow(MarkKind::kFlowIn, track, 10, 5);
  made_.wait(track, 3, 10, "wake -> poll");
  made_.end(track, 20, "f", 10).flags = timeline::kAcrossLoss;
  EXPECT_THAT(
      events(),
      ElementsAre(
          R"({"ph":"X",)" + at(1) + R"(,"ts":0.000,"name":"flow","dur":0.000})",
          R"({"ph":"s",)" + at(1) + R"(,"ts":0.000,"name":"flow","cat":"flow","id":"1"})",
          R"({"ph":"B",)" + at(1) +
              R"(,"ts":0.000,"name":"f","args":{"task":7,"offset":-3,"ratio":0.5,"ok":true,)"
              "\"path\":\"/a\\\"b\xEF\xBF\xBD\","
              R"("sizes":"[10,4096]","state":"busy","large":"18446744073709551615","data":"AQI=",)"
              R"_("wake -> poll (ns)":7}})_",
          R"({"ph":"f",)" + at(1) + R"(,"ts":0.000,"name":"flow","cat":"flow","id":"1","bp":"e"})",
          R"({"ph":"E",)" + at(1) +
              R"(,"ts":0.010,"name":"f","args":{"events were lost inside":true}})"));
  EXPECT_THAT(sentences(write().receipt),
              ElementsAre("1 of text that is no UTF-8: written with U+FFFD"));
}

TEST_F(ChromeTest, NumbersOfFlowsAreNotUsedAgain) {
  const TrackId track = made_.track(TrackKind::kPlain, "a");
  made_.begin(track, 0, "f");
  for (int i = 0; i < 2; ++i) {
    made_.flow(MarkKind::kFlowOut, track, 0, 7);
    made_.flow(MarkKind::kFlowIn, track, 0, 7);
  }
  made_.flow(MarkKind::kFlowIn, track, 0, 7);
  std::vector<std::string> ids;
  for (const std::string& line : events()) {
    if (const std::size_t at = line.find("\"id\""); at != std::string::npos)
      ids.push_back(line.substr(at, 8));
  }
  EXPECT_THAT(ids, ElementsAre(R"("id":"1")", R"("id":"1")", R"("id":"2")", R"("id":"2")"));
  EXPECT_THAT(
      sentences(write().receipt),
      ElementsAre("1 of flow that did not begin, or began beside a million others: left out"));
}

TEST_F(ChromeTest, AFlowWithoutASliceGetsOne) {
  made_.flow(MarkKind::kFlowOut, made_.track(TrackKind::kPlain, "a"), 10, 5, "send");
  EXPECT_THAT(
      events(),
      ElementsAre(R"({"ph":"X",)" + at(1) + R"(,"ts":0.000,"name":"send","dur":0.000})",
                  R"({"ph":"s",)" + at(1) + R"(,"ts":0.000,"name":"flow","cat":"flow","id":"1"})"));
}

// Perfetto takes ends before begins of the same time.
TEST_F(ChromeTest, ASliceWithoutADurationIsOneEvent) {
  const TrackId track = made_.track(TrackKind::kPlain, "a");
  const TrackId other = made_.track(TrackKind::kLanes, "b");
  made_.begin(track, 10, "outer");
  made_.begin(track, 10, "inner");
  made_.begin(other, 10, "lane");
  made_.end(other, 10, "lane", 10);
  made_.end(track, 10, "inner", 10).flags = timeline::kNegative;
  made_.end(track, 30, "outer", 10);
  EXPECT_THAT(events(),
              ElementsAre(R"({"ph":"B",)" + at(1) + R"(,"ts":0.000,"name":"outer"})",
                          R"({"ph":"X",)" + at(1) +
                              R"(,"ts":0.000,"name":"inner","dur":0.000,)"
                              R"("args":{"ended before it began":true}})",
                          R"({"ph":"n",)" + at(2) +
                              R"(,"ts":0.000,"name":"lane","cat":"b","id2":{"local":"4194306"}})",
                          R"({"ph":"E",)" + at(1) + R"(,"ts":0.020,"name":"outer"})"));
}

TEST_F(ChromeTest, StatesAreSlicesThatLastUntilTheNext) {
  const TrackId track = made_.track(TrackKind::kState, "worker");
  made_.state(track, 10, "parked");
  made_.state(track, 20, "active", 3).value = 7;
  made_.instant(made_.track(TrackKind::kPlain, "b"), 30, "x");
  EXPECT_THAT(events(), ElementsAre(R"({"ph":"B",)" + at(1) + R"(,"ts":0.000,"name":"parked"})",
                                    R"({"ph":"E",)" + at(1) + R"(,"ts":0.010,"args":{"spent":7}})",
                                    R"({"ph":"B",)" + at(1) +
                                        R"(,"ts":0.010,"name":"active","args":{"cpu":3}})",
                                    R"({"ph":"i",)" + at(2) + R"(,"ts":0.020,"name":"x","s":"t"})",
                                    R"({"ph":"E",)" + at(1) + R"(,"ts":0.020})"));
}

TEST_F(ChromeTest, CountersHaveOneValue) {
  const TrackId track = made_.track(TrackKind::kCounter, "queue");
  made_.counter(track, 0, 3);
  for (const double real : {0.5, std::numeric_limits<double>::infinity()}) {
    Mark& mark = made_.counter(track, 1, 0);
    mark.flags = timeline::kReal;
    mark.real = real;
  }
  EXPECT_THAT(
      events(),
      ElementsAre(R"({"ph":"C",)" + at(1) + R"(,"ts":0.000,"name":"queue","args":{"value":3}})",
                  R"({"ph":"C",)" + at(1) + R"(,"ts":0.001,"name":"queue","args":{"value":0.5}})"));
  EXPECT_THAT(sentences(write().receipt),
              ElementsAre("1 of counter value that is not finite: left out"));
}

TEST_F(ChromeTest, AnEndWithoutABeginIsAWholeSlice) {
  const TrackId track = made_.track(TrackKind::kPlain, "a");
  made_.instant(track, 10, "x");
  made_.end(track, 25, "f", 10).flags = timeline::kBeganBefore;
  EXPECT_EQ(
      events().back(),
      R"({"ph":"X",)" + at(1) +
          R"(,"ts":0.000,"name":"f","dur":0.015,"args":{"began before what is shown":true}})");
}

TEST_F(ChromeTest, LossesAreOnATrackOfTheirOwn) {
  made_.instant(made_.track(TrackKind::kPlain, "worker"), 0, "x");
  made_.gap(40, 100, "lost 7 events");
  const std::string gap = R"("pid":4194303,"tid":4194303,"ts":)";
  EXPECT_THAT(
      events(),
      ElementsAre(
          testing::_,
          R"({"ph":"b",)" + gap +
              R"(0.040,"name":"lost 7 events","cat":"trace quality",)"
              R"("id2":{"local":"1"}})",
          R"({"ph":"e",)" + gap +
              R"(0.100,"name":"lost 7 events","cat":"trace quality","id2":{"local":"1"}})"));
}

TEST_F(ChromeTest, WhatIsTooEarlyIsMovedAndWhatIsTooDeepLeftOut) {
  const TrackId track = made_.track(TrackKind::kPlain, "a");
  for (std::int64_t i = 0; i < 502; ++i) made_.begin(track, i, "f");
  for (std::int64_t i = 501; i >= 0; --i) made_.end(track, 2000 - i, "f", i);
  Mark early = made_.marks.front();
  early.kind = MarkKind::kInstant;
  early.time = -5;
  made_.marks.push_back(early);
  EXPECT_EQ(events().size(), 1001U);
  EXPECT_THAT(sentences(write().receipt),
              ElementsAre("1 of time before the trace's begin: moved there",
                          "2 of slice or instant more than 500 deep: left out"));
}

// For Perfetto they lie in each other, and those beyond 512 are dropped.
TEST_F(ChromeTest, StatesAndSlicesOfOneTimeBeyond500AreLeftOutAndCounted) {
  const TrackId states = made_.track(TrackKind::kState, "s");
  const TrackId slices = made_.track(TrackKind::kPlain, "a");
  for (int i = 0; i < 510; ++i) made_.state(states, 5, "x");
  for (int i = 0; i < 503; ++i) {
    made_.begin(slices, 6, "f");
    made_.end(slices, 6, "f", 6);
  }
  EXPECT_EQ(events().size(), 500U + 2 + 500);
  EXPECT_THAT(sentences(write().receipt),
              ElementsAre("12 of slice or instant more than 500 deep: left out"));
}

TEST_F(ChromeTest, BytesAreTheSameHoweverMarksAreCut) {
  const TrackId track = made_.track(TrackKind::kPlain, "a");
  for (std::int64_t time = 0; time < 300; time += 10) {
    made_.begin(track, time, "poll");
    made_.flow(MarkKind::kFlowIn, track, time, 1);
    made_.wait(track, time - 5, time, "wake -> poll");
    made_.end(track, time + 5, "poll", time);
  }
  for (const std::size_t at_once : {1U, 2U, 3U}) EXPECT_EQ(write(at_once).bytes, write().bytes);
}

}  // namespace
}  // namespace tracedeck::exporting
