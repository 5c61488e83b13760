#include "tracedeck/render/csv.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tracedeck/render/sample_trace_test.hpp"

namespace tracedeck::render {
namespace {

constexpr std::string_view kHeader = "time,duration,name,id,stream,context,fields\n";

std::string csv(const std::vector<Record>& records, bool all_records = false) {
  const std::string text =
      rendered([&](io::Output& output) { return csv_writer(output, {.all_records = all_records}); },
               records);
  EXPECT_TRUE(text.starts_with(kHeader)) << text;
  return text.substr(kHeader.size());
}

class Csv : public testing::Test {
 protected:
  std::string named(std::optional<std::string> name) {
    EventClass event_class = trace_.event_class({}, std::move(name), nullptr);
    event_class.clock = nullptr;
    Event event = trace_.event(trace_.add(event_class), 0, {});
    event.stream = nullptr;
    return csv({Record(event)});
  }

  SampleTrace trace_;
};

TEST_F(Csv, AnEmptyTraceIsItsHeader) { EXPECT_EQ(csv({}), ""); }

TEST_F(Csv, EveryColumn) {
  trace_.stream_class.common_context = structure_class({{"pid", unsigned_class()}});
  EventClass event_class = trace_.event_class(
      3, "PollStart", structure_class({{"n", unsigned_class()}, {"s", string_class()}}));
  event_class.has_duration = true;
  Event event = trace_.event(trace_.add(event_class), 1000, {unsigned_slot(7), text_slot("a\"b")},
                             {unsigned_slot(1)});
  event.end_time = 1250;
  EXPECT_EQ(csv({Record(event)}),
            "1000,250,PollStart,3,"
            R"("{""segment"":0}","{""common"":{""pid"":1}}","{""n"":7,""s"":""a\""b""}")"
            "\n");
}

TEST_F(Csv, WhatDoesNotApplyIsEmpty) { EXPECT_EQ(named({}), ",,,,,,\n"); }

TEST_F(Csv, NamesAreQuotedWhenTheyMustBe) {
  EXPECT_EQ(named("My event"), ",,My event,,,,\n");
  EXPECT_EQ(named(""), ",,\"\",,,,\n");
  EXPECT_EQ(named("a,b"), ",,\"a,b\",,,,\n");
  EXPECT_EQ(named("say \"x\""), ",,\"say \"\"x\"\"\",,,,\n");
  EXPECT_EQ(named("two\nlines"), ",,\"two\nlines\",,,,\n");
  EXPECT_EQ(named("bad\xFF"), ",,bad\xEF\xBF\xBD,,,,\n");
}

TEST_F(Csv, NegativeTimes) {
  trace_.clock.offset_seconds = -1;
  const EventClass& event_class = trace_.add(trace_.event_class({}, {}, nullptr));
  EXPECT_EQ(csv({Record(trace_.event(event_class, 1, {}))}),
            "-999999999,,,,\"{\"\"segment\"\":0}\",,\n");
}

TEST_F(Csv, OtherRecordsStandInTheLastColumnWhenAskedFor) {
  const Loss loss{.stream = &trace_.stream, .events = 3};
  EXPECT_EQ(csv({Record(&loss)}), "");
  EXPECT_EQ(csv({Record(&loss)}, true),
            R"(,,,,,,"{""loss"":{""stream"":{""segment"":0},""events"":3}}")"
            "\n");
}

TEST_F(Csv, ValuesLargerThanTheBufferArriveInOrder) {
  const std::string quotes(300'000, '"');
  const EventClass& event_class =
      trace_.add(trace_.event_class({}, {}, structure_class({{"s", string_class()}})));
  std::string expected = R"(0,,,,"{""segment"":0}",,"{""s"":"")";
  for (std::size_t i = 0; i < quotes.size(); ++i) expected += "\\\"\"";
  expected += "\"\"}\"\n";
  EXPECT_EQ(csv({Record(trace_.event(event_class, 0, {text_slot(quotes)}))}), expected);
}

TEST_F(Csv, TheReceiptCountsReplacedNames) {
  EventClass event_class = trace_.event_class({}, "bad\xFF", nullptr);
  const Event event = trace_.event(trace_.add(event_class), 0, {});
  std::string text;
  const auto sink = io::memory_output(text);
  const auto writer = csv_writer(*sink);
  ASSERT_TRUE(writer->write(Record(event)));
  ASSERT_EQ(writer->receipt().size(), 1U);
  EXPECT_EQ(writer->receipt()[0].count, 1U);
}

}  // namespace
}  // namespace tracedeck::render
