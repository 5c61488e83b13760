#include "tracedeck/text/text_table.hpp"

#include <gtest/gtest.h>

namespace tracedeck {
namespace {

using enum TextTable::Side;

TEST(TextTable, ColumnsAreAlignedAndLinesEndInNoSpaces) {
  TextTable table({kRight, kLeft, kRight, kLeft});
  table.add({"N", "NAME", "X", "WHAT"});
  table.add({"100", "a", "1", "first"});
  table.add({"7", "longer", "", ""});
  table.add({"", "b", "22", ""});
  EXPECT_EQ(table.to_string(),
            "  N  NAME     X  WHAT\n"
            "100  a        1  first\n"
            "  7  longer\n"
            "     b       22\n");
}

TEST(TextTable, IndentsAndCountsColumnsNotBytes) {
  TextTable table({kLeft, kLeft});
  table.add({"h\xC3\xA9", "x"});
  table.add({"abc", "y"});
  EXPECT_EQ(table.to_string(2),
            "  h\xC3\xA9   x\n"
            "  abc  y\n");
  EXPECT_EQ(TextTable({kLeft}).to_string(), "");
}

}  // namespace
}  // namespace tracedeck
