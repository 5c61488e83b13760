#include "tracedeck/dial9/decoder.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "tracedeck/base/padded_bytes.hpp"
#include "tracedeck/dial9/trace_bytes_test.hpp"

namespace tracedeck::dial9 {
namespace {

// Everything a trace decodes to, copied.
struct Decoded {
  struct Row {
    std::string name;
    std::uint64_t timestamp;
    std::uint64_t offset;
    std::uint32_t size;
    std::vector<Value> values;
  };
  std::vector<Row> events;
  std::vector<Finding> problems;
  std::vector<Finding> findings;
  std::vector<std::uint64_t> segments;  // offsets
  std::optional<Error> rejection;

  void event(const EventView& view) {
    events.push_back({view.schema().name,
                      view.timestamp,
                      view.offset,
                      view.size,
                      {view.values.begin(), view.values.end()}});
  }
  void segment(std::uint64_t number, std::uint64_t offset) {
    EXPECT_EQ(number, segments.size());
    segments.push_back(offset);
  }
  void problem(const Finding& finding) { problems.push_back(finding); }
  void finding(const Finding& finding) { findings.push_back(finding); }

  [[nodiscard]] std::vector<std::string_view> rules() const {
    std::vector<std::string_view> ids;
    for (const Finding& finding : findings) ids.push_back(finding.rule->id);
    return ids;
  }
};

struct Trace {
  explicit Trace(const TraceBytes& trace) : Trace(ByteSpan(trace.bytes())) {}
  explicit Trace(ByteSpan trace) : bytes(trace) {
    if (const Result<void> result = decode(bytes.view(), decoded); !result)
      decoded.rejection = result.error();
  }
  PaddedBytes bytes;
  Decoded decoded;
};

Decoded decode_bytes(const TraceBytes& trace) { return std::move(Trace(trace).decoded); }

TEST(Decoder, EmptyStreamIsAHeader) {
  const Decoded decoded = decode_bytes(TraceBytes().header());
  EXPECT_TRUE(decoded.events.empty());
  EXPECT_TRUE(decoded.problems.empty());
  EXPECT_EQ(decoded.segments, std::vector<std::uint64_t>{0});
}

// Header: a decoder must reject streams whose magic bytes do not match or whose version is
// unsupported.
TEST(Decoder, RejectsWrongMagicVersionAndCutHeaders) {
  EXPECT_EQ(decode_bytes(TraceBytes().raw("TRX").u8(0).u8(1)).rejection->rule->id,
            "dial9/header-magic");
  for (const int version : {0, 2, 255}) {
    const Decoded decoded = decode_bytes(TraceBytes().header(version).schema(0, "E", {}));
    ASSERT_TRUE(decoded.rejection);
    EXPECT_EQ(decoded.rejection->code, ErrorCode::kMustReject);
    EXPECT_EQ(decoded.rejection->rule->id, "dial9/header-version");
  }
  const std::vector<std::uint8_t> header = TraceBytes().header().bytes();
  for (std::size_t size = 0; size < header.size(); ++size) {
    const Trace cut(ByteSpan(header.data(), size));
    ASSERT_TRUE(cut.decoded.rejection) << size;
    EXPECT_EQ(cut.decoded.rejection->rule->id, "dial9/header-magic");
  }
}

// Field Types: one field of every type, by the table's encodings.
TEST(Decoder, DecodesEveryFieldType) {
  const TraceBytes bytes = TraceBytes()
                               .header()
                               .schema(7, "All",
                                       {{"i64", 1},
                                        {"f64", 2},
                                        {"bool", 3},
                                        {"string", 4},
                                        {"bytes", 5},
                                        {"pooled stack", 6},
                                        {"pooled", 7},
                                        {"stack", 8},
                                        {"varint", 9},
                                        {"map", 10},
                                        {"u8", 11},
                                        {"u16", 12},
                                        {"u32", 13},
                                        {"list", 14},
                                        {"dynamic map", 15}})
                               .event(7, 5)
                               .u64(~std::uint64_t{1})
                               .u64(0x3FF8'0000'0000'0000)  // 1.5
                               .u8(1)
                               .text32("h\xC3\xA9")
                               .u32(2)
                               .raw({0xDE, 0xAD})
                               .u32(0x01020304)
                               .u32(0xFFFF'FFFF)
                               .u32(2)
                               .u64(0x5555'0000'0001)
                               .u64(~std::uint64_t{0})
                               .raw({0xAC, 0x02})  // 300
                               .u32(1)
                               .text32("k")
                               .text32("v")
                               .u8(0xFE)
                               .u16(0xFEDC)
                               .u32(0xFEDC'BA98)
                               .u32(2)
                               .raw({11, 9, 9, 0x80, 0x01})  // U8 9, Varint 128
                               .u32(1)
                               .raw({3, 0, 11, 7});  // false -> U8 7
  const Trace trace(bytes);
  const Decoded& decoded = trace.decoded;
  ASSERT_EQ(decoded.events.size(), 1U);
  EXPECT_TRUE(decoded.problems.empty());
  const Decoded::Row& event = decoded.events[0];
  EXPECT_EQ(event.timestamp, 5U);
  EXPECT_EQ(event.offset + event.size, bytes.size());
  const std::vector<Value>& values = event.values;
  ASSERT_EQ(values.size(), 15U);
  EXPECT_EQ(values[0].integer, -2);
  EXPECT_EQ(values[1].real, 1.5);
  EXPECT_EQ(values[2].bits, 1U);
  EXPECT_EQ(values[3].text(), "h\xC3\xA9");
  EXPECT_EQ(values[4].text(), "\xDE\xAD");
  EXPECT_EQ(values[5].bits, 0x01020304U);
  EXPECT_EQ(values[6].bits, 0xFFFF'FFFFU);
  ASSERT_EQ(values[7].frame_count(), 2U);
  EXPECT_EQ(values[7].frame(0), 0x5555'0000'0001U);
  EXPECT_EQ(values[7].frame(1), ~std::uint64_t{0});
  EXPECT_EQ(values[8].bits, 300U);
  StringMapView map(values[9]);
  std::string_view key;
  std::string_view value;
  ASSERT_TRUE(map.next(key, value));
  EXPECT_EQ(key, "k");
  EXPECT_EQ(value, "v");
  EXPECT_FALSE(map.next(key, value));
  EXPECT_EQ(values[10].bits, 0xFEU);
  EXPECT_EQ(values[11].bits, 0xFEDCU);
  EXPECT_EQ(values[12].bits, 0xFEDC'BA98U);
  DynamicView list(values[13]);
  Value element;
  ASSERT_TRUE(list.next(element));
  EXPECT_EQ(element.type, FieldType::kU8);
  EXPECT_EQ(element.bits, 9U);
  ASSERT_TRUE(list.next(element));
  EXPECT_EQ(element.type, FieldType::kVarint);
  EXPECT_EQ(element.bits, 128U);
  EXPECT_FALSE(list.next(element));
  DynamicView pairs(values[14]);
  ASSERT_TRUE(pairs.next(element));
  EXPECT_EQ(element.type, FieldType::kBool);
  ASSERT_TRUE(pairs.next(element));
  EXPECT_EQ(element.bits, 7U);
  EXPECT_FALSE(pairs.next(element));
}

// Optional Field Modifier.
TEST(Decoder, OptionalFieldsOfEveryTypeMayBeAbsent) {
  for (int type = 1; type <= kMaxFieldType; ++type) {
    const Decoded decoded = decode_bytes(TraceBytes()
                                             .header()
                                             .schema(0, "E", {{"o", 0x80 | type}, {"after", 11}})
                                             .event(0, 1)
                                             .u8(0)
                                             .u8(42));
    ASSERT_EQ(decoded.events.size(), 1U) << type;
    const std::vector<Value>& values = decoded.events[0].values;
    ASSERT_EQ(values.size(), 2U);
    EXPECT_FALSE(values[0].present);
    EXPECT_EQ(values[0].type, static_cast<FieldType>(type));
    EXPECT_EQ(values[1].bits, 42U);
  }
}

// Timestamp Encoding: the base advances with each event and is set by a reset.
TEST(Decoder, TimestampsAdvanceAndReset) {
  const Decoded decoded = decode_bytes(TraceBytes()
                                           .header()
                                           .schema(0, "T", {})
                                           .schema(1, "N", {}, 0)
                                           .event(0, 0xFF'FFFF)
                                           .event_without_time(1)
                                           .event(0, 1)
                                           .reset(0xFFFF'FFFF'FFFF'FFFF)
                                           .event(0, 0)
                                           .reset(3)
                                           .event(0, 4));
  ASSERT_EQ(decoded.events.size(), 5U);
  EXPECT_EQ(decoded.events[0].timestamp, 0xFF'FFFFU);
  EXPECT_EQ(decoded.events[1].timestamp, 0U);
  EXPECT_EQ(decoded.events[2].timestamp, 0x100'0000U);
  EXPECT_EQ(decoded.events[3].timestamp, ~std::uint64_t{0});
  EXPECT_EQ(decoded.events[4].timestamp, 7U);
}

TEST(Decoder, ASegmentForgetsSchemasPoolsAndTheBase) {
  TraceBytes bytes;
  bytes.header().schema(0, "A", {}).event(0, 9);
  const std::size_t second = bytes.size();
  bytes.header().schema(0, "B", {{"x", 11}}).event(0, 1).u8(1);
  const std::size_t third = bytes.size();
  bytes.header().event(0, 1);
  const Decoded decoded = decode_bytes(bytes);
  ASSERT_EQ(decoded.events.size(), 2U);
  EXPECT_EQ(decoded.events[1].name, "B");
  EXPECT_EQ(decoded.events[1].timestamp, 1U);
  EXPECT_EQ(decoded.segments, (std::vector<std::uint64_t>{0, second, third}));
  ASSERT_EQ(decoded.problems.size(), 1U);
  EXPECT_EQ(decoded.problems[0].rule->id, "dial9/event-type");
  EXPECT_EQ(decoded.problems[0].offset, third + kHeaderSize);
  EXPECT_EQ(decoded.problems[0].offset + decoded.problems[0].length, bytes.size());
}

// What cannot be decoded: the rule, and the range up to the next plausible header.
TEST(Decoder, DamageEndsAtTheNextPlausibleHeader) {
  struct Case {
    std::string_view rule;
    TraceBytes frames;
  };
  const auto schema = [] { return TraceBytes().schema(0, "E", {{"v", 9}}).event(0, 1).u8(5); };
  const std::vector<Case> cases = {
      {"dial9/frame-tag", schema().u8(7)},
      {"dial9/frame-tag", schema().u8(0)},
      {"dial9/frame-tag", schema().raw("T").raw("X")},
      {"dial9/event-type", schema().event(1, 1)},
      {"dial9/schema-conflict", schema().schema(0, "F", {{"v", 9}})},
      {"dial9/schema-conflict", schema().schema(0, "E", {{"v", 11}})},
      {"dial9/schema-conflict", schema().schema(0, "E", {{"v", 0x89}})},
      {"dial9/schema-conflict", schema().schema(0, "E", {{"v", 9}}, 0)},
      {"dial9/field-type", schema().schema(1, "F", {{"v", 16}})},
      {"dial9/field-type", schema().schema(1, "F", {{"v", 0}})},
      {"dial9/field-type", schema().schema(1, "F", {{"v", 0x80}})},
      {"dial9/varint-length",
       schema().event(0, 1).raw({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0})},
      {"dial9/timestamp-overflow", schema().reset(0xFFFF'FFFF'FFFF'FFFF).event(0, 1).u8(0)},
      {"dial9/dynamic-tag", schema().schema(1, "L", {{"l", 14}}).event(1, 0).u32(1).raw({0, 1})},
      {"dial9/dynamic-tag",
       schema().schema(1, "L", {{"l", 14}}).event(1, 0).u32(1).raw({0x8B, 1, 1})},
      {"dial9/dynamic-tag",
       schema().schema(1, "L", {{"l", 15}}).event(1, 0).u32(1).raw({11, 1, 16, 1})},
      {"dial9/varint-length",
       schema().raw({6, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80})},
  };
  for (const Case& with : cases) {
    TraceBytes bytes;
    bytes.header().raw(as_text(with.frames.bytes()));
    const std::size_t damage_end = bytes.size();
    bytes.header().schema(0, "After", {}).event(0, 3);
    const Decoded decoded = decode_bytes(bytes);
    ASSERT_EQ(decoded.problems.size(), 1U) << with.rule;
    EXPECT_EQ(decoded.problems[0].rule->id, with.rule);
    EXPECT_EQ(decoded.problems[0].offset + decoded.problems[0].length, damage_end) << with.rule;
    ASSERT_GE(decoded.events.size(), 2U) << with.rule;
    EXPECT_EQ(decoded.events.front().name, "E");
    EXPECT_EQ(decoded.events.back().name, "After");
  }
}

TEST(Decoder, ALaterHeaderOfUnknownVersionEndsTheTrace) {
  TraceBytes bytes;
  bytes.header().schema(0, "E", {}).event(0, 1);
  const std::size_t begin = bytes.size();
  bytes.header(9).header().schema(0, "E", {}).event(0, 1);
  const Decoded decoded = decode_bytes(bytes);
  EXPECT_EQ(decoded.events.size(), 1U);
  ASSERT_EQ(decoded.problems.size(), 1U);
  EXPECT_EQ(decoded.problems[0].rule->id, "dial9/header-version");
  EXPECT_EQ(decoded.problems[0].offset, begin);
  EXPECT_EQ(decoded.problems[0].length, bytes.size() - begin);
}

// What is read and reported, and the value that is read.
TEST(Decoder, ToleratesAndReports) {
  struct Case {
    std::vector<std::string_view> rules;
    TraceBytes frames;
    std::uint64_t value;
  };
  const auto event = [](int tag) { return TraceBytes().schema(0, "E", {{"v", tag}}).event(0, 1); };
  const std::vector<Case> cases = {
      {{"dial9/bool-value"}, event(3).u8(255), 1},
      {{"dial9/presence-value"}, event(0x8B).u8(2).u8(9), 9},
      {{"dial9/varint-overlong"}, event(9).raw({0x81, 0x00}), 1},
      {{"dial9/varint-overlong"}, event(9).raw({0x81, 0x80, 0x80, 0x00}), 1},
      {{"dial9/varint-overlong"},
       event(9).raw({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F}),
       ~0ULL},
      {{}, event(9).raw({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01}), ~0ULL},
      {{"dial9/has-timestamp-value"},
       TraceBytes().schema(0, "E", {{"v", 11}}, 2).event(0, 1).u8(9),
       9},
      {{"dial9/schema-repeated"},
       TraceBytes().schema(0, "E", {{"v", 11}}).schema(0, "E", {{"v", 11}}).event(0, 1).u8(9),
       9},
      {{"dial9/name-empty"}, TraceBytes().schema(0, "", {{"v", 11}}).event(0, 1).u8(9), 9},
      {{"dial9/name-empty"}, TraceBytes().schema(0, "E", {{"", 11}}).event(0, 1).u8(9), 9},
      {{"dial9/name-duplicate"},
       TraceBytes().schema(0, "E", {{"v", 11}, {"v", 11}}).event(0, 1).u8(9).u8(8),
       9},
      {{"dial9/name-duplicate"},
       TraceBytes().schema(1, "E", {}).schema(0, "E", {{"v", 11}}).event(0, 1).u8(9),
       9},
      {{"dial9/utf8"}, TraceBytes().schema(0, "E\xFF", {{"v", 11}}).event(0, 1).u8(9), 9},
      {{"dial9/utf8"},
       TraceBytes().string_pool(0, "\xC3(").raw(as_text(event(11).u8(9).bytes())),
       9},
      {{"dial9/pool-redefined"},
       TraceBytes().string_pool(0, "a").string_pool(0, "b").raw(as_text(event(11).u8(9).bytes())),
       9},
      {{"dial9/pool-redefined"},
       TraceBytes().stack_pool(0, {1}).stack_pool(0, {}).raw(as_text(event(11).u8(9).bytes())),
       9},
      {{"dial9/pool-unresolved"},
       TraceBytes().schema(0, "E", {{"v", 9}, {"l", 14}}).event(0, 1).u8(9).u32(1).u8(7).u32(4),
       9},
      {{"dial9/annotation-type"}, event(11).u8(9).raw({6, 1, 0, 0}), 9},
      {{"dial9/annotation-field"},
       event(11).u8(9).raw({6, 0, 1, 0, 1, 0, 1, 0, 'k', 0, 0, 0, 0}),
       9},
  };
  for (const Case& with : cases) {
    const Decoded decoded = decode_bytes(TraceBytes().header().raw(as_text(with.frames.bytes())));
    EXPECT_TRUE(decoded.problems.empty());
    EXPECT_EQ(decoded.rules(), with.rules);
    ASSERT_EQ(decoded.events.size(), 1U);
    EXPECT_EQ(decoded.events[0].values[0].bits, with.value);
  }
}

TEST(Decoder, NestsListsUpToTheLimit) {
  for (const std::uint32_t depth : {kMaxNesting, kMaxNesting + 1, 100'000U}) {
    TraceBytes bytes;
    bytes.header().schema(0, "E", {{"l", 14}}).event(0, 1);
    for (std::uint32_t i = 1; i < depth; ++i) bytes.u32(1).u8(i % 2 == 0 ? 14 : 14);
    bytes.u32(0);
    const Decoded decoded = decode_bytes(bytes);
    if (depth == kMaxNesting) {
      EXPECT_EQ(decoded.events.size(), 1U);
      EXPECT_TRUE(decoded.problems.empty());
    } else {
      ASSERT_EQ(decoded.problems.size(), 1U);
      EXPECT_EQ(decoded.problems[0].rule->id, "dial9/dynamic-nesting");
    }
  }
}

// Many absent optional fields compare nothing with the window's end: the program's checks must.
TEST(Decoder, ManyOptionalFieldsStayInsideTheWindow) {
  std::vector<std::string> names;
  for (int i = 0; i < 1000; ++i) names.push_back(std::to_string(i));
  TraceBytes bytes;
  bytes.header().u8(1).u16(0).u16(1).raw("E").u8(1).u16(names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    bytes.u16(names[i].size()).raw(names[i]).u8(0x80 | (1 + i % 15));
  TraceBytes cut = bytes;
  bytes.event(0, 1);
  for (std::size_t i = 0; i < names.size(); ++i) bytes.u8(0);
  EXPECT_EQ(decode_bytes(bytes).events.size(), 1U);
  cut.event(0, 1).u8(0).u8(0);
  const Decoded decoded = decode_bytes(cut);
  EXPECT_TRUE(decoded.events.empty());
  ASSERT_EQ(decoded.problems.size(), 1U);
  EXPECT_EQ(decoded.problems[0].rule->id, "dial9/frame-truncated");
}

// Hostile: every few bytes begin a map whose walk leads through all that follows.
TEST(Decoder, WalksInVainCostLinearTime) {
  TraceBytes bytes;
  bytes.header();
  for (int i = 0; i < 20'000; ++i) {
    bytes.header().schema(0, "E", {{"m", 10}}).event(0, 1).u32(0xFFFF'FFFF).u32(0).u32(0);
  }
  for (int i = 0; i < 400'000; ++i) bytes.u32(0);
  const Decoded decoded = decode_bytes(bytes);
  EXPECT_TRUE(decoded.events.empty());
  std::uint64_t damaged = 0;
  for (const Finding& problem : decoded.problems) damaged += problem.length;
  EXPECT_GT(damaged, 1'600'000U);
}

// Frames and damaged ranges account for every byte, whatever the bytes.
void expect_every_byte_accounted_for(ByteSpan bytes) {
  const Trace trace(bytes);
  if (trace.decoded.rejection) return;
  std::uint64_t previous_end = 0;
  for (const Finding& problem : trace.decoded.problems) {
    RC_ASSERT(problem.length > 0);
    RC_ASSERT(problem.offset >= previous_end);
    previous_end = problem.offset + problem.length;
    for (const Decoded::Row& event : trace.decoded.events) {
      RC_ASSERT(event.offset >= previous_end || event.offset + event.size <= problem.offset);
    }
  }
  RC_ASSERT(previous_end <= bytes.size());
  // Without its damaged ranges the trace decodes to the same events, and nothing is damaged.
  std::vector<std::uint8_t> rest;
  std::uint64_t at = 0;
  for (const Finding& problem : trace.decoded.problems) {
    rest.insert(rest.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
                bytes.begin() + static_cast<std::ptrdiff_t>(problem.offset));
    at = problem.offset + problem.length;
  }
  rest.insert(rest.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end());
  const Trace clean{ByteSpan(rest)};
  RC_ASSERT(clean.decoded.problems.empty());
  RC_ASSERT(clean.decoded.events.size() == trace.decoded.events.size());
  RC_ASSERT(clean.decoded.findings.size() == trace.decoded.findings.size());
}

TraceBytes varied_trace() {
  TraceBytes bytes;
  for (std::uint64_t segment = 0; segment < 3; ++segment) {
    bytes.header()
        .schema(0, "Scalars", {{"a", 9}, {"b", 13}, {"c", 0x83}, {"d", 9}})
        .schema(1, "Texts", {{"s", 4}, {"p", 7}, {"m", 10}, {"k", 8}})
        .schema(2, "Dynamic", {{"l", 14}, {"o", 0x8F}})
        .string_pool(1, "pooled")
        .reset(1'000'000 * segment);
    for (std::uint64_t i = 0; i < 8; ++i) {
      bytes.event(0, i).varint(i << (7 * i)).u32(i).u8(i % 2);
      if (i % 2 == 1) bytes.u8(1);
      bytes.varint(i);
      bytes.event(1, i).text32("text").u32(i % 3).u32(1).text32("key").text32("value").u32(1).u64(
          0x1234);
      bytes.event(2, i)
          .u32(2)
          .raw({11, 1, 14})
          .u32(1)
          .raw({4})
          .text32("inner")
          .u8(1)
          .u32(1)
          .raw({9, 5, 3, 1});
    }
  }
  return bytes;
}

RC_GTEST_PROP(DecoderProperty, RandomBytesAfterAHeaderAreAccountedFor, ()) {
  auto bytes = *rc::gen::container<std::vector<std::uint8_t>>(
      rc::gen::resize(300, rc::gen::arbitrary<std::uint8_t>()));
  const std::vector<std::uint8_t> header =
      TraceBytes().header().schema(0, "E", {{"v", 9}, {"s", 4}}).bytes();
  bytes.insert(bytes.begin(), header.begin(), header.end());
  expect_every_byte_accounted_for(bytes);
}

RC_GTEST_PROP(DecoderProperty, MutatedTracesAreAccountedFor, ()) {
  std::vector<std::uint8_t> bytes = varied_trace().bytes();
  const auto mutations = *rc::gen::inRange(1, 6);
  for (int i = 0; i < mutations; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        bytes[at] = *rc::gen::arbitrary<std::uint8_t>();
        break;
      case 1:
        bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      default:
        bytes.resize(std::max<std::size_t>(at, kHeaderSize));
    }
  }
  expect_every_byte_accounted_for(bytes);
}

// A trace cut anywhere delivers the events before the cut and names the rest as damaged.
TEST(Decoder, EveryTruncationIsReported) {
  const std::vector<std::uint8_t> bytes = varied_trace().bytes();
  const Trace whole{ByteSpan(bytes)};
  for (std::size_t size = kHeaderSize; size < bytes.size(); ++size) {
    const Trace cut(ByteSpan(bytes.data(), size));
    std::size_t expected = 0;
    for (const Decoded::Row& event : whole.decoded.events)
      expected += event.offset + event.size <= size ? 1 : 0;
    ASSERT_EQ(cut.decoded.events.size(), expected) << size;
    ASSERT_LE(cut.decoded.problems.size(), 1U);
    if (!cut.decoded.problems.empty()) {
      const Finding& problem = cut.decoded.problems[0];
      EXPECT_EQ(problem.rule->id, "dial9/frame-truncated");
      EXPECT_EQ(problem.offset + problem.length, size);
    }
  }
}

}  // namespace
}  // namespace tracedeck::dial9
