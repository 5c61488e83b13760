#include "tracedeck/outputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tracedeck/formats.hpp"

namespace tracedeck {
namespace {

std::string_view named(std::string_view file) {
  const OutputKind* const kind = output_of_name(file);
  return kind == nullptr ? "none" : kind->name;
}

TEST(Outputs, EachNameAndSuffixStandsForOne) {
  std::set<std::string_view> names;
  std::set<std::string_view> suffixes;
  for (const OutputKind& kind : outputs()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_EQ(find_output(kind.name), &kind);
    EXPECT_TRUE(kind.shown || kind.converts()) << kind.name;
    for (const std::string_view suffix : kind.suffixes) {
      if (suffix.empty()) continue;
      EXPECT_TRUE(suffixes.insert(suffix).second) << suffix;
      EXPECT_EQ(output_of_name("out" + std::string(suffix)), &kind);
    }
  }
  EXPECT_EQ(find_output("nothing"), nullptr);
}

TEST(Outputs, EveryTargetOfEveryFormatIsOne) {
  for (const Format* const format : formats()) {
    for (const WriteTarget& target : format->targets()) {
      const OutputKind* const kind = find_output(target.name);
      ASSERT_NE(kind, nullptr) << target.name;
      EXPECT_EQ(kind->format, format);
      EXPECT_EQ(kind->makes == OutputKind::Makes::kDirectory, target.directory);
    }
  }
}

TEST(Outputs, NamesOfFilesEndInWhatTheyAre) {
  EXPECT_EQ(named("a.jsonl"), "jsonl");
  EXPECT_EQ(named("a.b/x.csv.gz"), "csv");
  EXPECT_EQ(named("x.dial9.zst"), "dial9");
  EXPECT_EQ(named("x.bin.log"), "heph");
  EXPECT_EQ(named("x.ctf2"), "ctf2");
  EXPECT_EQ(named("x.parquet"), "parquet");
  EXPECT_EQ(named("x.clickhouse"), "clickhouse");
  EXPECT_EQ(named("x.arrow"), "arrow");
  EXPECT_EQ(named("x.db.zst"), "sqlite");
  for (const char* const none :
       {"x", "x.bin", "jsonl", ".jsonl", "x.txt", "x.gz", "x.ctf2.gz", "-", ""}) {
    EXPECT_EQ(named(none), "none") << none;
  }
}

TEST(Outputs, OneTableOfBlocksOrBatchesIsNoDirectory) {
  for (const char* const name : {"clickhouse", "arrow"}) {
    EXPECT_TRUE(find_output(name)->in_directory(TableLayout::kUsual));
    EXPECT_FALSE(find_output(name)->in_directory(TableLayout::kOne));
  }
  EXPECT_TRUE(find_output("parquet")->in_directory(TableLayout::kOne));
  EXPECT_FALSE(find_output("jsonl")->in_directory(TableLayout::kClass));
  EXPECT_FALSE(find_output("csv")->in_directory(TableLayout::kUsual));
  EXPECT_TRUE(find_output("csv")->in_directory(TableLayout::kClass));
}

TEST(Outputs, WhatIsRenderedIsNoDirectory) {
  const OutputKind& kind = *find_output("jsonl");
  std::string text;
  const auto output = io::memory_output(text);
  const auto writer = create_writer(kind, *output, {});
  ASSERT_TRUE(writer);
  EXPECT_TRUE((*writer)->finish());
  EXPECT_TRUE(kind.has_option("int64"));
  EXPECT_FALSE(find_output("text")->has_option("int64"));
  EXPECT_TRUE(find_output("ctf1")->has_option("packet-size"));
}

}  // namespace
}  // namespace tracedeck
