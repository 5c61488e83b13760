#include "tracedeck/ctf/metadata/comparable_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace tracedeck::ctf {
namespace {

TextSum sum_of(std::string_view text, std::size_t portion = 1'000) {
  ComparableText comparable;
  for (; !text.empty(); text.remove_prefix(std::min(portion, text.size())))
    comparable.take(as_bytes(text.substr(0, portion)));
  return comparable.whole();
}

bool begins(std::string_view one, std::string_view other) {
  const TextSum sum = sum_of(one);
  ComparableText comparable({sum.length});
  comparable.take(as_bytes(other));
  return comparable.beginnings().size() == 1 && comparable.beginnings()[0] == sum;
}

constexpr std::string_view kTsdl =
    "/* CTF 1.8 */ trace { major = 1; }; env { a = \"}; x\"; }; clock { name = m; offset = 5; "
    "offset_s = 6; freq = 7; }; event { name = \"offset = 3;\"; };";

TEST(ComparableText, LeavesOutBlanksAndComments) {
  EXPECT_EQ(sum_of("trace { major = 1; };"), sum_of("/* c; { */ trace{// x\nmajor=1 ; } ;\n"));
  EXPECT_NE(sum_of("typedef int a;"), sum_of("typedef inta;"));
  EXPECT_NE(sum_of("event { name = \"a b\"; };"), sum_of("event { name = \"ab\"; };"));
  EXPECT_NE(sum_of("event { name = \"/* a */\"; };"), sum_of("event { name = \"\"; };"));
}

TEST(ComparableText, LeavesOutEnvironmentAndOffsets) {
  const std::string_view other =
      "/* CTF 1.8 */ trace { major = 1; }; clock { name = m; freq = 7; }; "
      "event { name = \"offset = 3;\"; };";
  EXPECT_EQ(sum_of(kTsdl), sum_of(other));
  EXPECT_NE(sum_of("clock { freq = 7; };"), sum_of("clock { freq = 8; };"));
  EXPECT_NE(sum_of("trace { offset = 1; };"), sum_of("trace { offset = 2; };"));
}

TEST(ComparableText, OfFragments) {
  const auto clock = [](std::string_view members) {
    return "\x1e{\"type\":\"clock-class\"" + std::string(members) + "}\n";
  };
  EXPECT_EQ(sum_of(clock("")), sum_of(clock(", \"offset\": {\"seconds\": 5}")));
  EXPECT_EQ(sum_of(clock("")), sum_of(clock(R"(,"offset-from-origin":{"cycles":[1,2]})")));
  EXPECT_EQ(sum_of(clock(R"(,"frequency":5)")),
            sum_of(clock(R"(,"offset-from-origin":{"a":"}"},"frequency":5)")));
  EXPECT_NE(sum_of(clock(R"(,"frequency":5)")), sum_of(clock(R"(,"frequency":6)")));
  EXPECT_NE(sum_of(clock(R"(,"attributes":{"offset":5})")),
            sum_of(clock(R"(,"attributes":{"offset":6})")));
}

TEST(ComparableText, DoesNotDependOnPortions) {
  for (std::size_t portion = 1; portion < 20; ++portion)
    EXPECT_EQ(sum_of(kTsdl, portion), sum_of(kTsdl)) << portion;
}

TEST(ComparableText, KnowsBeginnings) {
  const std::string grown = std::string(kTsdl) + " event { name = \"more\"; };";
  EXPECT_TRUE(begins(kTsdl, grown));
  EXPECT_FALSE(begins(grown, kTsdl));
  EXPECT_FALSE(begins("trace { major = 2; };", grown));
}

}  // namespace
}  // namespace tracedeck::ctf
