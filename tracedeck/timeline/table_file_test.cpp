#include <gtest/gtest.h>

#include <string>

#include "tracedeck/timeline/inference.hpp"
#include "tracedeck/timeline/interpreter.hpp"
#include "tracedeck/timeline/table.hpp"

namespace tracedeck::timeline {
namespace {

constexpr std::string_view kTrack = "[[track]]\nid = \"t\"\nname = \"T\"\n";

std::string error_of(const std::string& text) {
  const auto table = parse_table(text, "my.toml");
  return table ? "none" : table.error().message;
}

// That of a table with a name, a track and these lines, from line 5 on.
std::string error_with(const std::string& lines) {
  return error_of("table = \"x\"\n" + std::string(kTrack) + lines);
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(TableFileTest, ReadsWhatTheDesignShows) {
  const auto table = parse_table(
      std::string("table = \"my-app\"\n") +
          "applies = { format = \"ctf\", class = \"my_app:*\" }\n" + std::string(kTrack) +
          "[[slice]]\nbegin = \"a\"\nend = [\"b\", \"c\"]\ntrack = \"t\"\n"
          "match = [\"id\", \"a.tid == b.next_tid\"]\nname = \"{x} y\"\n",
      "my.toml");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->format, "ctf");
  ASSERT_EQ(table->slices.size(), 1U);
  EXPECT_EQ(table->slices[0].end, (ClassGlobs{"b", "c"}));
  EXPECT_EQ(table->slices[0].match, (std::vector<KeyPair>{{"id", "id"}, {"tid", "next_tid"}}));
}

TEST(TableFileTest, SaysWhereAFileIsNoToml) {
  const std::string error = error_of("table = \"x\"\n= 1\n");
  expect_contains(error, "my.toml:2:");
  expect_contains(error_of("table = \"x\"\n\u00e9 = 1\n"), "my.toml:2:1: ");
  expect_contains(error_of("table = \"x\"\na \u0453 = 1\n"), "my.toml:2:3: ");
  expect_contains(error_of("[[= \"x\"\n"), "my.toml:1:3: ");
}

std::string repeated(std::string_view part, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += part;
  return text;
}

// However deep: a parser that calls itself for each part has no stack for that.
TEST(TableFileTest, SaysThatKeysAreTooDeep) {
  constexpr std::size_t kMany = 120'000;
  const std::string deep = "a" + repeated(".a", kMany);
  expect_contains(error_of("table = \"x\"\n" + deep + " = 1\n"),
                  "my.toml:2:1: a key has more than");
  expect_contains(error_of("table = \"x\"\n[" + deep + "]\n"), "my.toml:2:2: a key has more than");
  expect_contains(error_of("table = \"x\"\n[[" + deep + "]]\n"), "my.toml:2:3: a key has more");
  expect_contains(error_of("x = {" + deep + " = 1}\n"), "my.toml:1:6: a key has more than");
  expect_contains(error_of("a = " + repeated("{a=", kMany) + "1" + repeated("}", kMany)),
                  "my.toml:1:");
  expect_contains(error_of("a = " + repeated("[", kMany) + repeated("]", kMany)), "my.toml:1:");
  expect_contains(error_of("a = " + repeated("{a.b.c.d.e.f.g=", kMany / 10)), "my.toml:1:");
}

TEST(TableFileTest, SaysThatAFileIsTooLarge) {
  expect_contains(error_of(std::string(kMostTableBytes + 1, '\n')),
                  "my.toml: a file of tables has");
  expect_contains(error_of(std::string(kMostTableBytes, '\n')), "begins with its name");
}

TEST(TableFileTest, LinesAreThoseOfTheFile) {
  const std::string first = "table = \"x\"\n" + std::string(kTrack);
  const auto tables = parse_tables(first + "table = \"y\"\n= 1\n", "my.toml");
  ASSERT_FALSE(tables);
  expect_contains(tables.error().message, "my.toml:6:");
}

TEST(TableFileTest, SaysWhatIsWrongAndWhere) {
  expect_contains(error_of(std::string(kTrack)), "begins with its name");
  expect_contains(error_with("[[slic]]\nbegin = \"a\"\n"), "`slice`");
  expect_contains(error_with("[[slice]]\nbegin = \"a\"\ntrack = \"t\"\nname = \"n\"\nmach = 1\n"),
                  "`match`");
  expect_contains(error_with("[[slice]]\nbegin = \"a\"\ntrack = \"t\"\n"), "`name`");
  expect_contains(error_with("[[slice]]\nbegin = 1\ntrack = \"t\"\nname = \"n\"\n"), "my.toml:6:9");
  expect_contains(error_with("[[slice]]\nbegin = \"a\"\ntrack = \"u\"\nname = \"n\"\n"),
                  "no [[track]]");
  expect_contains(
      error_with("[[slice]]\nbegin = \"a\"\ntrack = \"t\"\nname = \"n\"\nagain = \"no\"\n"),
      "replace, ignore, nest");
  expect_contains(
      error_with("[[slice]]\nbegin = \"a\"\ntrack = \"t\"\nname = \"n\"\nmarked = \"yes\"\n"),
      "true or false");
  expect_contains(
      error_with(
          "[[slice]]\nbegin = \"a\"\ntrack = \"t\"\nname = \"n\"\nmatch = [\"tid == b.x\"]\n"),
      "a.tid == b.next_tid");
  expect_contains(error_with("slice = 1\n"), "[[track]] has no key `slice`");
  expect_contains(error_with("[[current]]\nevent = \"e\"\nset = 1\n"), "{ tid = \"next_tid\" }");
  expect_contains(error_of("table = \"x\"\nslice = 1\n"), "[[slice]]");
  expect_contains(error_of("table = \"x\"\napplies = 1\n"), "`applies`");
  expect_contains(error_of("table = \"x\"\napplies = { clas = \"a\" }\n"), "`class`");
  expect_contains(error_of("table = \"x\"\nwide_losses = 1\n"), "true or false");
  expect_contains(error_with("[[track]]\nid = \"u\"\nname = \"U\"\nparent = \"v\"\n"), "parent");
}

// Rules that read well and cannot be.
TEST(TableFileTest, SaysWhichRuleCannotBe) {
  const auto error = [](const std::string& lines) -> std::string {
    auto table = parse_table("table = \"x\"\n" + std::string(kTrack) + lines, "my.toml");
    if (!table) return "does not read: " + table.error().message;
    InterpreterOptions options;
    options.tables.push_back(*std::move(table));
    const auto made = Interpreter::make(std::move(options));
    return made ? "none" : made.error().message;
  };
  const std::string slice = "[[slice]]\nbegin = \"a_*\"\nend = \"b\"\ntrack = \"t\"\nname = ";
  expect_contains(error(slice + "\"{x\"\n"), "without its }");
  expect_contains(error(slice + "\"{current.tid}\"\n"), "no [[current]] sets `tid`");
  expect_contains(error(slice + "\"{(current.tid ?? 0) + 1}\"\n"), "stands alone, or beside ??");
  expect_contains(error(slice + "\"n\"\nwhen = \"x ==\"\n"), "[[slice]] from a_*");
  expect_contains(error(slice + "\"n\"\nby_name = true\n"), "with `by_name`");
  expect_contains(error(slice + "\"n\"\nmatch = [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"]\n"),
                  "too many");
  expect_contains(error("[[counter]]\nevent = \"e\"\ntrack = \"t\"\nvalue = \"v\"\n"),
                  "kind counter");
  expect_contains(error("[[state]]\nevent = \"e\"\ntrack = \"t\"\nname = \"n\"\n"), "kind state");
  expect_contains(error("[[wait]]\nname = \"w\"\nfrom = \"a\"\nto = \"b\"\ntrack = \"t\"\n"
                        "during = \"poll\"\n"),
                  "no [[slice]] has the id `poll`");
  expect_contains(error("[[lookup]]\nid = \"l\"\nevent = \"e\"\nkey = \"k\"\nvalue = \"v\"\n"
                        "range = \"only\"\n"),
                  "a begin and a size");
  expect_contains(
      error("[[flow]]\nfrom = \"a\"\nto = \"b\"\nmatch = \"k\"\nfrom_track = \"t\"\nto_track = "
            "\"t\"\nminimum = \"soon\"\n"),
      "a duration");
}

TEST(TableFileTest, BuiltInTablesReadAndCompile) {
  std::vector<std::string> names;
  for (const Table& table : built_in_tables()) names.push_back(table.name);
  EXPECT_EQ(names, (std::vector<std::string>{"dial9", "heph", "linux-priorities", "lttng-kernel",
                                             "lttng-ust-memory", "lttng-ust", "perf", "ros2",
                                             "tband", "zephyr"}));
  for (const Table& table : built_in_tables()) {
    const auto alone = Interpreter::make({.tables = {table}});
    EXPECT_TRUE(alone) << table.name << ": " << alone.error().message;
  }
  const auto made = Interpreter::make({});
  EXPECT_TRUE(made) << made.error().message;
}

TEST(TableFileTest, WhatIsWrittenReadsBack) {
  for (const Table& table : built_in_tables()) {
    const std::string text = to_toml(table);
    const auto again = parse_table(text, table.name);
    ASSERT_TRUE(again) << table.name << ": " << again.error().message;
    EXPECT_EQ(to_toml(*again), text);
  }
}

}  // namespace
}  // namespace tracedeck::timeline
