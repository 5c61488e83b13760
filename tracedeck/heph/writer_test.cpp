#include "tracedeck/heph/writer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/heph/collect_records_test.hpp"
#include "tracedeck/heph/model_classes.hpp"
#include "tracedeck/heph/rewrite.hpp"
#include "tracedeck/heph/trace_bytes_test.hpp"

namespace tracedeck::heph {
namespace {

struct Written {
  std::string bytes;
  Receipt receipt;
};

template <class Write>
Written write_with(Write write) {
  Written written;
  const auto output = io::memory_output(written.bytes);
  Result<std::unique_ptr<Writer>> writer = create_writer(*output, {});
  EXPECT_TRUE(writer.has_value());
  write(**writer);
  EXPECT_TRUE((*writer)->finish().has_value());
  EXPECT_TRUE(output->finish().has_value());
  written.receipt = (*writer)->receipt();
  return written;
}

Written write_records(const Records& records) {
  return write_with([&](Writer& writer) {
    for (const BatchPtr& batch : records.batches) {
      for (const Record& record : batch->records()) {
        const Result<void> result = writer.write(record);
        EXPECT_TRUE(result.has_value()) << result.error().to_string();
      }
    }
  });
}

TraceBytes rich_trace() {
  TraceBytes attributes;
  attributes.attribute("u", 1).u64(~std::uint64_t{0}).attribute("i", 2).u64(~std::uint64_t{1});
  attributes.attribute("f", 3).u64(0x7FF8'0000'0000'1234).attribute("s", 4).text("text\xFF");
  attributes.attribute("au", 0x81).u16(2).u64(1).u64(2).attribute("ai", 0x82).u16(1).u64(3);
  attributes.attribute("af", 0x83).u16(1).u64(4).attribute("as", 0x84).u16(2).text("x").text("");
  attributes.attribute("", 0x81).u16(0).attribute("", 0x84).u16(0).attribute("e", 0x83).u16(0);
  TraceBytes bytes;
  bytes.epoch(1'610'113'734'118'010'000).option("zone", "UTC\xFF");
  for (std::uint64_t i = 0; i < 5; ++i)
    bytes.event({i % 2 * 7, i + 100, i, 1000 * i, 1000 * i + i}, "rich", attributes);
  return bytes.event({7, 200, 1, 9, 8}, "");
}

TEST(TraceWriter, WhatIsWrittenIsTheSameByteForByte) {
  const TraceBytes bytes = rich_trace();
  const Written written = write_records(read_bytes(bytes.bytes()));
  EXPECT_TRUE(written.receipt.empty());
  EXPECT_EQ(written.bytes, as_text(bytes.bytes()));
}

// The packets of the events, written by themselves.
std::string written_by_themselves(const TraceDescription& trace, const std::vector<Event>& events) {
  std::string bytes;
  const auto output = io::memory_output(bytes);
  TraceWriter writer(*output);
  EXPECT_TRUE(writer.describe(trace).has_value());
  for (const Event& event : events) {
    const SpanLayout layout(*event.event_class);
    const EventHead head = {.stream = static_cast<std::uint32_t>(event.stream->keys[0].value),
                            .counter = static_cast<std::uint32_t>(event.slots[1].bits),
                            .substream = event.slots[0].bits,
                            .start = event.time,
                            .end = event.end_time};
    EXPECT_TRUE(writer.put(layout, head, event.payload()).has_value());
  }
  EXPECT_TRUE(writer.finish().has_value());
  EXPECT_TRUE(output->finish().has_value());
  return bytes;
}

TEST(TraceWriter, EventsByThemselvesAreTheSamePackets) {
  const TraceBytes bytes = rich_trace();
  const Records records = read_bytes(bytes.bytes());
  const TraceDescription& trace = *records.events.front().event_class->stream_class->trace;
  EXPECT_EQ(written_by_themselves(trace, records.events), as_text(bytes.bytes()));
}

TEST(TraceWriter, ValuesOfAnyKindAreTheSameEitherWay) {
  std::array<std::uint8_t, 48> memory = {};
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::uint8_t>(i * 37 + 1);
  std::vector<Slot> slots = {unsigned_slot(1), unsigned_slot(2)};
  StructureClass payload;
  for (int element = 0; element <= std::to_underlying(PackedElement::kF64Be); ++element) {
    for (const std::uint32_t size : {0U, 48U}) {
      slots.push_back(packed_slot(static_cast<PackedElement>(element), memory.data(), size));
      payload.members.push_back(
          {.name = "m", .field_class = value_class(type_byte(ValueType::kReal, true))});
    }
  }
  const std::string text(300, 'x');
  for (const Slot& slot : {boolean_slot(true), unsigned_slot(7), signed_slot(-7), real_slot(0.5),
                           bytes_slot(SlotKind::kString, as_bytes(text).data(), 300),
                           bytes_slot(SlotKind::kString, as_bytes(text).data(), 0)}) {
    slots.push_back(slot);
    payload.members.push_back({.name = "a name", .field_class = value_class(slot.kind, false)});
  }
  TraceDescription trace("", "heph", "");
  const DataStreamClass& stream_class =
      trace.add_stream_class({.default_clock = &trace.add_clock({}),
                              .common_context = common_context_class(),
                              .context_identifies = true});
  const EventClass& event_class =
      trace.add_event_class({.name = "arrays",
                             .stream_class = &stream_class,
                             .clock = stream_class.default_clock,
                             .payload = make_field_class(std::move(payload))});
  const DataStream stream{.stream_class = &stream_class, .keys = {{"id", 3}}};
  const Event event{.event_class = &event_class,
                    .stream = &stream,
                    .time = 5,
                    .end_time = 6,
                    .slots = slots.data(),
                    .slot_count = static_cast<std::uint32_t>(slots.size()),
                    .common_count = 2};
  EXPECT_NE(SpanLayout(event_class).room(event.payload()), 0U);
  const Written written =
      write_with([&](Writer& writer) { EXPECT_TRUE(writer.write(Record(event)).has_value()); });
  EXPECT_EQ(written_by_themselves(trace, {event}), written.bytes);
}

TEST(TraceWriter, WritesEventsThatDescribeThemselves) {
  TraceBytes attributes;
  attributes.attribute("i", 2).u64(1).attribute("a", 0x84).u16(0).attribute("b", 0x82).u16(0);
  attributes.attribute("c", 0x81).u16(2).u64(1).u64(2).attribute("c", 4).text("x");
  TraceBytes bytes;
  for (std::size_t i = 0; i < kMaxEventTypes + 3; ++i)
    bytes.event({0, i}, "event " + std::to_string(i), attributes);
  const Written written = write_records(read_bytes(bytes.bytes()));
  EXPECT_TRUE(written.receipt.empty());
  EXPECT_TRUE(written.bytes == as_text(bytes.bytes()));
}

TEST(TraceWriter, RefusesUnknownVersions) {
  std::string bytes;
  const auto output = io::memory_output(bytes);
  EXPECT_FALSE(create_writer(*output, {.version = "0.2"}).has_value());
  EXPECT_TRUE(create_writer(*output, {.version = "0.1.0"}).has_value());
}

struct Rewritten {
  std::string bytes;
  std::vector<Finding> problems;
};

Rewritten rewrite_bytes(ByteSpan bytes, std::size_t chunk = 0) {
  Rewritten rewritten;
  const auto output = io::memory_output(rewritten.bytes);
  EXPECT_TRUE(rewrite(io::memory_input("test", bytes, chunk), *output, ReadOptions{},
                      [&](RecordKind kind, const Notice& notice) {
                        if (kind == RecordKind::kProblem)
                          rewritten.problems.push_back(notice.finding);
                      },
                      {}));
  EXPECT_TRUE(output->finish());
  return rewritten;
}

TEST(Rewrite, AValidTraceIsCopiedByteForByte) {
  const TraceBytes bytes = rich_trace();
  for (const std::size_t chunk : {0U, 1U, 100U})
    EXPECT_EQ(rewrite_bytes(bytes.bytes(), chunk).bytes, as_text(bytes.bytes()));
}

TEST(Rewrite, DamageIsLeftOutAndReported) {
  const TraceBytes good = rich_trace();
  TraceBytes bytes = good;
  bytes.raw("junk").event({}, "bad", TraceBytes().u8(0)).add(good).u8(0xC1);
  for (const std::size_t chunk : {0U, 1U, 13U}) {
    const Rewritten rewritten = rewrite_bytes(bytes.bytes(), chunk);
    EXPECT_EQ(rewritten.bytes,
              std::string(as_text(good.bytes())) + std::string(as_text(good.bytes())));
    EXPECT_EQ(rewritten.problems.size(), 3U);
  }
}

}  // namespace
}  // namespace tracedeck::heph
