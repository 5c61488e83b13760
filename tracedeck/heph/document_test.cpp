// docs/formats/heph.md says what the tables of wire.hpp and rules.cpp say.

#include "tracedeck/format/document_test.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/heph/encoder.hpp"
#include "tracedeck/heph/model_classes.hpp"
#include "tracedeck/heph/rules.hpp"
#include "tracedeck/heph/wire.hpp"

namespace tracedeck::heph {
namespace {

using testing::ElementsAreArray;
using testing::StartsWith;

using Lines = Document::Lines;

const Document& document() {
  static const Document kDocument("heph.md");
  return kDocument;
}

Lines table(std::string_view heading) { return document().table(heading); }

TEST(Document, ListsTheRulesAndHasTheirSections) { document().expect_rules(rules()); }

TEST(Document, ListsThePackets) {
  const Lines expected = {
      fmt::format("| `0x{:08X}` | Metadata Packet | {} bytes |", kMetadataMagic,
                  kLeastMetadataSize),
      fmt::format("| `0x{:08X}` | Event Packet | {} bytes |", kEventMagic, kLeastEventSize)};
  EXPECT_THAT(table("## Overview"), ElementsAreArray(expected));
}

TEST(Document, ListsTheFieldsOfAnEventPacket) {
  const std::size_t offsets[] = {
      0,          kSizeOffset,       kStreamOffset, kCounterOffset, kSubstreamOffset, kStartOffset,
      kEndOffset, kDescriptionOffset};
  std::vector<testing::Matcher<std::string>> expected;
  for (const std::size_t offset : offsets)
    expected.emplace_back(StartsWith(fmt::format("| {} | ", offset)));
  expected.emplace_back(StartsWith("| | | attributes"));
  EXPECT_THAT(table("## Event Packet"), ElementsAreArray(expected));
}

TEST(Document, ListsTheTypesOfValues) {
  std::vector<testing::Matcher<std::string>> expected;
  for (const ValueTypeFacts& facts : kValueTypes) {
    expected.emplace_back(
        StartsWith(fmt::format("| `0x{:02X}` | `0x{:02X}` | {} | {} | {} | ", type_byte(facts.type),
                               type_byte(facts.type, true), facts.name, facts.encoding,
                               kind_name(*value_class(type_byte(facts.type))))));
  }
  EXPECT_THAT(table("### Types of values"), ElementsAreArray(expected));
}

TEST(Document, ListsTheLimits) {
  const Lines of_the_format = {
      fmt::format("| bytes of a string, elements of an array | {} |", grouped(kMaxLength)),
      fmt::format("| bytes of a packet | {} |", grouped(kMaxPacketSize)),
  };
  EXPECT_THAT(table("## Limits of the format"), ElementsAreArray(of_the_format));
  const Lines ours = {
      "| bytes of a packet | `--max-state`, 1 GiB unless said otherwise | `heph/limit` |",
      fmt::format("| event classes | {}, which may take {} MiB | `heph/type-limit` |",
                  grouped(kMaxEventTypes), kMaxTypeMemory >> 20U),
      fmt::format("| streams whose counters are followed | {} | `heph/stream-limit` |",
                  grouped(kMaxStreams)),
      fmt::format("| options that are kept | {}, which may take {} MiB | `heph/option-limit` |",
                  grouped(kMaxOptions), kMaxOptionMemory >> 20U),
  };
  EXPECT_THAT(table("## Limits of tracedeck"), ElementsAreArray(ours));
}

TEST(Document, ShowsTheBytesOfTheExample) {
  Encoder encoder;
  ASSERT_TRUE(encoder.set_epoch(1'610'113'734'118'010'000));
  ASSERT_TRUE(encoder.write({.stream = 1, .start = 1000, .end = 2500}, "request",
                            {{"path", "/"}, {"bytes", 512U}}));
  EXPECT_THAT(document().dumped_bytes("## A trace, byte by byte"),
              ElementsAreArray(encoder.bytes()));
}

}  // namespace
}  // namespace tracedeck::heph
