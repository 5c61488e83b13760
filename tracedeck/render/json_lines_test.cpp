#include "tracedeck/render/json_lines.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tracedeck/render/sample_trace_test.hpp"

namespace tracedeck::render {
namespace {

std::string lines(const std::vector<Record>& records, bool all_records = false) {
  return rendered(
      [&](io::Output& output) { return json_lines_writer(output, {.all_records = all_records}); },
      records);
}

std::string line(const Event& event) { return lines({Record(event)}); }

class JsonLines : public testing::Test {
 protected:
  SampleTrace trace_;
};

TEST_F(JsonLines, KeysStandInTheOrderOfTheContract) {
  trace_.stream_class.packet_context = structure_class({{"cpu", unsigned_class()}});
  trace_.stream_class.common_context = structure_class({{"pid", unsigned_class()}});
  EventClass event_class = trace_.event_class(
      3, "PollStart",
      structure_class({{"worker_id", unsigned_class()}, {"label", string_class()}}));
  event_class.has_duration = true;
  event_class.specific_context = structure_class({{"x", unsigned_class()}});
  trace_.stream.keys = {{"class", 0}, {"id", 2}};
  const Packet packet{.stream = &trace_.stream, .header = {}, .context = {unsigned_slot(7)}};
  Event event =
      trace_.event(trace_.add(event_class), 1605112699000000123, {unsigned_slot(3), text_slot("a")},
                   {unsigned_slot(42)}, {unsigned_slot(1)});
  event.end_time = event.time + 250;
  event.packet = &packet;
  EXPECT_EQ(line(event), R"({"time":1605112699000000123,"duration":250,"name":"PollStart","id":3,)"
                         R"("stream":{"class":0,"id":2},)"
                         R"("context":{"packet":{"cpu":7},"common":{"pid":42},"specific":{"x":1}},)"
                         R"("fields":{"worker_id":3,"label":"a"}})"
                         "\n");
}

TEST_F(JsonLines, WhatDoesNotApplyIsAbsent) {
  EventClass event_class = trace_.event_class({}, {}, nullptr);
  event_class.clock = nullptr;
  Event event = trace_.event(trace_.add(event_class), 0, {});
  EXPECT_EQ(line(event), "{\"stream\":{\"segment\":0}}\n");
  event.stream = nullptr;
  EXPECT_EQ(line(event), "{}\n");
}

TEST_F(JsonLines, TheFirstKeyMayBeAnyOfThem) {
  EventClass event_class = trace_.event_class({}, "n", nullptr);
  event_class.clock = nullptr;
  Event event = trace_.event(trace_.add(event_class), 0, {});
  event.stream = nullptr;
  EXPECT_EQ(line(event), "{\"name\":\"n\"}\n");
  event_class.name.reset();
  event_class.id = 0;
  event.event_class = &trace_.add(event_class);
  EXPECT_EQ(line(event), "{\"id\":0}\n");
  event_class.id.reset();
  event_class.payload = structure_class({});
  event.event_class = &trace_.add(event_class);
  EXPECT_EQ(line(event), "{\"fields\":{}}\n");
  event_class.specific_context = structure_class({});
  event.event_class = &trace_.add(event_class);
  EXPECT_EQ(line(event), "{\"context\":{\"specific\":{}},\"fields\":{}}\n");
}

TEST_F(JsonLines, AnEmptyNameIsAName) {
  const EventClass& event_class = trace_.add(trace_.event_class({}, "", structure_class({})));
  EXPECT_EQ(line(trace_.event(event_class, 1, {})),
            "{\"time\":1,\"name\":\"\",\"stream\":{\"segment\":0},\"fields\":{}}\n");
}

TEST_F(JsonLines, EachContextIsThereWhenItsClassIs) {
  trace_.stream_class.common_context = structure_class({{"pid", unsigned_class()}});
  const EventClass& event_class = trace_.add(trace_.event_class(1, {}, nullptr));
  Event event = trace_.event(event_class, 5, {}, {unsigned_slot(9)});
  EXPECT_EQ(line(event),
            R"({"time":5,"id":1,"stream":{"segment":0},"context":{"common":{"pid":9}}})"
            "\n");
  trace_.stream_class.common_context = nullptr;
  trace_.stream_class.packet_context = structure_class({});
  const Packet packet{.stream = &trace_.stream, .header = {}, .context = {}};
  event.packet = &packet;
  event.common_count = 0;
  event.slot_count = 0;
  EXPECT_EQ(line(event), R"({"time":5,"id":1,"stream":{"segment":0},"context":{"packet":{}}})"
                         "\n");
}

TEST_F(JsonLines, TimesAreExactAndOfAnySize) {
  const EventClass& event_class = trace_.add(trace_.event_class({}, {}, nullptr));
  const auto time = [&](std::uint64_t value) {
    const std::string text = line(trace_.event(event_class, value, {}));
    return text.substr(0, text.find(','));
  };
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(time(0), "{\"time\":0");
  EXPECT_EQ(time(kMax), "{\"time\":18446744073709551615");

  trace_.clock.tick = {.numerator = kMax, .denominator = 1};
  EXPECT_EQ(time(kMax), "{\"time\":340282366920938463426481119284349108225");

  // A tick of 1/3 ns that begins 1 ns before the origin: fractions round down, also below zero.
  trace_.clock.tick = {.numerator = 1, .denominator = 3};
  trace_.clock.shift = -1;
  EXPECT_EQ(time(0), "{\"time\":-1");
  EXPECT_EQ(time(2), "{\"time\":-1");
  EXPECT_EQ(time(3), "{\"time\":0");
  EXPECT_EQ(time(5), "{\"time\":0");

  trace_.clock.tick = {};
  trace_.clock.shift = 0;
  trace_.clock.offset_seconds = -18003;
  trace_.clock.offset_ticks = 11928547;
  EXPECT_EQ(time(1), "{\"time\":-18002988071452");
}

TEST_F(JsonLines, DurationsMayBeNegative) {
  EventClass event_class = trace_.event_class({}, "span", structure_class({}));
  event_class.has_duration = true;
  Event event = trace_.event(trace_.add(event_class), 100, {});
  event.end_time = 60;
  EXPECT_EQ(line(event),
            R"({"time":100,"duration":-40,"name":"span","stream":{"segment":0},"fields":{}})"
            "\n");
}

TEST_F(JsonLines, FieldsOfEveryShape) {
  const FieldClassPtr label = enumeration_class({{.label = "on", .ranges = {{1, 1}}}});
  const EventClass& event_class = trace_.add(trace_.event_class(
      0, "e",
      structure_class({{"state", label},
                       {"a rather long name, longer than what is copied at once", unsigned_class()},
                       {"list", array_class(unsigned_class())},
                       {"opt", make_field_class(OptionalClass{.value = unsigned_class()})},
                       {"opt", make_field_class(OptionalClass{.value = unsigned_class()})},
                       {"quo\"te", string_class()}})));
  const Event event =
      trace_.event(event_class, 1,
                   {unsigned_slot(1), unsigned_slot(2), head_slot(SlotKind::kArray, 2, 2),
                    unsigned_slot(3), unsigned_slot(4), head_slot(SlotKind::kOptional, 0, 0),
                    head_slot(SlotKind::kOptional, 1, 1), unsigned_slot(5), unresolved_slot(6)});
  EXPECT_EQ(
      line(event),
      R"({"time":1,"name":"e","id":0,"stream":{"segment":0},"fields":{"state":{"value":1,"labels":["on"]},)"
      R"("a rather long name, longer than what is copied at once":2,"list":[3,4],)"
      R"("opt":null,"opt":5,"quo\"te":{"unresolved":6}}})"
      "\n");
}

TEST_F(JsonLines, ClassesThatTakeTheAddressOfOthersAreDistinguished) {
  const auto output = [&](Writer& writer, const EventClass& event_class, Slots slots) {
    ASSERT_TRUE(writer.write(Record(trace_.event(event_class, 0, std::move(slots)))));
  };
  std::string text;
  const auto sink = io::memory_output(text);
  const auto writer = json_lines_writer(*sink);
  EventClass event_class = trace_.event_class(1, "a", structure_class({{"x", unsigned_class()}}));
  output(*writer, event_class, {unsigned_slot(1)});
  event_class = trace_.event_class(1, "a", structure_class({{"y", unsigned_class()}}));
  output(*writer, event_class, {unsigned_slot(2)});
  event_class = trace_.event_class(1, "b", event_class.payload);
  output(*writer, event_class, {unsigned_slot(3)});
  ASSERT_TRUE(writer->finish());
  EXPECT_EQ(text, R"({"time":0,"name":"a","id":1,"stream":{"segment":0},"fields":{"x":1}})"
                  "\n"
                  R"({"time":0,"name":"a","id":1,"stream":{"segment":0},"fields":{"y":2}})"
                  "\n"
                  R"({"time":0,"name":"b","id":1,"stream":{"segment":0},"fields":{"y":3}})"
                  "\n");
}

TEST_F(JsonLines, OtherRecordsAreShownWhenAskedFor) {
  trace_.stream_class.packet_context = structure_class({{"cpu", unsigned_class()}});
  trace_.clock.offset_seconds = 1;
  const Packet packet{.stream = &trace_.stream,
                      .begin = 5,
                      .end = 6,
                      .sequence = 8,
                      .total_size = 512,
                      .content_size = 4001,
                      .header = {},
                      .context = {unsigned_slot(3)}};
  const Loss loss{.stream = &trace_.stream,
                  .events = 7,
                  .packets = 1,
                  .begin = Nanoseconds(-5),
                  .end = Nanoseconds(10)};
  const Rule rule{
      .id = "dial9/cut", .severity = Severity::kError, .section = "Frames", .summary = "…"};
  const Notice problem{
      .input = "a.bin",
      .finding = {.rule = &rule, .offset = 10, .length = 5, .text = "The \"frame\" is cut short."}};
  const std::vector<Record> records = {Record(RecordKind::kStreamBegin, &trace_.stream),
                                       Record(RecordKind::kPacketBegin, &packet),
                                       Record(static_cast<const EventClass*>(nullptr)),
                                       Record(&loss),
                                       Record(RecordKind::kProblem, &problem),
                                       Record(RecordKind::kFinding, &problem),
                                       Record(RecordKind::kPacketEnd, &packet),
                                       Record(RecordKind::kStreamEnd, &trace_.stream)};
  EXPECT_EQ(lines(records), "");
  EXPECT_EQ(
      lines(records, true),
      R"({"stream":{"event":"begin","stream":{"segment":0}}})"
      "\n"
      R"({"packet":{"event":"begin","stream":{"segment":0},"time":1000000005,"sequence":8,"size":512,"content":501,"context":{"cpu":3}}})"
      "\n"
      R"({"loss":{"stream":{"segment":0},"events":7,"packets":1,"begin":-5,"end":10}})"
      "\n"
      R"({"problem":{"file":"a.bin","offset":10,"length":5,"rule":"dial9/cut","text":"The \"frame\" is cut short."}})"
      "\n"
      R"({"packet":{"event":"end","stream":{"segment":0},"time":1000000006,"sequence":8,"size":512,"content":501,"context":{"cpu":3}}})"
      "\n"
      R"({"stream":{"event":"end","stream":{"segment":0}}})"
      "\n");
}

TEST_F(JsonLines, UnknownNumbersOfOtherRecordsAreAbsent) {
  const Packet packet{.stream = &trace_.stream, .header = {}, .context = {}};
  const Loss loss{.stream = &trace_.stream};
  EXPECT_EQ(lines({Record(RecordKind::kPacketBegin, &packet), Record(&loss)}, true),
            R"({"packet":{"event":"begin","stream":{"segment":0}}})"
            "\n"
            R"({"loss":{"stream":{"segment":0}}})"
            "\n");
}

TEST_F(JsonLines, AStreamMayHaveNoKeys) {
  trace_.stream.keys.clear();
  const EventClass& event_class = trace_.add(trace_.event_class({}, {}, nullptr));
  EXPECT_EQ(line(trace_.event(event_class, 2, {})), "{\"time\":2,\"stream\":{}}\n");
}

TEST_F(JsonLines, FlushHandsOverWhatIsWritten) {
  std::string text;
  const auto sink = io::memory_output(text);
  const auto writer = json_lines_writer(*sink);
  const EventClass& event_class = trace_.add(trace_.event_class({}, {}, nullptr));
  ASSERT_TRUE(writer->write(Record(trace_.event(event_class, 2, {}))));
  ASSERT_TRUE(writer->flush());
  EXPECT_EQ(text, "{\"time\":2,\"stream\":{\"segment\":0}}\n");
}

TEST_F(JsonLines, ValuesLargerThanTheBufferArrive) {
  const std::string long_text(1'000'000, 'x');
  const EventClass& event_class =
      trace_.add(trace_.event_class({}, {}, structure_class({{"s", string_class()}})));
  const Event event = trace_.event(event_class, 0, {text_slot(long_text)});
  EXPECT_EQ(line(event),
            fmt::format("{{\"time\":0,\"stream\":{{\"segment\":0}},\"fields\":{{\"s\":\"{}\"}}}}\n",
                        long_text));
}

TEST_F(JsonLines, TheReceiptNamesWhatJsonCouldNotHold) {
  std::string text;
  const auto sink = io::memory_output(text);
  const auto writer = json_lines_writer(*sink);
  const EventClass& event_class =
      trace_.add(trace_.event_class({}, {}, structure_class({{"s", string_class()}})));
  ASSERT_TRUE(writer->write(Record(trace_.event(event_class, 0, {text_slot("fine")}))));
  EXPECT_TRUE(writer->receipt().empty());
  ASSERT_TRUE(writer->write(Record(trace_.event(event_class, 0, {text_slot("\xFF")}))));
  const Receipt receipt = writer->receipt();
  ASSERT_EQ(receipt.size(), 1U);
  EXPECT_EQ(receipt[0].count, 1U);
  EXPECT_TRUE(receipt[0].lossy);
}

}  // namespace
}  // namespace tracedeck::render
