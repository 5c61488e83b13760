#include "tracedeck/heph/decoder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tracedeck/base/padded_bytes.hpp"
#include "tracedeck/heph/trace_bytes_test.hpp"

namespace tracedeck::heph {
namespace {

// What a decoder reports of a trace, with the bytes that each part takes.
struct Collected {
  std::vector<std::string> descriptions;
  std::vector<Finding> problems;
  std::vector<Finding> findings;
  std::vector<std::string> options;
  std::uint64_t bytes = 0;
};

struct Collector : Collected {
  struct Policy : SkippingPolicy<true> {};
  static void begin_events(char*&, char*&) {}
  bool event(const EventType& type, const EventHead&, std::uint64_t offset, ByteSpan packet, char*,
             char*) {
    EXPECT_EQ(offset, bytes);
    AttributeWalk walk(packet.data(), packet.data() + packet.size());
    if (!type.is_overflow) {
      EXPECT_EQ(type.description, walk.description());
    }
    descriptions.emplace_back(walk.description());
    bytes += packet.size();
    return true;
  }
  bool option(const Option& option, std::uint64_t offset, std::uint64_t size) {
    EXPECT_EQ(offset, bytes);
    options.emplace_back(option.name);
    bytes += size;
    return true;
  }
  static void type(const EventType&) {}
  void problem(Finding finding) {
    EXPECT_EQ(finding.offset, bytes);
    bytes += finding.length;
    problems.push_back(std::move(finding));
  }
  void finding(Finding finding) { findings.push_back(std::move(finding)); }
};

Collected collect(ByteSpan bytes, std::uint64_t max_state = kDefaultMaxState) {
  const PaddedBytes padded(bytes);
  Decoder decoder(max_state);
  Collector teller;
  std::size_t position = 0;
  const DecodeProgress progress =
      decoder.run({.bytes = padded.view(), .offset = 0, .last = true}, position, teller);
  EXPECT_EQ(progress.outcome, DecodeOutcome::kConsumed);
  EXPECT_EQ(position, bytes.size());
  EXPECT_EQ(teller.bytes, bytes.size());
  return teller;
}

// The same, byte by byte.
Collected collect_slowly(ByteSpan bytes) {
  Decoder decoder;
  Collector teller;
  std::size_t begin = 0;
  std::uint64_t needed = 1;
  for (std::size_t end = 0; end <= bytes.size(); ++end) {
    const bool last = end == bytes.size();
    if (!last && end - begin < needed) continue;
    const PaddedBytes padded(bytes.subspan(begin, end - begin));
    std::size_t position = 0;
    const DecodeProgress progress =
        decoder.run({.bytes = padded.view(), .offset = begin, .last = last}, position, teller);
    begin += position;
    needed = progress.outcome == DecodeOutcome::kNeedMore ? progress.needed : 1;
  }
  EXPECT_EQ(teller.bytes, bytes.size());
  return teller;
}

std::string only_problem(const Collected& collected) {
  EXPECT_EQ(collected.problems.size(), 1U);
  return collected.problems.empty() ? "" : std::string(collected.problems[0].rule->id);
}

using Names = std::vector<std::string>;

TraceBytes number(std::string_view name, std::uint64_t value) {
  return TraceBytes().attribute(name, 1).u64(value);
}

TEST(Decoder, ReadsNothingFromNothing) {
  const Collected collected = collect({});
  EXPECT_TRUE(collected.descriptions.empty());
  EXPECT_TRUE(collected.problems.empty());
}

TEST(Decoder, DistinguishesTypesByDescriptionAndLayout) {
  const PaddedBytes trace(TraceBytes()
                              .event({}, "a")
                              .event({}, "a", number("n", 1))
                              .event({}, "a", number("m", 1))
                              .event({}, "a", TraceBytes().attribute("n", 2).u64(1))
                              .event({}, "b")
                              .event({}, "a", number("n", 7))
                              .event({}, "a")
                              .bytes());
  struct Visitor {
    std::vector<std::uint32_t> types;
    std::vector<std::uint64_t> values;
    void event(const EventView& view) {
      types.push_back(view.type->ordinal);
      for (const Value& value : view.values) values.push_back(value.unsigned_integer());
    }
  } visitor;
  decode(trace.view(), visitor);
  EXPECT_EQ(visitor.types, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 1, 0}));
  EXPECT_EQ(visitor.values, (std::vector<std::uint64_t>{1, 1, 1, 7}));
}

TEST(Decoder, GivesEveryTypeOfValueToAVisitor) {
  TraceBytes attributes;
  attributes.attribute("u", 1).u64(3).attribute("i", 2).u64(~std::uint64_t{1});
  attributes.attribute("f", 3).u64(0x3FE0'0000'0000'0000).attribute("s", 4).text("text");
  attributes.attribute("au", 0x81).u16(2).u64(8).u64(9).attribute("as", 0x84).u16(2);
  attributes.text("x").text("");
  const PaddedBytes trace(TraceBytes().epoch(5).event({1, 2, 3, 4, 5}, "e", attributes).bytes());
  struct Visitor {
    std::uint64_t epoch = 0;
    int events = 0;
    void option(const Option& option, std::uint64_t) { epoch = option.epoch(); }
    void event(const EventView& view) {
      ++events;
      ASSERT_EQ(view.values.size(), 6U);
      EXPECT_EQ(view.type->attributes[4].name, "au");
      EXPECT_EQ(view.head.substream, 3U);
      EXPECT_EQ(view.values[1].signed_integer(), -2);
      EXPECT_EQ(view.values[2].real(), 0.5);
      EXPECT_EQ(view.values[3].text(), "text");
      EXPECT_EQ(view.values[4].count, 2U);
      EXPECT_EQ(view.values[4].element(1), 9U);
      StringArray strings = view.values[5].strings();
      std::string_view text;
      ASSERT_TRUE(strings.next(text));
      EXPECT_EQ(text, "x");
      ASSERT_TRUE(strings.next(text));
      EXPECT_EQ(text, "");
      EXPECT_FALSE(strings.next(text));
    }
  } visitor;
  decode(trace.view(), visitor);
  EXPECT_EQ(visitor.epoch, 5U);
  EXPECT_EQ(visitor.events, 1);
}

// A fault inside a packet whose size is right costs that packet alone.
TEST(Decoder, PassesOverAPacketWithAFaultInside) {
  struct Case {
    TraceBytes attributes;
    std::string_view rule;
  };
  const Case cases[] = {
      {TraceBytes().u8(0), "heph/attribute-name"},
      {TraceBytes().u16(9).raw("short"), "heph/attribute-name"},
      {TraceBytes().u16(1).raw("a"), "heph/attribute-name"},
      {TraceBytes().attribute("a", 0).u64(1), "heph/attribute-type"},
      {TraceBytes().attribute("a", 5).u64(1), "heph/attribute-type"},
      {TraceBytes().attribute("a", 0x80).u64(1), "heph/attribute-type"},
      {TraceBytes().attribute("a", 0x85).u64(1), "heph/attribute-type"},
      {TraceBytes().attribute("a", 0x41).u64(1), "heph/attribute-type"},
      {TraceBytes().attribute("a", 1).u32(1), "heph/attribute-value"},
      {TraceBytes().attribute("a", 4).u8(1), "heph/attribute-value"},
      {TraceBytes().attribute("a", 4).u16(2).raw("x"), "heph/attribute-value"},
      {TraceBytes().attribute("a", 0x81).u8(0), "heph/attribute-value"},
      {TraceBytes().attribute("a", 0x82).u16(2).u64(1), "heph/attribute-value"},
      {TraceBytes().attribute("a", 0x84).u16(2).text("x"), "heph/attribute-value"},
  };
  for (const Case& each : cases) {
    TraceBytes bytes;
    bytes.event({}, "first").event({}, "bad", each.attributes).event({}, "last");
    const Collected collected = collect(bytes.bytes());
    EXPECT_EQ(collected.descriptions, (Names{"first", "last"}));
    EXPECT_EQ(only_problem(collected), each.rule);
    EXPECT_EQ(collected.problems.at(0).offset, 47U);
    EXPECT_EQ(collected.problems.at(0).length, 45 + each.attributes.size());
  }
}

TEST(Decoder, ChecksTheLengthsOfDescriptionsAndOptions) {
  TraceBytes bytes;
  bytes.packet(0xC1FC'1FB7, TraceBytes().u64(0).u64(0).u64(0).u64(0).u16(3).raw("ab"));
  bytes.packet(0x75D1'1D4D, TraceBytes().u16(3).raw("ab"));
  bytes.packet(0x75D1'1D4D, TraceBytes().text("epoch").u32(7));
  bytes.packet(0x75D1'1D4D, TraceBytes().text("epoch").u64(7).u8(0));
  bytes.event({}, "good");
  const Collected collected = collect(bytes.bytes());
  EXPECT_EQ(collected.descriptions, (Names{"good"}));
  ASSERT_EQ(collected.problems.size(), 4U);
  EXPECT_EQ(collected.problems[0].rule->id, "heph/description");
  EXPECT_EQ(collected.problems[1].rule->id, "heph/option-name");
  EXPECT_EQ(collected.problems[2].rule->id, "heph/epoch-value");
  EXPECT_EQ(collected.problems[3].rule->id, "heph/epoch-value");
}

TEST(Decoder, LooksForTheNextPacketWhenTheMagicOrTheSizeIsWrong) {
  struct Case {
    std::size_t at;
    std::uint8_t value;
    std::string_view rule;
  };
  // The second packet begins at 47 and takes 47 bytes.
  for (const Case& each : {Case{47, 0xC0, "heph/magic"}, Case{54, 41, "heph/packet-size"},
                           Case{51, 0xFF, "heph/limit"}, Case{53, 1, "heph/packet-truncated"},
                           Case{54, 46, "heph/description"}}) {
    TraceBytes bytes;
    bytes.event({}, "first").event({}, "wrong").event({}, "third").event({}, "last");
    bytes.buffer()[each.at] = each.value;
    const Collected collected = collect(bytes.bytes());
    EXPECT_EQ(collected.descriptions, (Names{"first", "third", "last"})) << each.rule;
    EXPECT_EQ(only_problem(collected), each.rule);
    EXPECT_EQ(collected.problems.at(0).offset, 47U);
    EXPECT_EQ(collected.problems.at(0).length, 47U);
  }
}

TEST(Decoder, TakesGarbageAsOneRange) {
  TraceBytes bytes;
  // Magic constants whose sizes cannot be are no packets either.
  bytes.raw("garbage").u32(0xC1FC'1FB7).u32(41).u32(0x75D1'1D4D).u32(0xFFFF'FFFF).u32(0xC1FC'1FB7);
  const std::size_t garbage = bytes.size();
  bytes.event({}, "good").raw("more");
  const Collected collected = collect(bytes.bytes());
  EXPECT_EQ(collected.descriptions, (Names{"good"}));
  ASSERT_EQ(collected.problems.size(), 2U);
  EXPECT_EQ(collected.problems[0].length, garbage);
  EXPECT_EQ(collected.problems[1].rule->id, "heph/packet-truncated");
  EXPECT_EQ(collected.problems[1].length, 4U);
}

TEST(Decoder, IsNotMisledByTheMagicsOfCtf) {
  TraceBytes bytes;
  bytes.u32(0xC1FC'1FC1).u32(50).raw(std::string(42, '\0'));
  bytes.u32(0x75D1'1D57).u32(50).raw(std::string(42, '\0'));
  const Collected collected = collect(bytes.bytes());
  EXPECT_TRUE(collected.descriptions.empty());
  EXPECT_EQ(only_problem(collected), "heph/magic");
}

TEST(Decoder, ReportsWhatItTolerates) {
  TraceBytes bytes;
  bytes.event({0, 0, 0, 10, 9}, "late");
  bytes.event({}, "bad\xFF");
  bytes.event({}, "name", number("\xC3", 1));
  bytes.event({}, "text", TraceBytes().attribute("t", 4).text("\xE2\x82"));
  bytes.event({}, "texts", TraceBytes().attribute("t", 0x84).u16(2).text("a").text("\x80"));
  bytes.event({}, "gut", TraceBytes().attribute("\xC3\xBC", 4).text("\xC3\xB6"));
  bytes.option("\xFF", "");
  const Collected collected = collect(bytes.bytes());
  EXPECT_EQ(collected.descriptions.size(), 6U);
  Names rules;
  for (const Finding& finding : collected.findings) rules.emplace_back(finding.rule->id);
  EXPECT_EQ(rules, (Names{"heph/time-order", "heph/utf8", "heph/utf8", "heph/utf8", "heph/utf8",
                          "heph/utf8"}));
}

TEST(Decoder, ReadsManyLayoutsOfOneDescription) {
  TraceBytes bytes;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 40; ++i) bytes.event({}, "same", number("n" + std::to_string(i), 1));
  }
  const PaddedBytes padded(bytes.bytes());
  struct Visitor {
    std::vector<std::uint32_t> types;
    void event(const EventView& view) { types.push_back(view.type->ordinal); }
  } visitor;
  decode(padded.view(), visitor);
  ASSERT_EQ(visitor.types.size(), 120U);
  for (std::uint32_t i = 0; i < 120; ++i) EXPECT_EQ(visitor.types[i], i % 40);
}

TEST(Decoder, SharesOneTypeWhenThereAreTooMany) {
  TraceBytes bytes;
  for (std::size_t i = 0; i < kMaxEventTypes + 10; ++i) bytes.event({}, "e" + std::to_string(i));
  bytes.event({}, "e0");
  struct Counter {
    struct Policy : SkippingPolicy<true> {};
    std::size_t overflowing = 0;
    std::size_t ordinary = 0;
    std::vector<Finding> findings;
    static void begin_events(char*&, char*&) {}
    bool event(const EventType& type, const EventHead&, std::uint64_t, ByteSpan, char*, char*) {
      ++(type.is_overflow ? overflowing : ordinary);
      return true;
    }
    static bool option(const Option&, std::uint64_t, std::uint64_t) { return true; }
    static void type(const EventType&) {}
    static void problem(const Finding&) { FAIL(); }
    void finding(Finding finding) { findings.push_back(std::move(finding)); }
  } counter;
  const PaddedBytes padded(bytes.bytes());
  Decoder decoder;
  std::size_t position = 0;
  static_cast<void>(
      decoder.run({.bytes = padded.view(), .offset = 0, .last = true}, position, counter));
  EXPECT_EQ(counter.overflowing, 10U);
  EXPECT_EQ(counter.ordinary, kMaxEventTypes + 1);
  ASSERT_EQ(counter.findings.size(), 1U);
  EXPECT_EQ(counter.findings[0].rule->id, "heph/type-limit");
}

TEST(Decoder, DoesNotWaitForALargePacketThatIsDamagedAlready) {
  // A size that was damaged, in a trace that goes on for long.
  TraceBytes bytes;
  bytes.event({}, "wrong", number("n", 1)).event({}, "next", number("n", 1)).event({}, "last");
  bytes.buffer()[5] = 0x10;
  const PaddedBytes padded(bytes.bytes());
  Decoder decoder;
  Collector teller;
  std::size_t position = 0;
  const DecodeProgress progress =
      decoder.run({.bytes = padded.view(), .offset = 0, .last = false}, position, teller);
  EXPECT_EQ(progress.outcome, DecodeOutcome::kConsumed);
  EXPECT_EQ(teller.descriptions, (Names{"next", "last"}));
}

// Every single damaged byte of a trace costs at most the packet that it is in, and what cannot be
// read is named; whole or in crumbs.
TEST(Decoder, LosesAtMostThePacketThatAByteIsDamagedIn) {
  TraceBytes bytes;
  std::vector<std::size_t> begins;
  std::vector<std::string> names;
  const auto begin = [&](const std::string& name) {
    begins.push_back(bytes.size());
    names.push_back(name);
  };
  begin("");
  bytes.epoch(1'610'113'734'118'010'000);
  for (int i = 0; i < 6; ++i) {
    const std::string name = "event " + std::to_string(i);
    begin(name);
    TraceBytes attributes;
    attributes.attribute("n", 1).u64(static_cast<std::uint64_t>(i)).attribute("t", 4).text("some");
    attributes.attribute("a", 0x83).u16(2).u64(1).u64(2);
    if (i % 2 == 1) attributes.attribute("l", 0x84).u16(2).text("x").text("y");
    bytes.event({1, static_cast<std::uint64_t>(i), 0, 5, 6}, name, attributes);
  }
  begins.push_back(bytes.size());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::size_t hit = 0;
    while (begins[hit + 1] <= at) ++hit;
    for (const int flip : {0x01, 0x10, 0x80, 0xFF}) {
      std::vector<std::uint8_t> damaged(bytes.bytes().begin(), bytes.bytes().end());
      damaged[at] ^= static_cast<std::uint8_t>(flip);
      const Collected collected = collect(damaged);
      for (std::size_t i = 1; i < names.size(); ++i) {
        if (i == hit) continue;
        EXPECT_GE(std::ranges::count(collected.descriptions, names[i]), 1)
            << names[i] << " after byte " << at << " ^ " << flip;
      }
      for (const Finding& problem : collected.problems) {
        EXPECT_GE(problem.offset, begins[hit]) << at;
        EXPECT_LE(problem.offset + problem.length, begins[hit + 1]) << at;
      }
      const Collected slowly = collect_slowly(damaged);
      EXPECT_EQ(slowly.descriptions, collected.descriptions) << at;
      EXPECT_EQ(slowly.problems.size(), collected.problems.size()) << at;
    }
  }
}

}  // namespace
}  // namespace tracedeck::heph
