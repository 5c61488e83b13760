// Which files are of one process. Files that are not there have no content, and are no copies.
#include "tracedeck/joined_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tracedeck/formats.hpp"

namespace tracedeck {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TracePart part(std::string path, std::optional<std::uint64_t> begin, std::string process = {},
               std::string host = "h") {
  TracePart made{.format = find_format("dial9"), .path = std::move(path), .is_file = true};
  made.origin = {
      .process = std::move(process), .host = std::move(host), .begin = begin, .clock = "clock"};
  return made;
}

TracePart unknown(std::string path) { return {.path = std::move(path), .is_file = true}; }

std::vector<std::vector<std::string>> files_of(const std::vector<JoinedFiles>& joined) {
  std::vector<std::vector<std::string>> files;
  for (const JoinedFiles& each : joined) files.push_back(each.files);
  return files;
}

TEST(JoinFiles, ByWhatTheySayOfTheirProcess) {
  const auto joined = join_files({part("x/b.bin", 20, "p"), part("y/a.bin", 10, "p"),
                                  part("x/c.bin", 5, "q"), part("x/d.bin", 5, "p", "other")});
  EXPECT_THAT(files_of(joined), ElementsAre(ElementsAre("y/a.bin", "x/b.bin"),
                                            ElementsAre("x/c.bin"), ElementsAre("x/d.bin")));
}

TEST(JoinFiles, ByFoldersThatSayIt) {
  const auto joined =
      join_files({part("s/instance=a/boot=p/9-1.bin", 20, "", ""),
                  part("s/instance=a/boot=p/8-0.bin", 10, "", ""),
                  part("s/instance=b/boot=p/8-0.bin", 10, "", ""),
                  part("t/abcd-17/t.1.bin", 7, "", ""), part("t/abcd-17/u.0.bin", 3, "", "")});
  EXPECT_THAT(files_of(joined),
              ElementsAre(ElementsAre("s/instance=a/boot=p/8-0.bin", "s/instance=a/boot=p/9-1.bin"),
                          ElementsAre("s/instance=b/boot=p/8-0.bin"),
                          ElementsAre("t/abcd-17/u.0.bin", "t/abcd-17/t.1.bin")));
}

TEST(JoinFiles, ByNamesInOneFolder) {
  const auto joined = join_files({part("a/t.10.bin.gz", 30, ""), part("a/t.9.bin", 20, ""),
                                  part("b/t.9.bin", 5, ""), part("a/u.1.bin", 1, "")});
  EXPECT_THAT(files_of(joined), ElementsAre(ElementsAre("a/t.9.bin", "a/t.10.bin.gz"),
                                            ElementsAre("a/u.1.bin"), ElementsAre("b/t.9.bin")));
  for (const JoinedFiles& each : joined) EXPECT_THAT(each.notices, IsEmpty());
}

TEST(JoinFiles, NumbersMayCountDown) {
  EXPECT_THAT(files_of(join_files({part("log.1", 20), part("log.2", 10), part("log.3", 5)})),
              ElementsAre(ElementsAre("log.3", "log.2", "log.1")));
}

// Recordings that somebody counts are called so, too.
TEST(JoinFiles, PartsOfAResultThatBeginWithWhatDescribesIt) {
  const auto result_part = [](const char* path, std::uint64_t begin,
                              std::optional<std::uint64_t> anchor) {
    TracePart made = part(path, begin, "", "");
    made.origin.anchor = anchor;
    made.origin.metadata = {{"service", "s"}};
    return made;
  };
  const TracePart first = result_part("run-0001.bin", 5, 5);
  EXPECT_THAT(files_of(join_files({first, result_part("run-0002.bin", 20, 5)})),
              ElementsAre(ElementsAre("run-0001.bin", "run-0002.bin")));
  TracePart other = result_part("run-0002.bin", 20, 5);
  other.origin.metadata = {{"service", "t"}};
  for (const TracePart& second : {other, result_part("run-0002.bin", 20, 20)}) {
    const auto joined = join_files({first, second});
    ASSERT_EQ(joined.size(), 2U);
    EXPECT_THAT(joined[0].notices,
                ElementsAre("run-0001.bin and run-0002.bin are read as 2 traces: nothing in them "
                            "says that they are one"));
  }
  // Of a format with clock anchors nothing without one; of one whose clock begins anew nothing.
  EXPECT_EQ(
      join_files({result_part("run-0001.bin", 5, {}), result_part("run-0002.bin", 20, {})}).size(),
      2U);
  for (const auto& [format, traces] : {std::pair("heph", 1U), std::pair("tband", 2U)}) {
    TracePart one = result_part("run-0001", 5, {});
    TracePart two = result_part("run-0002", 20, {});
    one.format = two.format = find_format(format);
    EXPECT_EQ(join_files({one, two}).size(), traces) << format;
  }
  // Of a file that says its process the name is no reason.
  EXPECT_EQ(join_files({part("run-0001.bin", 5, "p"), result_part("run-0002.bin", 20, 5)}).size(),
            2U);
}

TEST(JoinFiles, NotWhereTimesFallOrClocksDiffer) {
  const auto joined = join_files({part("t.0", 20), part("t.1", 30), part("t.2", 10)});
  EXPECT_THAT(files_of(joined), ElementsAre(ElementsAre("t.0", "t.1"), ElementsAre("t.2")));
  EXPECT_THAT(joined[0].notices, ElementsAre(HasSubstr("read as 2 traces")));
  TracePart other = part("t.1", 30);
  other.origin.clock = "another";
  EXPECT_EQ(join_files({part("t.0", 20), other}).size(), 2U);
}

TEST(JoinFiles, WhatSaysNothingGoesWithItsName) {
  const auto joined =
      join_files({part("t.0.bin", 10, "p"), unknown("t.1.bin"), part("t.2.bin.active", {}, ""),
                  unknown("t.1.txt"), unknown("notes")});
  EXPECT_THAT(files_of(joined), ElementsAre(ElementsAre("t.0.bin", "t.1.bin", "t.2.bin.active"),
                                            ElementsAre("notes"), ElementsAre("t.1.txt")));
  EXPECT_EQ(joined[1].format, nullptr);
  // Of two processes it may be of either.
  EXPECT_EQ(
      join_files({part("t.0.bin", 10, "p"), part("t.1.bin", 10, "q"), unknown("t.2.bin")}).size(),
      3U);
}

TEST(JoinFiles, TellsWhatIsMissing) {
  const auto joined = join_files({part("t.3.bin", 10, "p"), part("t.6.bin", 20, "p")});
  ASSERT_EQ(joined.size(), 1U);
  EXPECT_THAT(joined[0].notices,
              ElementsAre("t.6.bin: t.4 to t.5, the 2 files before it, are not there; what "
                          "they held is lost"));
}

TEST(JoinFiles, NamesTheOneFileThatIsMissing) {
  const auto joined = join_files({part("t.5.bin", 10, "p"), part("t.3.bin", 20, "p")});
  ASSERT_EQ(joined.size(), 1U);
  EXPECT_THAT(joined[0].notices,
              ElementsAre("t.3.bin: t.4, the file before it, is not there; what it held is lost"));
}

TEST(JoinFiles, TellsThatNamesSayNothingOfMissingFiles) {
  const auto joined = join_files({part("b.bin", 10, "p"), part("a.bin", 20, "p")});
  ASSERT_EQ(joined.size(), 1U);
  EXPECT_THAT(joined[0].notices, ElementsAre(HasSubstr("whether one is missing is not known")));
}

TEST(JoinFiles, TellsWhyAlikeNamesAreApart) {
  const auto joined = join_files({part("t1.bin", 10), part("t2.bin", 20)});
  ASSERT_EQ(joined.size(), 2U);
  EXPECT_THAT(joined[0].notices, ElementsAre(HasSubstr("nothing in them says that they are one")));
}

TEST(RotatedName, IsAStemAndANumber) {
  const auto name = [](std::string_view path) {
    const auto found = rotated_name(path);
    return found ? found->stem + "|" + std::to_string(found->number) + "|" + found->ending : "";
  };
  EXPECT_EQ(name("a.1/trace.3.bin.gz"), "trace|3|bin");
  EXPECT_EQ(name("trace.v2.13.active"), "trace.v2|13|");
  EXPECT_EQ(name("1778364484-7.bin.zst"), "|7|bin");
  EXPECT_EQ(name("d/run-0012.bin.gz"), "run-|12|bin");
  EXPECT_EQ(name("run-0012"), "run-|12|");
  EXPECT_EQ(name("run-0012.3.bin"), "run-0012|3|bin");
  EXPECT_EQ(name("run-012.bin"), "");
  EXPECT_EQ(name("run-20261129.bin"), "");
  EXPECT_EQ(name("-0012.bin"), "");
  EXPECT_EQ(name("x-7.bin"), "");
  EXPECT_EQ(name("trace.bin"), "");
  EXPECT_EQ(name(".7"), "");
  EXPECT_EQ(name("7"), "");
  EXPECT_EQ(name("t.99999999999999999999"), "");
  EXPECT_EQ(name(""), "");
}

}  // namespace
}  // namespace tracedeck
