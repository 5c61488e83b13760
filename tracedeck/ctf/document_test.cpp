// docs/formats/ctf.md says what the tables of rules and limits say.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/ctf/metadata/metadata_rules.hpp"
#include "tracedeck/ctf/metadata/tsdl_rules.hpp"
#include "tracedeck/ctf/roles.hpp"
#include "tracedeck/ctf/stream/machine.hpp"
#include "tracedeck/ctf/stream/stream_rules.hpp"
#include "tracedeck/ctf/write/producer.hpp"
#include "tracedeck/ctf/write/written_trace_test.hpp"

namespace tracedeck::ctf {

// As in examples/write_ctf.cpp.
struct DocumentedPoll {
  std::uint64_t task = 0;
  std::string_view location;
  std::uint8_t outcome = 0;
};

}  // namespace tracedeck::ctf

namespace tracedeck_descriptions {
using namespace tracedeck::ctf;

template <>
inline constexpr auto kPayload<DocumentedPoll> = describe<DocumentedPoll>(
    "poll", field("task", &DocumentedPoll::task), field("location", &DocumentedPoll::location),
    field("outcome", &DocumentedPoll::outcome));

}  // namespace tracedeck_descriptions

namespace tracedeck::ctf {

namespace {

using testing::Contains;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::StartsWith;

using Lines = std::vector<std::string>;

// The rows of the first table under a heading, without its head.
Lines table(std::string_view heading) {
  std::ifstream file("docs/formats/ctf.md");
  Lines rows;
  bool here = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) {
      if (here) break;
      here = line == heading;
    } else if (here && line.starts_with('|')) {
      rows.push_back(line);
    } else if (!rows.empty()) {
      break;
    }
  }
  EXPECT_GT(rows.size(), 2U) << heading << " has no table";
  if (rows.size() > 2) rows.erase(rows.begin(), rows.begin() + 2);
  return rows;
}

std::string row(std::initializer_list<std::string_view> cells) {
  std::string text = "|";
  for (const std::string_view cell : cells)
    text.append(cell.empty() ? "" : " ").append(cell).append(" |");
  return text;
}

// "error", or "error; CTF 1.8: warning".
std::string severities(const Rule& rule, const Rule& ctf1) {
  std::string text(severity_name(rule.severity));
  if (ctf1.severity != rule.severity)
    text.append("; CTF 1.8: ").append(severity_name(ctf1.severity));
  return text;
}

// The section of a rule without the document's name.
std::string_view section(const Rule& rule, Dialect dialect) {
  const std::size_t name = document_name(dialect).size();
  return rule.section.size() == name ? std::string_view() : rule.section.substr(name + 1);
}

TEST(Document, ListsTheRulesOfJsonMetadata) {
  const auto rc3 = metadata_rules(Dialect::kRc3);
  const auto final = metadata_rules(Dialect::kFinal);
  Lines expected;
  for (std::size_t i = 0; i < rc3.size(); ++i) {
    expected.push_back(
        row({fmt::format("`{}`", rc3[i].id), severity_name(rc3[i].severity),
             section(rc3[i], Dialect::kRc3), section(final[i], Dialect::kFinal), rc3[i].summary}));
  }
  EXPECT_THAT(table("### Metadata in JSON"), ElementsAreArray(expected));
}

TEST(Document, ListsTheRulesOfTsdl) {
  Lines expected;
  for (const Rule& rule : tsdl_rules()) {
    expected.push_back(row({fmt::format("`{}`", rule.id), severity_name(rule.severity),
                            section(rule, Dialect::kCtf1), rule.summary}));
  }
  EXPECT_THAT(table("### Metadata in TSDL"), ElementsAreArray(expected));
}

TEST(Document, ListsTheRulesOfDataStreams) {
  const auto rc3 = stream_rules(Dialect::kRc3);
  const auto final = stream_rules(Dialect::kFinal);
  const auto ctf1 = stream_rules(Dialect::kCtf1);
  Lines expected;
  for (std::size_t i = 0; i < rc3.size(); ++i) {
    expected.push_back(row({fmt::format("`{}`", rc3[i].id), severities(rc3[i], ctf1[i]),
                            section(rc3[i], Dialect::kRc3), section(final[i], Dialect::kFinal),
                            section(ctf1[i], Dialect::kCtf1), rc3[i].summary}));
  }
  EXPECT_THAT(table("### Data streams and field locations"), ElementsAreArray(expected));
}

TEST(Document, NamesEveryRuleOnce) {
  Lines ids;
  for (const std::string_view heading :
       {"### Metadata in JSON", "### Metadata in TSDL", "### Data streams and field locations"}) {
    for (const std::string& each : table(heading)) ids.push_back(each.substr(0, each.find(" | ")));
  }
  std::ranges::sort(ids);
  EXPECT_EQ(std::ranges::adjacent_find(ids), ids.end());
}

TEST(Document, ListsTheRoles) {
  const Lines rows = table("## Packets");
  for (const RoleInfo& role : role_table()) {
    for (const std::string_view word : {role.rc3, role.final}) {
      if (word.empty()) continue;
      EXPECT_THAT(rows, Contains(HasSubstr(fmt::format("`{}`", word))));
    }
  }
}

TEST(Document, ListsTheLimits) {
  const Lines rows = table("## Limits of tracedeck");
  ASSERT_EQ(DecodeState::kMostEmptyElements, 65'536U);
  EXPECT_THAT(rows,
              Contains(StartsWith("| array elements and aliased structures that take no bits, "
                                  "in a data stream file | 65,536 and 64 for each byte of it |")));
  ASSERT_EQ(DecodeState::kMostNesting, 256U + 1);
  EXPECT_THAT(rows, Contains(StartsWith("| nesting of classes | 256 |")));
  const auto limits = stream_rules(Dialect::kRc3);
  for (const Rule& rule : limits) {
    if (!rule.id.starts_with("ctf/limit-")) continue;
    EXPECT_THAT(rows, Contains(HasSubstr(fmt::format("`{}`", rule.id))));
  }
}

// The bytes of the lines "0004  00 00 00 ...    what they are", each where it says.
std::string documented_bytes() {
  std::ifstream file("docs/formats/ctf.md");
  std::string line;
  while (std::getline(file, line) && line != "## A packet, byte by byte") continue;
  while (std::getline(file, line) && line != "```") continue;
  std::string bytes;
  while (std::getline(file, line) && line != "```") {
    EXPECT_EQ(line.substr(0, 4), fmt::format("{:04X}", bytes.size()));
    const std::string_view digits = std::string_view(line).substr(6, line.find("  ", 6) - 6);
    for (std::size_t i = 0; i < digits.size(); i += 3)
      bytes.push_back(static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

TEST(Document, ShowsWhatTheExampleWrites) {
  MemoryDirectory directory;
  const auto producer = *Producer::create(directory, {.dialect = Dialect::kCtf1});
  const ClockClass* const clock =
      *producer->add_clock({.id = "wall", .origin = ClockOrigin::kUnixEpoch});
  ProducerStreamClass* const workers =
      *producer->add_stream_class({.name = "worker", .clock = clock});
  const auto polls = *producer->add_event<DocumentedPoll>(*workers);
  EventStream* const stream = *producer->open_stream(*workers);
  for (std::uint64_t task = 0; task < 1000; ++task) {
    const DocumentedPoll poll{.task = task,
                              .location = "src/main.rs:42",
                              .outcome = task % 3 == 0 ? std::uint8_t{1} : std::uint8_t{0}};
    ASSERT_TRUE(stream->write(polls, 1'700'000'000'000'000'000 + 1500 * task, poll));
  }
  stream->add_discarded(7);
  ASSERT_TRUE(producer->finish());
  const std::string expected = documented_bytes();
  ASSERT_EQ(expected.size(), 0x7CU);
  EXPECT_EQ(directory.files["stream-0000"].substr(0, expected.size()), expected);
}

TEST(Document, ListsTheDialects) {
  const Lines rows = table("# Common Trace Format");
  ASSERT_EQ(rows.size(), kDialectCount);
  for (std::size_t i = 0; i < kDialectCount; ++i) {
    EXPECT_THAT(rows[i],
                testing::EndsWith(fmt::format("| `{}` |", target_name(static_cast<Dialect>(i)))));
  }
}

}  // namespace
}  // namespace tracedeck::ctf
