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
    const Key key = {a % 7, b % 5 == 0 ? ~std::uint64_t{0} : b % 5, words == 2 ? 0 : a % 3};
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
        (words == 2 ? table.place_pair(a % 7, key[1]) : table.place(key.data())) = ++number;
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
