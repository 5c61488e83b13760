#include "tracedeck/timeline/key_table.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace tracedeck::timeline {
namespace {

using Key = std::array<std::uint64_t, 3>;

// What is done: 0 sets, 1 forgets, 2 looks, 3 keeps the odd numbers only.
using Step = std::tuple<unsigned, std::uint64_t, std::uint64_t>;

RC_GTEST_PROP(KeyTableTest, KnowsWhatAMapKnows, (const std::vector<Step>& steps)) {
  // Tables of two words have a way of their own.
  const auto words = *rc::gen::inRange<std::size_t>(2, 4);
  KeyTable table(words);
  std::map<Key, std::uint32_t> map;
  std::uint32_t number = 0;
  for (const auto& [what, a, b] : steps) {
    // Few keys, so that they meet again; some of them far apart.
    const std::uint64_t value = (a % 7) << (a % 2 == 0 ? 0U : 20U);
    const Key key = {value, b % 5 == 0 ? ~std::uint64_t{0} : b % 5, words == 2 ? 0 : a % 3};
    switch (what % 8) {
      case 1:
      case 2:
        table.erase(key.data());
        map.erase(key);
        break;
      case 3:
        table.keep_if([](std::uint32_t each) { return each % 2 == 1; });
        std::erase_if(map, [](const auto& each) { return each.second % 2 == 0; });
        break;
      case 4:
        (words == 2 ? table.place_pair(value, key[1]) : table.place(key.data())) = ++number;
        map[key] = number;
        break;
      default:
        table.place(key.data()) = ++number;
        map[key] = number;
    }
    RC_ASSERT(table.size() == map.size());
    for (const auto& [known, of] : map) {
      RC_ASSERT(table.find(known.data()) == of);
      RC_ASSERT(words != 2 || table.find_pair(known[0], known[1]) == of);
    }
  }
  std::size_t visited = 0;
  table.for_each([&](std::uint32_t) { ++visited; });
  RC_ASSERT(visited == map.size());
}

TEST(KeyTableTest, GrowsWithItsKeysAndForgetsThem) {
  KeyTable table(1);
  for (std::uint64_t i = 0; i < 10'000; ++i) table.place(&i) = i + 1;
  for (std::uint64_t i = 0; i < 10'000; ++i) ASSERT_EQ(table.find(&i), i + 1);
  for (std::uint64_t i = 0; i < 10'000; i += 2) table.erase(&i);
  for (std::uint64_t i = 0; i < 10'000; ++i) ASSERT_EQ(table.find(&i), i % 2 == 0 ? 0 : i + 1);
  EXPECT_EQ(table.size(), 5'000U);
}

TEST(KeyTableTest, APlaceThatIsGivenUpIsNotThere) {
  KeyTable table(2);
  for (const std::uint64_t value : {std::uint64_t{3}, KeyTable::kNear, ~std::uint64_t{0}}) {
    EXPECT_EQ(table.place_pair(value, 1), 0U);
    table.give_up_place();
    EXPECT_EQ(table.find_pair(value, 1), 0U);
  }
  EXPECT_EQ(table.size(), 0U);
}

TEST(KeyTableTest, ValuesBesideTheBoundAndOfOtherTraces) {
  KeyTable table(2);
  std::uint64_t number = 0;
  for (const std::uint64_t trace : {std::uint64_t{7}, std::uint64_t{8}}) {
    for (const std::uint64_t value : {std::uint64_t{0}, KeyTable::kNear - 1, KeyTable::kNear})
      table.place_pair(value, trace) = ++number;
  }
  EXPECT_EQ(table.find_pair(0, 7), 1U);
  EXPECT_EQ(table.find_pair(KeyTable::kNear - 1, 7), 2U);
  EXPECT_EQ(table.find_pair(KeyTable::kNear, 7), 3U);
  EXPECT_EQ(table.find_pair(0, 8), 4U);
  table.change([](std::uint32_t each) { return each + 10; });
  EXPECT_EQ(table.find_pair(KeyTable::kNear - 1, 8), 15U);
  table.keep_if([](std::uint32_t each) { return each != 12; });
  EXPECT_EQ(table.find_pair(KeyTable::kNear - 1, 7), 0U);
  EXPECT_EQ(table.size(), 5U);
}

TEST(KeyTableTest, NearKeysAreThoseOfTheFirstTraceThatAsks) {
  KeyTable table(2);
  NearKeys& near = table.near_of(7);
  NearKeys& other = table.near_of(8);
  EXPECT_FALSE(near.has(3));
  for (const std::uint64_t trace : {std::uint64_t{8}, std::uint64_t{7}})
    table.place_pair(3, trace) = trace * 10;
  EXPECT_EQ(near.find(3), 70U);
  EXPECT_EQ(near.find(4), 0U);
  EXPECT_FALSE(other.has(3));
  EXPECT_EQ(other.find(3), 0U);
  near[3] = 71;
  EXPECT_EQ(table.find_pair(3, 7), 71U);
  EXPECT_EQ(table.find_pair(3, 8), 80U);

  table.clear();
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table.find_pair(3, 8), 0U);
  EXPECT_FALSE(near.has(3));
  table.place_pair(3, 8) = 90;
  table.place_pair(3, 7) = 91;
  EXPECT_EQ(near.find(3), 91U);
}

TEST(KeyTableTest, OfTablesOfOtherWordsNothingIsNear) {
  KeyTable table(1);
  const std::uint64_t key = 3;
  table.place(&key) = 1;
  EXPECT_FALSE(table.near_of(0).has(3));
}

TEST(KeyTableTest, OfNoWordsHasOneEntry) {
  KeyTable table(0);
  EXPECT_EQ(table.find(nullptr), 0U);
  table.place(nullptr) = 7;
  EXPECT_EQ(table.find(nullptr), 7U);
  table.erase(nullptr);
  EXPECT_EQ(table.size(), 0U);
}

}  // namespace
}  // namespace tracedeck::timeline
