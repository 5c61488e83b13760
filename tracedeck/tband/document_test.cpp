// docs/formats/tband.md says what the tables of event_table.hpp, wire.hpp and rules.cpp say.

#include "tracedeck/format/document_test.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/padded_bytes.hpp"
#include "tracedeck/tband/decoder.hpp"
#include "tracedeck/tband/model_classes.hpp"
#include "tracedeck/tband/rules.hpp"
#include "tracedeck/tband/trace_bytes_test.hpp"

namespace tracedeck::tband {
namespace {

using testing::ElementsAreArray;
using testing::StartsWith;

using Lines = Document::Lines;

const Document& document() {
  static const Document kDocument("tband.md");
  return kDocument;
}

Lines table(std::string_view heading, int number = 0) { return document().table(heading, number); }

TEST(Document, ListsTheEvents) {
  Lines expected;
  for (const EventFacts& facts : kEvents) {
    Lines fields;
    if (!facts.metadata) fields.emplace_back("ts u64");
    for (const FieldFacts& field : facts.used_fields())
      fields.push_back(fmt::format("{} {}", field.name, field_type_name(field.type)));
    expected.push_back(fmt::format("| `0x{:02X}` | {} |{} | {} |", facts.id, facts.name,
                                   facts.metadata ? " metadata" : "", fmt::join(fields, ", ")));
  }
  EXPECT_THAT(table("## Events"), ElementsAreArray(expected));
}

TEST(Document, ListsTheKindsOfQueues) {
  Lines expected;
  for (std::size_t i = 0; i < kQueueKinds.size(); ++i)
    expected.push_back(fmt::format("| {} | {} |", i, kQueueKinds[i]));
  EXPECT_THAT(table("## Events", 1), ElementsAreArray(expected));
}

TEST(Document, ListsTheFieldTypes) {
  std::vector<testing::Matcher<std::string>> encodings;
  std::vector<testing::Matcher<std::string>> classes;
  for (const FieldType type :
       {FieldType::kU8, FieldType::kU32, FieldType::kU64, FieldType::kS64, FieldType::kString}) {
    const FieldFacts field{"field", type};
    encodings.emplace_back(StartsWith(fmt::format("| {} | ", field_type_name(type))));
    classes.emplace_back(StartsWith(fmt::format("| {} | {}", field_type_name(type),
                                                kind_name(*field_class(kEvents[0], field)))));
  }
  EXPECT_THAT(table("## Fields"), ElementsAreArray(encodings));
  EXPECT_THAT(table("## In the model"), ElementsAreArray(classes));
}

TEST(Document, ListsTheRulesAndHasTheirSections) { document().expect_rules(rules()); }

TEST(Document, ShowsATraceByteByByte) {
  const Lines& lines = document().lines();
  Bytes bytes;
  auto line = std::ranges::find(lines, "## A trace, byte by byte");
  std::vector<std::string> names;
  for (; line != lines.end(); ++line) {
    if (!line->starts_with("    ")) continue;
    std::string_view text = std::string_view(*line).substr(4);
    for (; text.size() > 2 && text[2] == ' '; text.remove_prefix(3)) {
      std::uint8_t byte = 0;
      std::from_chars(text.data(), text.data() + 2, byte, 16);
      bytes.push_back(byte);
      if (text[3] == ' ') break;
    }
    text.remove_prefix(text.find_first_not_of(' ', 2));
    names.emplace_back(text.substr(0, text.find(':')));
  }
  struct Visitor {
    std::vector<std::string> names = {};
    void event(const EventView& view) { names.emplace_back(view.facts().name); }
  } visitor;
  const PaddedBytes padded{ByteSpan(bytes)};
  EXPECT_EQ(decode(padded.view(), visitor), 5U);
  EXPECT_EQ(visitor.names, names);
}

}  // namespace
}  // namespace tracedeck::tband
