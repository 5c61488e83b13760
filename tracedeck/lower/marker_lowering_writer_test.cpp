#include "tracedeck/lower/marker_lowering_writer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <concepts>
#include <span>
#include <vector>

#include "tracedeck/format/collect_records_test.hpp"
#include "tracedeck/tband/format.hpp"
#include "tracedeck/tband/reader.hpp"
#include "tracedeck/tband/trace_bytes_test.hpp"
#include "tracedeck/tband/writer.hpp"

namespace tracedeck::tband {
namespace {

std::unique_ptr<Writer> create_lowering(io::Output& output) {
  return lower::lower_to_markers(*format().targets().front().profile, create_writer(output));
}

// What becomes of the records of a trace, and the receipt.
struct Written {
  Bytes bytes;
  Receipt receipt;
};

// Of what `write` gives to the writer.
template <std::invocable<Writer&> Write>
Written written_by(Write write) {
  std::string out;
  const auto output = io::memory_output(out);
  const auto writer = create_lowering(*output);
  write(*writer);
  EXPECT_TRUE(writer->finish().has_value());
  EXPECT_TRUE(output->finish().has_value());
  return {Bytes(out.begin(), out.end()), writer->receipt()};
}

Written write(std::span<const Record> records) {
  return written_by([&](Writer& writer) {
    for (const Record& record : records) EXPECT_TRUE(writer.write(record).has_value());
  });
}

Written write(Reader& reader) {
  return written_by([&](Writer& writer) {
    for (auto batch = reader.next(); batch && *batch != nullptr; batch = reader.next()) {
      for (const Record& record : (*batch)->records())
        EXPECT_TRUE(writer.write(record).has_value());
    }
  });
}

Written rewritten(const Bytes& bytes, const ReadOptions& options = {}) {
  const auto reader = open_reader(io::memory_input("test", bytes), options);
  EXPECT_TRUE(reader.has_value());
  return write(**reader);
}

TEST(MarkerLowering, EveryEventIsWrittenAsItWas) {
  Bytes trace = kResolution25;
  std::uint64_t ts = 0;
  for (const EventFacts& facts : kEvents) {
    if (facts.id <= kResolution) continue;
    std::vector<FieldValue> values;
    for (const FieldFacts& field : facts.used_fields())
      values.push_back(field.type == FieldType::kString ? text("a text") : number(3));
    ASSERT_TRUE(encode_event(facts, ts += 10, values, trace).has_value());
  }
  const Written written = rewritten(trace);
  EXPECT_EQ(written.bytes, trace);
  EXPECT_TRUE(written.receipt.empty());
}

TEST(MarkerLowering, CoresAndCountsAreThoseOfTheInput) {
  const Bytes trace = kResolution25 + isr_enter(1, 1) + frame("core_id", 2, {number(3)}) +
                      isr_enter(3, 1) + frame("dropped_evt_cnt", 4, {number(5)}) + isr_enter(5, 1) +
                      frame("dropped_evt_cnt", 6, {number(9)});
  const Written written = rewritten(trace);
  EXPECT_EQ(written.bytes, trace);
  EXPECT_TRUE(written.receipt.empty());
}

TEST(MarkerLowering, SaysTheLengthOfATickFirstIfTheInputDoesNot) {
  TraceDescription trace("test", "other", "1");
  const ClockClass& clock = trace.add_clock({.id = "clock", .tick = {25, 1}});
  const DataStreamClass& stream_class = trace.add_stream_class({.default_clock = &clock});
  StructureClass payload;
  payload.members.push_back({.name = "isr_id", .field_class = make_field_class(IntegerClass{})});
  const EventClass& isr = trace.add_event_class({.name = "isr_enter",
                                                 .stream_class = &stream_class,
                                                 .clock = &clock,
                                                 .payload = make_field_class(std::move(payload))});
  const DataStream stream{.entity = trace.next_stream(),
                          .stream_class = &stream_class,
                          .keys = {{.name = "core", .value = 2}}};
  const Slot id = unsigned_slot(7);
  const Event event{.event_class = &isr,
                    .stream = &stream,
                    .time = 100,
                    .end_time = 100,
                    .slots = &id,
                    .slot_count = 1};
  const Written written = write(std::array{Record(event)});
  EXPECT_EQ(written.bytes, kResolution25 + frame("core_id", 100, {number(2)}) + isr_enter(100, 7));
}

TEST(MarkerLowering, ShiftedTimesKeepTheirNanoseconds) {
  // 13 ns are no whole tick of 25: times are written in ns, and the input's own length is not.
  const Written written = rewritten(isr_enter(4, 1) + kResolution25, {.clock_shift = 13});
  EXPECT_EQ(written.bytes, isr_enter(113, 1));
  ASSERT_EQ(written.receipt.size(), 3U);
  EXPECT_EQ(written.receipt[0].path, "clock.timestamp");
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_EQ(written.receipt[i].event_class, "ts_resolution_ns");
    EXPECT_EQ(written.receipt[i].count, 1U);
  }
}

TEST(MarkerLowering, WhatTheFormatDoesNotKnowBecomesAMarker) {
  TraceDescription trace("test", "other", "1");
  trace.add_environment({.key = "host", .value = "h"});
  const ClockClass& clock = trace.add_clock({.id = "clock"});
  const DataStreamClass& stream_class = trace.add_stream_class({.default_clock = &clock});
  const DataStream stream{.entity = trace.next_stream(), .stream_class = &stream_class};
  StructureClass payload;
  payload.members.push_back({.name = "a", .field_class = make_field_class(IntegerClass{})});
  payload.members.push_back({.name = "t", .field_class = make_field_class(StringClass{})});
  const EventClass& other =
      trace.add_event_class({.name = "other",
                             .stream_class = &stream_class,
                             .clock = &clock,
                             .has_duration = true,
                             .payload = make_field_class(std::move(payload))});
  const std::string quoted = "\"x\"";
  const std::array<Slot, 2> slots = {unsigned_slot(5),
                                     bytes_slot(SlotKind::kString, as_bytes(quoted).data(), 3)};
  const Event event{.event_class = &other,
                    .stream = &stream,
                    .time = 10,
                    .end_time = 30,
                    .slots = slots.data(),
                    .slot_count = 2};
  const Loss loss{.stream = &stream, .events = 4};
  const Written written = write(std::array{Record(event), Record(&loss)});
  EXPECT_EQ(written.bytes,
            frame("ts_resolution_ns", 0, {number(1)}) +
                frame("evtmarker_name", 0, {number(1'000'000), text("other")}) +
                frame("evtmarker", 30,
                      {number(1'000'000), text(R"({"@duration":20,"a":5,"t":"\"x\""})")}) +
                frame("dropped_evt_cnt", 30, {number(4)}));
  std::vector<std::string> places;
  for (const ReceiptEntry& entry : written.receipt) {
    EXPECT_TRUE(entry.lossy);
    places.push_back(entry.event_class + "/" + entry.path);
  }
  EXPECT_EQ(places,
            (std::vector<std::string>{"/environment.host", "/clock.clock", "/stream", "/loss",
                                      "dropped_evt_cnt/", "evtmarker/", "evtmarker_name/", "other/",
                                      "other/", "other/", "ts_resolution_ns/"}));
}

TEST(MarkerLowering, MessagesHaveValuesOfEveryKind) {
  TraceDescription trace("test", "other", "1");
  const DataStreamClass& stream_class =
      trace.add_stream_class({.default_clock = &trace.add_clock({.id = "clock"})});
  const DataStream stream{.entity = trace.next_stream(), .stream_class = &stream_class};
  const std::array<std::uint8_t, 16> memory = {1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 10};
  const std::string plain(300, 'x');
  const std::string escaped = "a\"\n\xFF";
  const FieldClassPtr integer = make_field_class(IntegerClass{.layout = Leb128Layout{}});
  const FieldClassPtr text = make_field_class(StringClass{.extent = LengthPrefixed{}});
  const FieldClassPtr array =
      make_field_class(ArrayClass{.element = integer, .extent = LengthPrefixed{}});
  const auto packed = [&](PackedElement element) {
    return packed_slot(element, memory.data(), 16);
  };
  StructureClass payload;
  std::vector<Slot> slots;
  const auto add = [&](const FieldClassPtr& field_class, const Slot& slot) {
    payload.members.push_back({.name = "m", .field_class = field_class});
    slots.push_back(slot);
  };
  add(integer, unsigned_slot(~std::uint64_t{0}));
  add(integer, signed_slot(-100));
  add(make_field_class(BooleanClass{}), boolean_slot(true));
  add(make_field_class(RealClass{}), real_slot(0.5));
  add(text, bytes_slot(SlotKind::kString, as_bytes(plain).data(), 300));
  add(text, bytes_slot(SlotKind::kString, as_bytes(escaped).data(), 4));
  add(make_field_class(BlobClass{.extent = LengthPrefixed{}}),
      bytes_slot(SlotKind::kBlob, memory.data(), 4));
  add(array, packed(PackedElement::kU64Le));
  add(array, packed(PackedElement::kU64Be));
  add(array, packed_slot(PackedElement::kU8, memory.data(), 3));
  add(array, packed(PackedElement::kI32Le));
  add(array, packed_slot(PackedElement::kU64Le, memory.data(), 0));
  const EventClass& event_class =
      trace.add_event_class({.name = "all",
                             .stream_class = &stream_class,
                             .clock = stream_class.default_clock,
                             .payload = make_field_class(std::move(payload))});
  const Event event{.event_class = &event_class,
                    .stream = &stream,
                    .time = 1,
                    .end_time = 1,
                    .slots = slots.data(),
                    .slot_count = static_cast<std::uint32_t>(slots.size())};
  const Written written = write(std::array{Record(event)});
  const std::string message =
      R"({"m":18446744073709551615,"m":-100,"m":true,"m":0.5,"m":")" + plain +
      R"(","m":"a\"\u000a\udcff","m":"01020304","m":[578437695752307201,720575940379279360],)"
      R"("m":[72623859790382856,10],"m":[1,2,3],"m":[67305985,134678021,0,167772160],"m":[]})";
  EXPECT_EQ(written.bytes, frame("ts_resolution_ns", 0, {number(1)}) +
                               frame("evtmarker_name", 0, {number(1'000'000), tband::text("all")}) +
                               frame("evtmarker", 1, {number(1'000'000), tband::text(message)}));
}

// As from a trace of CTF, which reports the losses of a packet before the packet's events.
TEST(MarkerLowering, LossesOfAStreamThatCountsThemWaitForItsNextCount) {
  const Bytes beginning =
      kResolution25 + frame("dropped_evt_cnt", 1, {number(0)}) + isr_enter(2, 1);
  const Bytes count = frame("dropped_evt_cnt", 3, {number(4)});
  const Bytes trace = beginning + count + isr_enter(4, 1);
  const auto reader = open_reader(io::memory_input("test", trace), {});
  ASSERT_TRUE(reader.has_value());
  const Records read = collect(**reader);
  ASSERT_EQ(read.events.size(), 5U);
  ASSERT_EQ(read.losses.size(), 1U);
  const auto written = [&](bool with_count) {
    std::vector<Record> records;
    for (std::size_t i = 0; i < read.events.size(); ++i) {
      if (i == 3 && !with_count) continue;
      records.emplace_back(read.events[i]);
      if (i == 1) records.emplace_back(read.losses.data());
    }
    return write(records).bytes;
  };
  EXPECT_EQ(written(true), trace);
  EXPECT_EQ(written(false), beginning + isr_enter(4, 1) + frame("dropped_evt_cnt", 4, {number(4)}));
}

// As a cut gives it: the first count goes on from before.
TEST(MarkerLowering, CountsBeginWhereTheResultBegins) {
  const Bytes head = kResolution25 + isr_enter(1, 1) + frame("dropped_evt_cnt", 2, {number(5)});
  const auto rest = [](std::array<std::uint32_t, 3> counts) {
    return isr_enter(3, 1) + frame("dropped_evt_cnt", 4, {number(counts[0])}) + isr_enter(5, 1) +
           frame("dropped_evt_cnt", 6, {number(counts[1])}) +
           frame("dropped_evt_cnt", 7, {number(counts[2])}) + isr_enter(8, 1);
  };
  struct Case {
    std::array<std::uint32_t, 3> counts, adapted;
  };
  for (const auto& [counts, adapted] :
       {Case{{5, 8, 8}, {0, 3, 3}}, Case{{6, 6, 9}, {1, 1, 4}}, Case{{5, 2, 4}, {0, 0, 2}}}) {
    const auto reader = open_reader(io::memory_input("test", head + rest(counts)), {});
    ASSERT_TRUE(reader.has_value());
    const Written written = written_by([&](Writer& writer) {
      const auto batch = reader->get()->next();
      ASSERT_TRUE(batch.has_value());
      std::size_t events = 0;
      for (const Record& record : (*batch)->records()) {
        events += record.kind == RecordKind::kEvent ? 1 : 0;
        const bool is_before = events == 2 || events == 3;
        if (is_before && record.kind != RecordKind::kStreamBegin) continue;
        EXPECT_TRUE(writer.write(record).has_value());
      }
    });
    EXPECT_EQ(written.bytes, kResolution25 + rest(adapted));
    ASSERT_EQ(written.receipt.size(), 1U);
    EXPECT_EQ(written.receipt[0].event_class, "dropped_evt_cnt");
    EXPECT_EQ(written.receipt[0].count, 3U);
    EXPECT_FALSE(written.receipt[0].lossy);
  }
}

}  // namespace
}  // namespace tracedeck::tband
