#include "tracedeck/dial9/writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tracedeck/dial9/collect_records_test.hpp"
#include "tracedeck/dial9/rewrite.hpp"
#include "tracedeck/dial9/trace_bytes_test.hpp"
#include "tracedeck/dial9/wire.hpp"

namespace tracedeck::dial9 {
namespace {

// One event of every kind of field, with 0.4 additions, in two segments that give id 3 to two
// types.
TraceBytes rich_trace() {
  TraceBytes bytes;
  for (const std::string_view name : {"First", "Second"}) {
    bytes.header()
        .string_pool(9, "pooled")
        .stack_pool(9, {1, 2, 3})
        .schema(3, name,
                {{"i64", 1},
                 {"f64", 2},
                 {"bool", 3},
                 {"string", 4},
                 {"bytes", 5},
                 {"stack id", 6},
                 {"string id", 7},
                 {"stack", 8},
                 {"varint", 9},
                 {"map", 10},
                 {"u8", 11},
                 {"u16", 12},
                 {"u32", 13},
                 {"list", 14},
                 {"dynamic", 15},
                 {"none", 0x8A},
                 {"some", 0x8E}})
        .raw({6, 3})
        .u16(1)
        .u16(0)
        .u16(4)
        .raw("unit")
        .text32("ms");
    for (int i = 0; i < 3; ++i) {
      bytes.event(3, 1000)
          .u64(~std::uint64_t{4})
          .u64(0x7FF8'0000'0000'1234)
          .u8(1)
          .text32("text\xFF")
          .text32("bytes")
          .u32(9)
          .u32(i == 1 ? 77 : 9)
          .u32(1)
          .u64(0xFFFF'8000'0000'0000)
          .varint(~std::uint64_t{0})
          .u32(2)
          .text32("k")
          .text32("v")
          .text32("k")
          .text32("")
          .u8(1)
          .u16(2)
          .u32(3)
          .u32(7)
          .raw({11, 1, 12, 2, 0,   13, 3, 0, 0, 0,   9, 4, 7, 9,
                0,  0, 0,  7, 200, 0,  0, 0, 6, 201, 0, 0, 0})
          .u32(2)
          .raw({4, 1, 0, 0, 0, 'k', 14, 2, 0, 0, 0, 3, 0, 2, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F})
          .raw({9, 1, 10, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 'x'})
          .u8(0)
          .u8(1)
          .u32(1)
          .u8(15)
          .u32(0);
    }
  }
  return bytes;
}

struct Written {
  std::string bytes;
  Receipt receipt;
};

Written write_records(const Records& records, const WriteOptions& options = {}) {
  Written written;
  const auto output = io::memory_output(written.bytes);
  Result<std::unique_ptr<Writer>> writer = create_writer(*output, options);
  EXPECT_TRUE(writer.has_value());
  for (const BatchPtr& batch : records.batches) {
    for (const Record& record : batch->records()) {
      const Result<void> result = (*writer)->write(record);
      EXPECT_TRUE(result.has_value()) << result.error().to_string();
    }
  }
  EXPECT_TRUE((*writer)->finish().has_value());
  EXPECT_TRUE(output->finish().has_value());
  written.receipt = (*writer)->receipt();
  return written;
}

TEST(TraceWriter, WhatIsWrittenReadsBackEqual) {
  const Records records = read_bytes(rich_trace().bytes());
  ASSERT_EQ(records.events.size(), 6U);
  const Written written = write_records(records);
  EXPECT_TRUE(written.receipt.empty());
  const Records again = read_bytes(as_bytes(written.bytes));
  EXPECT_TRUE(again.problems.empty());
  EXPECT_TRUE(same_events(records, again));
  EXPECT_EQ(again.events[0].event_class->payload->as<StructureClass>()->members[0].attributes,
            (Attributes{{.key = "unit", .value = "ms"}}));
}

TEST(TraceWriter, Version03LeavesOutWhatItDoesNotHaveAndSaysSo) {
  const Records records = read_bytes(rich_trace().bytes());
  const Written written = write_records(records, {.version = "0.3"});
  const Records again = read_bytes(as_bytes(written.bytes));
  ASSERT_EQ(again.events.size(), records.events.size());
  for (const Member& member : again.events[0].event_class->payload->as<StructureClass>()->members) {
    EXPECT_NE(member.name, "list");
    EXPECT_NE(member.name, "dynamic");
    EXPECT_TRUE(member.attributes.empty());
  }
  EXPECT_EQ(packed_count(again.events[0].payload()[5]), 3U);  // the pooled stack, in place
  std::uint64_t lists = 0;
  for (const ReceiptEntry& each : written.receipt) {
    EXPECT_FALSE(each.path.empty()) << each.what;
    EXPECT_FALSE(each.event_class.empty()) << each.what;
    const bool is_list = each.what.starts_with("lists and maps");
    if (is_list) lists += each.count;
    EXPECT_EQ(each.lossy, is_list || each.what.starts_with("annotations")) << each.what;
  }
  EXPECT_EQ(lists, 18U);  // three fields of six events
  EXPECT_TRUE(std::ranges::any_of(written.receipt, [](const ReceiptEntry& each) {
    return each.path == "list" && each.input == "test";
  }));
}

TEST(TraceWriter, ReferencesToUndefinedEntriesStayUndefined) {
  TraceBytes bytes;
  bytes.header().schema(0, "E", {{"s", 7}});
  for (std::uint64_t i = 0; i < 5; ++i)
    bytes.string_pool(100 + i, std::to_string(i)).event(0, 1).u32(100 + i);
  bytes.event(0, 1).u32(2).event(0, 1).u32(99);
  const Written written = write_records(read_bytes(bytes.bytes()));
  const Records again = read_bytes(as_bytes(written.bytes));
  ASSERT_EQ(again.events.size(), 7U);
  EXPECT_EQ(again.events[4].payload()[0].text(), "4");
  EXPECT_EQ(again.events[5].payload()[0].kind, SlotKind::kUnresolved);
  EXPECT_EQ(again.events[6].payload()[0].bits, 99U);
  ASSERT_EQ(written.receipt.size(), 1U);
  EXPECT_EQ(written.receipt[0].count, 1U);
}

TEST(TraceWriter, ATypeAnnotatedBetweenItsEventsKeepsItsId) {
  TraceBytes bytes;
  const std::initializer_list<int> annotation = {6, 4, 1, 0, 0, 0, 1, 0, 'k', 1, 0, 0, 0, 'v'};
  bytes.header()
      .schema(4, "E", {{"a", 9}})
      .raw(annotation)
      .event(4, 1)
      .u8(1)
      .raw(annotation)
      .event(4, 1)
      .u8(2);
  const Records records = read_bytes(bytes.bytes());
  const Written written = write_records(records);
  EXPECT_TRUE(written.receipt.empty());
  const Records again = read_bytes(as_bytes(written.bytes));
  EXPECT_TRUE(same_events(records, again));
  EXPECT_TRUE(again.findings.empty());
  EXPECT_EQ(
      again.events[1].event_class->payload->as<StructureClass>()->members[0].attributes.size(), 2U);
}

TEST(TraceWriter, ClassesWithoutEventsStay) {
  TraceBytes bytes;
  bytes.header().schema(4, "Used", {{"a", 9}}).schema(7, "Unused", {{"b", 4}}).event(4, 1).u8(1);
  const Written written = write_records(read_bytes(bytes.bytes()));
  EXPECT_TRUE(written.receipt.empty());
  const Records again = read_bytes(as_bytes(written.bytes));
  const auto& classes = again.events[0].event_class->stream_class->trace->event_classes();
  ASSERT_EQ(classes.size(), 2U);
  EXPECT_EQ(classes[1].name, "Unused");
  EXPECT_EQ(classes[1].id, 7U);
}

TEST(TraceWriter, ClassesWithoutEventsForWhichNoIdIsLeftAreCounted) {
  const auto trace_of = [](std::string_view name, std::uint32_t count) {
    TraceBytes bytes;
    bytes.header();
    for (std::uint32_t id = 0; id < count; ++id)
      bytes.schema(static_cast<std::uint16_t>(id), name, {{std::to_string(id), 9}});
    return read_bytes(bytes.bytes());
  };
  const Records most = trace_of("A", kMaxTypeCount);
  const Records two = trace_of("B", 2);
  std::string bytes;
  const auto output = io::memory_output(bytes);
  const auto writer = create_writer(*output, {}).value();
  // Both are open at once, so that one segment is to hold the classes of both.
  for (const bool begins : {true, false}) {
    for (const Records* records : {&most, &two}) {
      for (const BatchPtr& batch : records->batches) {
        for (const Record& record : batch->records()) {
          if ((record.kind == RecordKind::kStreamBegin) != begins) continue;
          EXPECT_TRUE(writer->write(record).has_value());
        }
      }
    }
  }
  EXPECT_TRUE(writer->finish().has_value());
  ASSERT_EQ(writer->receipt().size(), 1U);
  EXPECT_EQ(writer->receipt()[0].count, 2U);
  EXPECT_TRUE(writer->receipt()[0].lossy);
}

TEST(TraceWriter, RefusesUnknownVersions) {
  std::string bytes;
  const auto output = io::memory_output(bytes);
  EXPECT_FALSE(create_writer(*output, {.version = "0.5"}).has_value());
}

struct Rewritten {
  std::string bytes;
  std::vector<Finding> problems;
  bool ok = false;
};

Rewritten rewrite_bytes(ByteSpan bytes, std::size_t chunk = 0) {
  Rewritten rewritten;
  const auto output = io::memory_output(rewritten.bytes);
  rewritten.ok = rewrite(io::memory_input("test", bytes, chunk), *output, ReadOptions{},
                         [&](RecordKind kind, const Notice& notice) {
                           if (kind == RecordKind::kProblem)
                             rewritten.problems.push_back(notice.finding);
                         },
                         {})
                     .has_value() &&
                 output->finish().has_value();
  return rewritten;
}

TEST(Rewrite, AValidTraceIsCopiedByteForByte) {
  const std::vector<std::uint8_t> bytes = rich_trace().bytes();
  for (const std::size_t chunk : {0U, 1U, 100U}) {
    const Rewritten rewritten = rewrite_bytes(bytes, chunk);
    EXPECT_TRUE(rewritten.ok);
    EXPECT_EQ(rewritten.bytes, as_text(bytes));
  }
}

TEST(Rewrite, DamageIsLeftOutAndReported) {
  const std::string good(as_text(rich_trace().bytes()));
  const std::string damaged = good + "\x07 junk TRC" + good + std::string("\x02", 1);
  for (const std::size_t chunk : {0U, 1U, 13U}) {
    const Rewritten rewritten = rewrite_bytes(as_bytes(damaged), chunk);
    EXPECT_TRUE(rewritten.ok);
    EXPECT_EQ(rewritten.bytes, good + good);
    ASSERT_EQ(rewritten.problems.size(), 2U);
    EXPECT_EQ(rewritten.problems[0].length, 10U);
  }
}

TEST(Rewrite, RejectsWhatIsNoTrace) { EXPECT_FALSE(rewrite_bytes(as_bytes("TRC")).ok); }

}  // namespace
}  // namespace tracedeck::dial9
