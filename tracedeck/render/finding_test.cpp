#include "tracedeck/render/finding.hpp"

#include <gtest/gtest.h>

namespace tracedeck::render {
namespace {

constexpr Rule kRule = {.id = "dial9/bool-value",
                        .severity = Severity::kWarning,
                        .section = "Field Types",
                        .summary = "..."};

TEST(Finding, IsOneLine) {
  const Notice notice{
      .input = "dir/a.bin",
      .finding = {.rule = &kRule, .offset = 42, .length = 1, .text = "A boolean is 7."}};
  EXPECT_EQ(finding_line(notice),
            "dir/a.bin:42: warning: dial9/bool-value: A boolean is 7. [Field Types]");
  EXPECT_EQ(
      finding_json(notice),
      R"({"file":"dir/a.bin","offset":42,"length":1,"severity":"warning","rule":"dial9/bool-value",)"
      R"("text":"A boolean is 7.","section":"Field Types"})");
}

TEST(Finding, WhatComesFromTheTraceIsSafeToShow) {
  const Notice notice{
      .input = "a\nb.bin",
      .finding = {.rule = &kRule, .offset = 0, .length = 0, .text = "Name \x1B[2J\xFF."}};
  EXPECT_EQ(finding_line(notice),
            "a\\nb.bin:0: warning: dial9/bool-value: Name \\x1b[2J\\xff. [Field Types]");
  EXPECT_EQ(
      finding_json(notice),
      R"({"file":"a\nb.bin","offset":0,"length":0,"severity":"warning","rule":"dial9/bool-value",)"
      "\"text\":\"Name \\u001b[2J\xEF\xBF\xBD.\",\"section\":\"Field Types\"}");
}

}  // namespace
}  // namespace tracedeck::render
