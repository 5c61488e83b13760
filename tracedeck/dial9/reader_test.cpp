#include "tracedeck/dial9/reader.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tracedeck/dial9/collect_records_test.hpp"
#include "tracedeck/dial9/rules.hpp"
#include "tracedeck/dial9/trace_bytes_test.hpp"

namespace tracedeck::dial9 {
namespace {

TraceBytes two_segments() {
  TraceBytes bytes;
  bytes.header()
      .string_pool(0, "zero")
      .stack_pool(0, {0x1000, 0x2000})
      .schema(0, "Pooled", {{"s", 7}, {"k", 6}, {"o", 0x87}})
      .schema(1, "Plain", {{"n", 9}}, 0)
      .event(0, 10)
      .u32(0)
      .u32(0)
      .u8(1)
      .u32(5)
      .string_pool(0, "again")
      .string_pool(5, "five")
      .event(0, 1)
      .u32(0)
      .u32(1)
      .u8(0)
      .event_without_time(1)
      .varint(77);
  bytes.header()
      .schema(0, "Pooled", {{"s", 7}, {"k", 6}, {"o", 0x87}})
      .event(0, 3)
      .u32(0)
      .u32(0)
      .u8(0);
  return bytes;
}

TEST(Reader, TimesOfWhatIsReportedAboutTheTraceAreNominal) {
  TraceBytes bytes;
  bytes.header()
      .schema(0, "SymbolTableEntry", {{"n", 9}})
      .schema(1, "SegmentMetadata", {})
      .schema(2, "SegmentMetadataEvent", {}, 0)
      .schema(3, "SymbolTable", {});
  const Records records = read_bytes(bytes.bytes());
  std::vector<bool> nominal;
  for (const EventClass& each : records.description->event_classes())
    nominal.push_back(each.nominal_time);
  EXPECT_EQ(nominal, (std::vector<bool>{true, true, false, false}));
}

TEST(Reader, PutsSegmentsClassesAndValuesInTheTermsOfTheModel) {
  const TraceBytes bytes = two_segments();
  const Records records = read_bytes(bytes.bytes());
  EXPECT_TRUE(records.problems.empty());
  EXPECT_EQ(records.begun, (std::vector<std::uint64_t>{0, 1}));
  EXPECT_EQ(records.ended, 2U);
  ASSERT_EQ(records.events.size(), 4U);
  // Segments that register the same schema share the event class.
  ASSERT_EQ(records.description->event_classes().size(), 2U);
  EXPECT_EQ(records.events[0].event_class, records.events[3].event_class);
  EXPECT_EQ(segment_of(records.events[3]), 1U);

  const auto first = records.events[0].payload();
  EXPECT_EQ(first[0].kind, SlotKind::kString);
  EXPECT_EQ(first[0].text(), "zero");
  EXPECT_EQ(packed_count(first[1]), 2U);
  EXPECT_EQ(packed_element(first[1], 1).bits, 0x2000U);
  EXPECT_EQ(first[2].kind, SlotKind::kOptional);
  EXPECT_EQ(first[3].kind, SlotKind::kUnresolved);
  EXPECT_EQ(first[3].bits, 5U);
  // The last definition wins from there on; what was resolved before stays.
  const auto second = records.events[1].payload();
  EXPECT_EQ(second[0].text(), "again");
  EXPECT_EQ(second[1].kind, SlotKind::kUnresolved);
  EXPECT_EQ(second[2].bits, 0U);
  EXPECT_EQ(second.size(), 3U);

  EXPECT_FALSE(records.events[2].has_time());
  EXPECT_EQ(records.events[2].payload()[0].bits, 77U);
  // A new segment's pools are empty.
  EXPECT_EQ(records.events[3].payload()[0].kind, SlotKind::kUnresolved);
  EXPECT_EQ(records.events[3].time, 3U);
  EXPECT_EQ(records.events[3].offset + records.events[3].size, bytes.size());
}

TEST(Reader, NotesAStepOfTheWallClock) {
  TraceBytes bytes;
  bytes.header().schema(0, "ClockSyncEvent", {{"realtime_ns", 9}});
  for (const std::uint64_t utc : {5'000'000U, 6'000'010U, 7'000'012U, 3U})
    bytes.event(0, 10).varint(utc);
  const Records records = read_bytes(bytes.bytes());
  ASSERT_EQ(records.findings.size(), 1U) << "a drift of 1 ms at most is none";
  EXPECT_EQ(records.findings.front().rule, &rule(RuleId::kClockStep));
}

TEST(Reader, TakesTheEndOfAFileThatIsStillWrittenForNoDamage) {
  const TraceBytes bytes = two_segments();
  const ByteSpan whole(bytes.bytes());
  for (const std::string name : {"t.1.bin.active", "t.1.bin"}) {
    const auto reader = open_reader(io::memory_input(name, whole.first(whole.size() - 1)), {});
    ASSERT_TRUE(reader);
    const Records records = collect(**reader);
    const bool is_written = name.ends_with(".active");
    EXPECT_EQ(records.problems.empty(), is_written) << name;
    ASSERT_FALSE(records.findings.empty());
    EXPECT_EQ(records.findings.back().rule == &rule(RuleId::kStillWritten), is_written) << name;
  }
}

TEST(Reader, ExpandsListsAndMaps) {
  const TraceBytes bytes = TraceBytes()
                               .header()
                               .schema(0, "E", {{"m", 0x8A}, {"d", 0x8E}, {"x", 15}, {"after", 11}})
                               .event(0, 1)
                               .u8(1)
                               .u32(2)
                               .text32("k")
                               .text32("v")
                               .text32("k")
                               .text32("w")
                               .u8(1)
                               .u32(3)
                               .raw({13, 1, 0, 0, 0})
                               .u8(14)
                               .u32(0)
                               .u8(10)
                               .u32(1)
                               .text32("a")
                               .text32("b")
                               .u32(1)
                               .u8(4)
                               .text32("key")
                               .u8(15)
                               .u32(1)
                               .raw({3, 1, 9, 5})
                               .u8(99);
  const Records records = read_bytes(bytes.bytes());
  ASSERT_EQ(records.events.size(), 1U);
  const auto slots = records.events[0].payload();
  const Slot* slot = slots.data();
  ASSERT_EQ(slot->kind, SlotKind::kOptional);
  EXPECT_EQ(slot->length, 5U);
  EXPECT_EQ(slot[1].kind, SlotKind::kStringMap);
  EXPECT_EQ(slot[1].bits, 2U);
  EXPECT_EQ(slot[5].text(), "w");
  slot = slot->next();
  ASSERT_EQ(slot->kind, SlotKind::kOptional);
  EXPECT_EQ(slot[1].kind, SlotKind::kArray);
  EXPECT_EQ(slot[1].bits, 3U);
  EXPECT_EQ(slot[2].bits, 1U);
  EXPECT_EQ(slot[2].detail, 32);
  EXPECT_EQ(slot[3].kind, SlotKind::kArray);
  EXPECT_EQ(slot[3].length, 0U);
  EXPECT_EQ(slot[4].kind, SlotKind::kStringMap);
  slot = slot->next();
  ASSERT_EQ(slot->kind, SlotKind::kMap);
  EXPECT_EQ(slot[1].text(), "key");
  EXPECT_EQ(slot[2].kind, SlotKind::kMap);
  EXPECT_EQ(slot[3].kind, SlotKind::kBoolean);
  EXPECT_EQ(slot[4].bits, 5U);
  slot = slot->next();
  EXPECT_EQ(slot->bits, 99U);
  EXPECT_EQ(slot + 1, slots.data() + slots.size());
}

TEST(Reader, DeliversTheSameByteByByteAsAtOnce) {
  for (const TraceBytes& bytes :
       {two_segments(), two_segments().u8(9), two_segments().header(3).u8(0)}) {
    const Records whole = read_bytes(bytes.bytes());
    for (const std::size_t chunk : {1U, 2U, 7U}) {
      const Records crumbs = read_bytes(bytes.bytes(), {}, chunk);
      EXPECT_TRUE(same_events(whole, crumbs));
      ASSERT_EQ(whole.problems.size(), crumbs.problems.size());
      for (std::size_t i = 0; i < whole.problems.size(); ++i) {
        EXPECT_EQ(whole.problems[i].offset, crumbs.problems[i].offset);
        EXPECT_EQ(whole.problems[i].length, crumbs.problems[i].length);
        EXPECT_EQ(whole.problems[i].rule, crumbs.problems[i].rule);
      }
      EXPECT_EQ(whole.findings.size(), crumbs.findings.size());
    }
  }
}

TEST(Reader, WithoutValuesCountsAndTimesTheSame) {
  const TraceBytes bytes = two_segments();
  const Records with = read_bytes(bytes.bytes());
  const Records without = read_bytes(bytes.bytes(), {.values = false});
  ASSERT_EQ(with.events.size(), without.events.size());
  for (std::size_t i = 0; i < with.events.size(); ++i) {
    EXPECT_EQ(with.events[i].time, without.events[i].time);
    EXPECT_EQ(with.events[i].size, without.events[i].size);
    EXPECT_EQ(without.events[i].slot_count, 0U);
  }
}

// Then it takes little memory, and sets up again what it needs for each batch.
TEST(Reader, DeliversTheSameBesideManyOthers) {
  TraceBytes bytes;
  for (int segment = 0; segment < 5; ++segment) {
    bytes.header();
    // As many types as fit, and more, into what is set up again.
    const int types = segment * 40 + 1;
    for (int i = 0; i < types; ++i)
      bytes.schema(static_cast<std::uint16_t>(i * 300), "T" + std::to_string(i), {{"s", 4}});
    for (int i = 0; i < 300; ++i)
      bytes.event(static_cast<std::uint16_t>(i % types * 300), 7).text32(std::to_string(i));
    bytes.u8(0xEE);
  }
  const Records alone = read_bytes(bytes.bytes());
  ASSERT_EQ(alone.events.size(), 1500U);
  const Records beside = read_bytes(bytes.bytes(), {.side_by_side = 100'000});
  EXPECT_TRUE(same_events(alone, beside));
  EXPECT_EQ(alone.problems.size(), beside.problems.size());
}

TEST(Reader, EventsLargerThanWindowsAndTapesAreWhole) {
  const std::string big(3 << 20, 'x');
  TraceBytes bytes;
  bytes.header().schema(0, "Big", {{"s", 4}, {"m", 10}}).event(0, 1).text32(big).u32(50'000);
  for (int i = 0; i < 50'000; ++i) bytes.text32("key").text32(std::to_string(i));
  bytes.event(0, 1).text32("small").u32(0);
  const Records records = read_bytes(bytes.bytes());
  ASSERT_EQ(records.events.size(), 2U);
  EXPECT_EQ(records.events[0].payload()[0].text(), big);
  EXPECT_EQ(records.events[0].payload()[1].bits, 50'000U);
  EXPECT_EQ(records.events[0].payload()[1 + 2 * 50'000].text(), "49999");
  EXPECT_EQ(records.events[1].payload()[0].text(), "small");
}

TEST(Reader, AFrameOverTheLimitIsDamage) {
  TraceBytes bytes;
  bytes.header().schema(0, "Big", {{"s", 4}}).event(0, 1).text32("before");
  const std::size_t begin = bytes.size();
  bytes.event(0, 1).text32(std::string(2 << 20, 'x'));
  const std::size_t end = bytes.size();
  bytes.header().schema(0, "Big", {{"s", 4}}).event(0, 1).text32("after");
  const Records records = read_bytes(bytes.bytes(), {.max_state = 1 << 20});
  ASSERT_EQ(records.events.size(), 2U);
  EXPECT_EQ(records.events[1].payload()[0].text(), "after");
  ASSERT_EQ(records.problems.size(), 1U);
  EXPECT_EQ(records.problems[0].rule->id, "dial9/limit");
  EXPECT_EQ(records.problems[0].offset, begin);
  EXPECT_EQ(records.problems[0].offset + records.problems[0].length, end);
}

TEST(Reader, PoolsOverTheLimitAreDamage) {
  TraceBytes bytes;
  bytes.header();
  for (std::uint64_t i = 0; i < 64; ++i) bytes.string_pool(i, std::string(64 << 10, 'x'));
  const Records records = read_bytes(bytes.bytes(), {.max_state = 1 << 20});
  ASSERT_EQ(records.problems.size(), 1U);
  EXPECT_EQ(records.problems[0].rule->id, "dial9/limit");
}

// Redefining entries again and again leaves no garbage behind.
TEST(Reader, RedefinedPoolEntriesDoNotPileUp) {
  TraceBytes bytes;
  bytes.header().schema(0, "E", {{"s", 7}});
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    bytes.string_pool(i % 3, std::string(4096, static_cast<char>('a' + i % 26)))
        .event(0, 1)
        .u32(i % 3);
  }
  const Records records = read_bytes(bytes.bytes(), {.max_state = 4 << 20});
  EXPECT_TRUE(records.problems.empty());
  ASSERT_EQ(records.events.size(), 2'000U);
  for (std::size_t i = 0; i < records.events.size(); ++i) {
    EXPECT_EQ(records.events[i].payload()[0].text(),
              std::string(4096, static_cast<char>('a' + i % 26)));
  }
}

// Each list asks for room on the tape; the event is not decoded anew for every one of them.
TEST(Reader, AnEventOfManyListsCostsLinearTime) {
  constexpr std::size_t kLists = 3'000;
  TraceBytes bytes;
  bytes.header().u8(1).u16(0).u16(1).raw("E").u8(1).u16(kLists);
  for (std::size_t i = 0; i < kLists; ++i) bytes.u16(1).raw("l").u8(14);
  bytes.event(0, 1);
  for (std::size_t i = 0; i < kLists; ++i) {
    bytes.u32(1'000);
    for (int k = 0; k < 1'000; ++k) bytes.raw({3, 1});
  }
  const Records records = read_bytes(bytes.bytes(), {.findings = false});
  ASSERT_EQ(records.events.size(), 1U);
  EXPECT_EQ(records.events[0].slot_count, kLists * 1'001);
}

TEST(Reader, SparsePoolIdsMoveOverWhenTheDenseOnesReachThem) {
  TraceBytes bytes;
  bytes.header().schema(0, "E", {{"s", 7}});
  bytes.string_pool(5'000, "far").string_pool(0x8000'0000, "farther");
  for (std::uint64_t i = 0; i < 4'000; ++i) bytes.string_pool(i, std::to_string(i));
  bytes.string_pool(6'000, "near");
  for (const std::uint64_t id : {0U, 3'999U, 5'000U, 6'000U}) bytes.event(0, 1).u32(id);
  bytes.event(0, 1).u32(0x8000'0000);
  const Records records = read_bytes(bytes.bytes());
  ASSERT_EQ(records.events.size(), 5U);
  EXPECT_TRUE(records.findings.empty());
  EXPECT_EQ(records.events[1].payload()[0].text(), "3999");
  EXPECT_EQ(records.events[2].payload()[0].text(), "far");
  EXPECT_EQ(records.events[3].payload()[0].text(), "near");
  EXPECT_EQ(records.events[4].payload()[0].text(), "farther");
}

// Millions of findings in one frame are reported as a thousand.
TEST(Reader, FindingsOfAFrameAreCountedBeyondAThousand) {
  TraceBytes bytes;
  bytes.header().u8(3).u32(5'000);
  for (int i = 0; i < 5'000; ++i) bytes.u32(0).text32("");
  const Records records = read_bytes(bytes.bytes());
  ASSERT_EQ(records.findings.size(), 1'001U);
  EXPECT_EQ(records.findings.back().text, "3999 more findings of this frame are not listed");
}

TEST(Reader, AnnotationFramesInARowAreOneAddition) {
  TraceBytes bytes;
  bytes.header().schema(0, "E", {{"a", 9}});
  for (int i = 0; i < 20'000; ++i)
    bytes.raw({6, 0, 1, 0, 0, 0, 1, 0, 'k'}).text32("v").raw({6, 0, 0, 0});
  bytes.event(0, 1).u8(1);
  const Records records = read_bytes(bytes.bytes(), {.max_state = 64 << 20});
  EXPECT_TRUE(records.problems.empty());
  ASSERT_EQ(records.events.size(), 1U);
  EXPECT_EQ(
      records.events[0].event_class->payload->as<StructureClass>()->members[0].attributes.size(),
      20'000U);
}

TEST(Reader, RejectsWhatIsNoTrace) {
  const Result<std::unique_ptr<Reader>> reader = open_bytes(TraceBytes().header(2).bytes());
  ASSERT_FALSE(reader.has_value());
  EXPECT_EQ(reader.error().code, ErrorCode::kMustReject);
  EXPECT_EQ(reader.error().input, "test");
  EXPECT_EQ(reader.error().rule->id, "dial9/header-version");
}

TEST(Reader, ClockShiftMovesTimes) {
  const Records records = read_bytes(two_segments().bytes(), {.clock_shift = -11});
  EXPECT_EQ(records.events[0].began_at(), Nanoseconds(-1));
}

TEST(Reader, AnnotationsBecomeAttributes) {
  const TraceBytes bytes = TraceBytes()
                               .header()
                               .schema(0, "E", {{"a", 9}, {"b", 9}})
                               .raw({6, 0})
                               .u16(1)
                               .u16(1)
                               .u16(4)
                               .raw("unit")
                               .text32("ns")
                               .event(0, 1)
                               .raw({1, 2});
  const Records records = read_bytes(bytes.bytes());
  ASSERT_EQ(records.events.size(), 1U);
  const auto& members = records.events[0].event_class->payload->as<StructureClass>()->members;
  EXPECT_TRUE(members[0].attributes.empty());
  EXPECT_EQ(members[1].attributes, (Attributes{{.key = "unit", .value = "ns"}}));
}

}  // namespace
}  // namespace tracedeck::dial9
