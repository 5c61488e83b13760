#include "tracedeck/tband/decoder.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>

#include "tracedeck/base/padded_bytes.hpp"
#include "tracedeck/tband/trace_bytes_test.hpp"

namespace tracedeck::tband {
namespace {

// An event with values of its own.
struct Decoded {
  std::string name;
  std::uint64_t timestamp = 0;
  std::vector<std::uint64_t> numbers = {};
  std::optional<std::string> text = {};
  std::uint64_t offset = 0;
  std::uint32_t size = 0;

  friend bool operator==(const Decoded&, const Decoded&) = default;
};

struct Collector {
  std::vector<Decoded> events;
  std::vector<Finding> problems;
  std::vector<Finding> findings;

  bool event(const EventView& view, std::uint64_t offset, std::uint32_t size) {
    Decoded decoded{.name = std::string(view.facts().name),
                    .timestamp = view.timestamp,
                    .offset = offset,
                    .size = size};
    for (std::size_t i = 0; i < view.field_count; ++i) {
      if (view.layout->types[i] == FieldType::kString) {
        decoded.text = as_text(view.text);
      } else {
        decoded.numbers.push_back(view.numbers[i]);
      }
    }
    events.push_back(std::move(decoded));
    return true;
  }
  void problem(Finding finding) { problems.push_back(std::move(finding)); }
  void finding(Finding finding) { findings.push_back(std::move(finding)); }
};

[[gnu::noinline]] PaddedBytes padded(const std::uint8_t* bytes, std::size_t size) {
  return PaddedBytes({bytes, size});
}

// Decodes in windows that grow by `step` bytes, 0: one window.
Collector decode_all(const Bytes& bytes, std::size_t step = 0,
                     const EventTable& table = kEventTable,
                     std::uint64_t max_state = kDefaultMaxState) {
  Collector collector;
  Decoder decoder(max_state, table);
  std::size_t begin = 0;
  std::size_t end = step == 0 ? bytes.size() : std::min(step, bytes.size());
  for (;;) {
    const bool last = end == bytes.size();
    const PaddedBytes window = padded(bytes.data() + begin, end - begin);
    std::size_t position = 0;
    const DecodeProgress progress =
        decoder.run({.bytes = window.view(), .offset = begin, .last = last}, position, collector);
    EXPECT_NE(progress.outcome, DecodeOutcome::kRejected);
    begin += position;
    if (last) {
      EXPECT_EQ(begin, bytes.size());
      return collector;
    }
    if (progress.outcome == DecodeOutcome::kNeedMore) {
      EXPECT_EQ(progress.needed, end - begin + 1);
    }
    end = std::min(end + step, bytes.size());
  }
}

std::string_view only_rule(const Collector& collector) {
  EXPECT_EQ(collector.problems.size(), 1U);
  return collector.problems.empty() ? "" : collector.problems[0].rule->id;
}

const Bytes kGood = {0x03, 0x04, 0x0A, 0x01, 0x00};  // isr_enter(10, 0)

TEST(Decoder, ReadsTheBytesOfTheNotes) {
  const Bytes trace = Bytes{0x03, 0x04, 0x0A, 0x01, 0x00} + Bytes{0x03, 0x02, 0x01, 0x00} +
                      Bytes{0x06, 0x0B, 0xAC, 0x02, 0x01, 0x03, 0x00} +
                      Bytes{0x01, 0x01, 0x01, 0x01, 0x00} +
                      Bytes{0x08, 0x54, 0xA3, 0x8D, 0xE3, 0x04, 0xAB, 0x04, 0x00};
  const Collector read = decode_all(trace);
  EXPECT_TRUE(read.problems.empty());
  EXPECT_EQ(read.events,
            (std::vector<Decoded>{{"isr_enter", 10, {0}, {}, 0, 5},
                                  {"ts_resolution_ns", 0, {1}, {}, 5, 4},
                                  {"valmarker", 300, {1, static_cast<std::uint64_t>(-1)}, {}, 9, 7},
                                  {"core_id", 0, {0}, {}, 16, 5},
                                  {"task_switched_in", 10012323, {555}, {}, 21, 9}}));
}

// Each fault costs its frame and is named with its range.
TEST(Decoder, NamesDamage) {
  struct Case {
    Bytes frame;
    std::string_view rule;
  };
  const std::vector<Case> cases = {
      {{0x05, 0x01, 0x00}, "tband/cobs"},
      {{0x01, 0x00}, "tband/payload-empty"},
      {{0x04, 0x0C, 0x0F, 0x01, 0x00}, "tband/event-id"},
      {{0x04, 0x71, 0x0F, 0x01, 0x00}, "tband/event-id"},
      {{0x04, 0x80, 0x0F, 0x01, 0x00}, "tband/event-id"},
      {{0x02, 0x04, 0x00}, "tband/field-missing"},
      {{0x03, 0x04, 0x0F, 0x00}, "tband/field-missing"},
      {{0x04, 0x66, 0x0F, 0x01, 0x00}, "tband/field-missing"},
      {{0x03, 0x65, 0x01, 0x00}, "tband/field-missing"},
      {{0x04, 0x04, 0x0F, 0x81, 0x00}, "tband/field-missing"},
      {{0x05, 0x04, 0x0F, 0x01, 0x01, 0x00}, "tband/surplus-bytes"},
      {{0x04, 0x02, 0x01, 0x01, 0x00}, "tband/surplus-bytes"},
      {{0x08, 0x04, 0x0F, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 0x00}, "tband/integer-length"},
      {{0x09, 0x04, 0x0F, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}, "tband/integer-length"},
      {{0x0C, 0x02, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02, 0x00},
       "tband/integer-length"},
  };
  for (const Case& each : cases) {
    Bytes bad = each.frame;
    if (bad.back() != 0) bad.push_back(0);
    const Bytes trace = kGood + bad + kGood;
    for (const std::size_t step : {0U, 1U, 3U}) {
      const Collector read = decode_all(trace, step);
      EXPECT_EQ(read.events.size(), 2U);
      EXPECT_EQ(only_rule(read), each.rule);
      ASSERT_EQ(read.problems.size(), 1U);
      EXPECT_EQ(read.problems[0].offset, 5U);
      EXPECT_EQ(read.problems[0].length, bad.size());
    }
  }
}

TEST(Decoder, ReadsTheLongestIntegers) {
  const Collector read =
      decode_all(Bytes{0x08, 0x04, 0x0F, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0x00} +
                 Bytes{0x0C, 0x02, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 0} +
                 Bytes{0x08, 0x04, 0x0A, 0x83, 0x80, 0x80, 0x80, 0x01, 0x00});
  ASSERT_EQ(read.events.size(), 3U);
  EXPECT_EQ(read.events[0].numbers[0], 0xFFFF'FFFFU);
  EXPECT_EQ(read.events[1].numbers[0], ~std::uint64_t{0});
  EXPECT_EQ(read.events[2].numbers[0], 3U + (1U << 28));
}

TEST(Decoder, ACutEndIsDamage) {
  const Collector read = decode_all(kGood + Bytes{0x03, 0x04, 0x0A});
  EXPECT_EQ(read.events.size(), 1U);
  EXPECT_EQ(only_rule(read), "tband/frame-truncated");
  EXPECT_EQ(read.problems[0].offset, 5U);
  EXPECT_EQ(read.problems[0].length, 3U);
}

TEST(Decoder, EmptyFramesAreReported) {
  const Collector read = decode_all(Bytes{0, 0} + kGood + Bytes{0} + kGood);
  EXPECT_EQ(read.events.size(), 2U);
  EXPECT_TRUE(read.problems.empty());
  ASSERT_EQ(read.findings.size(), 2U);
  EXPECT_EQ(read.findings[0].length, 2U);
  EXPECT_EQ(read.findings[1].offset, 7U);
}

TEST(Decoder, TextThatIsNotUtf8IsReported) {
  const Collector read = decode_all(frame("evtmarker", 1, {number(2), text("ab\xE2")}));
  ASSERT_EQ(read.events.size(), 1U);
  EXPECT_EQ(read.events[0].text, "ab\xE2");
  ASSERT_EQ(read.findings.size(), 1U);
  EXPECT_EQ(read.findings[0].rule->id, "tband/utf8");
}

// Texts over every block boundary, with and without zeros, in whatever windows they come.
TEST(Decoder, ReadsTextsOfEverySize) {
  Bytes trace;
  std::vector<std::string> texts;
  for (std::size_t size = 0; size <= 600; ++size) {
    texts.emplace_back(size, 'x');
    if (size > 2) {
      texts.emplace_back(size, 'y');
      texts.back()[size / 2] = '\0';
      texts.emplace_back(size, '\0');
    }
  }
  for (const std::string& each : texts)
    trace = trace + frame("evtmarker", 0, {number(1), text(each)});
  for (const std::size_t step : {std::size_t{0}, std::size_t{97}, std::size_t{4096}}) {
    const Collector read = decode_all(trace, step);
    ASSERT_EQ(read.events.size(), texts.size());
    EXPECT_TRUE(read.problems.empty());
    for (std::size_t i = 0; i < texts.size(); ++i) ASSERT_EQ(read.events[i].text, texts[i]);
  }
}

TEST(Decoder, HopelessFramesAreNotHeld) {
  // A frame of 1 MiB without an end: an id that is not known, one without a text, and a text.
  for (const std::uint8_t id : Bytes{0x80, 0x04, 0x07}) {
    Bytes trace = kGood + Bytes(std::size_t{1} << 20, id);
    trace = trace + Bytes{0} + kGood;
    const Collector read = decode_all(trace, 8192, kEventTable, std::uint64_t{64} << 10);
    EXPECT_EQ(read.events.size(), 2U);
    ASSERT_EQ(read.problems.size(), 1U);
    EXPECT_EQ(read.problems[0].offset, 5U);
    EXPECT_EQ(read.problems[0].length, (std::size_t{1} << 20) + 1);
    EXPECT_EQ(read.problems[0].rule->id, id == 0x80   ? "tband/event-id"
                                         : id == 0x04 ? "tband/surplus-bytes"
                                                      : "tband/limit");
  }
}

// Optional trailing fields: no event of the format has them yet.
constexpr std::array<EventFacts, 2> kOptionalEvents = {{
    {0x10,
     "three",
     false,
     {FieldFacts{"a", FieldType::kU32}, FieldFacts{"b", FieldType::kS64, Naming::kNone, true},
      FieldFacts{"c", FieldType::kU8, Naming::kNone, true},
      FieldFacts{"d", FieldType::kU64, Naming::kNone, true}}},
    {0x11, "only", true, {FieldFacts{"a", FieldType::kU8, Naming::kNone, true}}},
}};

TEST(Decoder, OptionalFieldsMayBeLeftOutFromTheEnd) {
  static constexpr EventTable kTable{kOptionalEvents};
  const std::vector<FieldValue> values = {number(7), number(static_cast<std::uint64_t>(-2)),
                                          number(0), number(300)};
  for (std::size_t count = 1; count <= values.size(); ++count) {
    Bytes bytes;
    ASSERT_TRUE(encode_event(kOptionalEvents[0], 5, {values.data(), count}, bytes).has_value());
    const Collector read = decode_all(bytes, 0, kTable);
    ASSERT_EQ(read.events.size(), 1U);
    ASSERT_EQ(read.events[0].numbers.size(), count);
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(read.events[0].numbers[i], values[i].number);
  }
  Bytes none;
  EXPECT_FALSE(encode_event(kOptionalEvents[0], 5, {}, none).has_value()) << "`a` is required";
  ASSERT_TRUE(encode_event(kOptionalEvents[1], 0, {}, none).has_value());
  EXPECT_EQ(none, (Bytes{0x02, 0x11, 0x00}));
  EXPECT_EQ(decode_all(none, 0, kTable).events.size(), 1U);
  EXPECT_EQ(only_rule(decode_all(Bytes{0x02, 0x10, 0x00}, 0, kTable)), "tband/field-missing");
  EXPECT_EQ(only_rule(decode_all(Bytes{0x04, 0x11, 0x01, 0x01, 0x00}, 0, kTable)),
            "tband/surplus-bytes");
}

// Any events of the table with any values.
rc::Gen<std::uint64_t> any_number(FieldType type) {
  return rc::gen::map(rc::gen::pair(rc::gen::arbitrary<std::uint64_t>(), rc::gen::inRange(0, 64)),
                      [type](const std::pair<std::uint64_t, int>& of) -> std::uint64_t {
                        const std::uint64_t value = of.first >> of.second;
                        if (type == FieldType::kU8) return static_cast<std::uint8_t>(value);
                        if (type == FieldType::kU32) return static_cast<std::uint32_t>(value);
                        return value;
                      });
}

struct Made {
  Bytes trace;
  std::vector<Decoded> events;
};
Made any_trace() {
  Made made;
  const auto count = *rc::gen::inRange<std::size_t>(0, 30);
  for (std::size_t i = 0; i < count; ++i) {
    const EventFacts& facts = kEvents[*rc::gen::inRange<std::size_t>(0, kEvents.size())];
    Decoded event{.name = std::string(facts.name), .offset = made.trace.size()};
    if (!facts.metadata) event.timestamp = *any_number(FieldType::kU64);
    std::vector<FieldValue> values;
    for (const FieldFacts& field : facts.used_fields()) {
      if (field.type == FieldType::kString) {
        event.text = *rc::gen::container<std::string>(rc::gen::weightedOneOf<char>(
            {{1, rc::gen::just('\0')}, {9, rc::gen::inRange('a', 'z')}}));
        values.push_back({.text = *event.text});
      } else {
        event.numbers.push_back(*any_number(field.type));
        values.push_back({.number = event.numbers.back()});
      }
    }
    RC_ASSERT(encode_event(facts, event.timestamp, values, made.trace).has_value());
    event.size = static_cast<std::uint32_t>(made.trace.size() - event.offset);
    made.events.push_back(std::move(event));
  }
  return made;
}

RC_GTEST_PROP(Decoder, ReadsBackWhatIsWritten, ()) {
  const Made made = any_trace();
  const auto step = *rc::gen::element<std::size_t>(0, 1, 7, 64);
  const Collector read = decode_all(made.trace, step);
  RC_ASSERT(read.problems.empty());
  RC_ASSERT(read.events == made.events);
}

// What is not hit by a damaged byte is read as before; what is hit is at most two frames, and if
// events are missing their range is named. Frames and damaged ranges add up to the input.
RC_GTEST_PROP(Decoder, ADamagedByteCostsAtMostTwoFrames, ()) {
  const Made made = any_trace();
  RC_PRE(!made.trace.empty());
  Bytes trace = made.trace;
  const auto place = *rc::gen::inRange<std::size_t>(0, trace.size());
  trace[place] = static_cast<std::uint8_t>(trace[place] ^ *rc::gen::inRange(1, 256));
  const Collector read = decode_all(trace);

  std::size_t hit = 0;
  while (made.events[hit].offset + made.events[hit].size <= place) ++hit;
  std::size_t behind = hit + 1;
  // A lost delimiter merges the next frame.
  if (place + 1 == made.events[hit].offset + made.events[hit].size) ++behind;
  std::vector<Decoded> kept;
  for (const Decoded& event : read.events) {
    const bool before = event.offset + event.size <= made.events[hit].offset;
    const bool after = behind < made.events.size() && event.offset >= made.events[behind].offset;
    if (before || after) kept.push_back(event);
  }
  std::vector<Decoded> expected(made.events.begin(),
                                made.events.begin() + static_cast<std::ptrdiff_t>(hit));
  if (behind < made.events.size()) {
    expected.insert(expected.end(), made.events.begin() + static_cast<std::ptrdiff_t>(behind),
                    made.events.end());
  }
  RC_ASSERT(kept == expected);

  std::uint64_t covered = 0;
  for (const Decoded& event : read.events) covered += event.size;
  for (const Finding& each : read.problems) covered += each.length;
  for (const Finding& each : read.findings) {
    if (each.rule == &rule(RuleId::kFrameEmpty)) covered += each.length;
  }
  RC_ASSERT(covered == trace.size());
}

// The same events, problems and findings in windows of any size.
RC_GTEST_PROP(Decoder, ReadsRandomBytesAlikeInAllWindows, ()) {
  const auto bytes = *rc::gen::container<Bytes>(
      rc::gen::weightedOneOf<std::uint8_t>({{2, rc::gen::just<std::uint8_t>(0)},
                                            {3, rc::gen::inRange<std::uint8_t>(0, 16)},
                                            {3, rc::gen::arbitrary<std::uint8_t>()}}));
  const auto step = *rc::gen::inRange<std::size_t>(1, 40);
  const Collector whole = decode_all(bytes);
  const Collector parts = decode_all(bytes, step);
  RC_ASSERT(whole.events == parts.events);
  RC_ASSERT(whole.problems.size() == parts.problems.size());
  for (std::size_t i = 0; i < whole.problems.size(); ++i) {
    RC_ASSERT(whole.problems[i].rule == parts.problems[i].rule);
    RC_ASSERT(whole.problems[i].offset == parts.problems[i].offset);
    RC_ASSERT(whole.problems[i].length == parts.problems[i].length);
  }
}

TEST(Decode, VisitsATraceInMemory) {
  struct Visitor {
    std::uint64_t sum = 0;
    void event(const EventView& view) { sum += view.timestamp; }
  } visitor;
  const Bytes bytes = kGood + Bytes{0x01, 0x00} + kGood;
  const PaddedBytes trace = padded(bytes.data(), bytes.size());
  EXPECT_EQ(decode(trace.view(), visitor), 2U);
  EXPECT_EQ(visitor.sum, 20U);
}

}  // namespace
}  // namespace tracedeck::tband
