#include "tracedeck/timeline/key_depth.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tracedeck::timeline {
namespace {

constexpr std::size_t kMostParts = 3;

TEST(KeyDepth, PartsOfAKeyAreCounted) {
  EXPECT_EQ(find_deep_key("a.b.c = 1\n", kMostParts), std::nullopt);
  EXPECT_EQ(find_deep_key("x = 1\na.b.c.d = 1\n", kMostParts), 6U);
  EXPECT_EQ(find_deep_key("[a . b . c . d]\n", kMostParts), 1U);
  EXPECT_EQ(find_deep_key("[[a.b.c.d]]\n", kMostParts), 2U);
  EXPECT_EQ(find_deep_key("x = {y = 1, a.b.'c'.\"d\" = 1}\n", kMostParts), 12U);
}

TEST(KeyDepth, KeysOfSeveralLinesAreSeveral) {
  EXPECT_EQ(find_deep_key("a.b = 1\nc.d = 2\ne.f = 1.5\n[g.h.i]\n", kMostParts), std::nullopt);
}

TEST(KeyDepth, TextsAndCommentsAreNoKeys) {
  for (const std::string text : {
           "x = \"a.b.c.d\"\n",
           "x = 'a.b.c.d'\n",
           "# a.b.c.d\nx = 1 # a.b.c.d",
           "x = \"\"\"\na.b.c.d\n\\\"\"\"a.b.c.d\"\"\"\n",
           "x = \"\"\"a.b.c.d\"\"\"\"\"\n",
           "x = '''a.b.c.d'''''\n",
           "x = '''a''b.c.d.e'''\n",
           "x = \"\\\"a.b.c.d\"\n",
           "\"a.b.c.d\" = 1\n",
           "x = \"\"\n",
       })
    EXPECT_EQ(find_deep_key(text, kMostParts), std::nullopt) << text;
}

TEST(KeyDepth, BehindATextComesAKeyAgain) {
  EXPECT_EQ(find_deep_key("x = '''a'''\na.b.c.d = 1\n", kMostParts), 12U);
  EXPECT_EQ(find_deep_key("x = \"\"\"\"\"\"\na.b.c.d = 1\n", kMostParts), 11U);
}

// A parser stops at these lines, whatever follows.
TEST(KeyDepth, TextsWithoutAnEndAreRead) {
  for (const std::string text : {"\"", "'", "\"\"\"", "'''a", "x = \"\\", "x = \"a\n"})
    EXPECT_EQ(find_deep_key(text, kMostParts), std::nullopt) << text;
}

}  // namespace
}  // namespace tracedeck::timeline
