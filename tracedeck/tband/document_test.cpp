// docs/formats/tband.md says what the tables of event_table.hpp, wire.hpp and rules.cpp say.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <fstream>
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

using testing::Contains;
using testing::ElementsAreArray;
using testing::StartsWith;

using Lines = std::vector<std::string>;

const Lines& document() {
  static const Lines kLines = [] {
    std::ifstream file(TRACEDECK_SOURCE_DIR "/docs/formats/tband.md");
    Lines lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }();
  return kLines;
}

bool is_heading(std::string_view line) { return line.starts_with('#'); }
bool is_row(std::string_view line) { return line.starts_with('|'); }

// The rows of a table under a heading, without its head; the first is 0.
Lines table(std::string_view heading, int number = 0) {
  const Lines& lines = document();
  auto at = std::ranges::find(lines, heading);
  EXPECT_NE(at, lines.end()) << heading << " is not there";
  if (at == lines.end()) return {};
  const auto end = std::find_if(++at, lines.end(), is_heading);
  for (;; --number) {
    at = std::find_if(at, end, is_row);
    const auto last = std::find_if_not(at, end, is_row);
    if (last - at < 2) return {};
    if (number == 0) return {at + 2, last};
    at = last;
  }
}

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

TEST(Document, ListsTheRules) {
  Lines expected;
  for (const Rule& rule : rules()) {
    expected.push_back(fmt::format("| `{}` | {} | {} | {} |", rule.id, severity_name(rule.severity),
                                   rule.section, rule.summary));
  }
  EXPECT_THAT(table("## Rules"), ElementsAreArray(expected));
}

TEST(Document, HasTheSectionsOfTheRules) {
  Lines headings;
  for (const std::string& line : document()) {
    if (is_heading(line)) headings.push_back(line.substr(line.find(' ') + 1));
  }
  for (const Rule& rule : rules()) {
    EXPECT_THAT(headings, Contains(std::string(rule.section))) << "as " << rule.id << " has it";
  }
}

TEST(Document, ShowsATraceByteByByte) {
  const Lines& lines = document();
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
