#include <gtest/gtest.h>

#include <set>

#include "tracedeck/render/sentences.hpp"

namespace tracedeck::render {
namespace {

TEST(Sentence, TakesValuesInOrder) {
  EXPECT_EQ(filled("{count} of {name}: {more}", {2U, "a {b}", Plain(12345)}), "2 of a {b}: 12345");
  EXPECT_EQ(filled("{count}", {1234567U}), "1,234,567");
}

TEST(Sentence, ChoosesWordsByTheLastNumber) {
  constexpr std::string_view kText = "{count} event{/s} {is/are} in {name} and {more} place{/s}";
  EXPECT_EQ(filled(kText, {1U, "x", 2U}), "1 event is in x and 2 places");
  EXPECT_EQ(filled(kText, {0U, "x", 1U}), "0 events are in x and 1 place");
}

TEST(Sentence, HidesNumbers) {
  EXPECT_EQ(filled("{names#}table{/s} {names}", {1U, "a"}), "table a");
  EXPECT_EQ(filled("{names#}table{/s} {names}", {2U, "a, b"}), "tables a, b");
}

TEST(Sentence, CountsPlaces) {
  EXPECT_EQ(places_of(""), 0);
  EXPECT_EQ(places_of("{a} event{/s}, {b#}{c}"), 3);
}

TEST(Sentences, AreToldApart) {
  std::set<std::string_view> ids;
  std::set<std::string_view> texts;
  for (const Sentence& each : kSentences) {
    EXPECT_TRUE(ids.insert(each.id).second) << each.id;
    EXPECT_FALSE(each.text.empty()) << each.id;
    EXPECT_FALSE(each.when.empty()) << each.id;
    EXPECT_TRUE(each.id.contains('/')) << each.id;
  }
}

TEST(Sentences, AreSaidByTheirIds) {
  EXPECT_EQ(say<"trace/losses">(1U, 2U),
            "1 event lost at least, in 2 places with losses or unreadable bytes");
}

}  // namespace
}  // namespace tracedeck::render
