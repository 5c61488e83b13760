#include "tracedeck/query/open_pairs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace tracedeck::query {
namespace {

struct Kept {
  Nanoseconds begin;
  std::uint64_t number = 0;
  PairScope scope;
  std::string text;
};

void expect_equal(const OpenPair& pair, const Kept& want) {
  EXPECT_EQ(pair.begin, want.begin);
  EXPECT_EQ(pair.number, want.number);
  EXPECT_EQ(pair.scope, want.scope);
  EXPECT_EQ(pair.kept, want.text);
}

Kept random_pair(std::mt19937_64& random, std::uint64_t number) {
  // Of some times all bits are needed.
  const Uint128 high = random() % 20 == 0 ? Uint128{random()} << 64 : 0;
  return {
      .begin = Nanoseconds::from_unsigned(high + (random() >> (random() % 64)), random() % 2 == 0),
      .number = number,
      .scope = random() % 2 == 0 ? PairScope()
                                 : PairScope{.trace = random() % 3, .stream = random() % 100},
      .text = std::string(random() % (random() % 10 == 0 ? 2000 : 10), 'k')};
}

TEST(OpenPairs, AreTakenFromTheLastToTheFirst) {
  std::mt19937_64 random(3);
  for (const std::uint64_t keys : {1U, 7U, 3000U}) {
    OpenPairs pairs(std::size_t{1} << 30);
    std::map<std::string, std::vector<Kept>> want;
    for (std::uint64_t i = 0; i < 50'000; ++i) {
      const std::string key = fmt::format("{}", random() % keys);
      if (random() % 100 < 55) {
        const Kept kept = random_pair(random, i);
        ASSERT_TRUE(pairs.add(
            key, {.begin = kept.begin, .number = i, .scope = kept.scope, .kept = kept.text}));
        want[key].push_back(kept);
        continue;
      }
      const auto taken = pairs.take(key);
      ASSERT_EQ(taken.has_value(), !want[key].empty());
      if (!taken) continue;
      expect_equal(*taken, want[key].back());
      want[key].pop_back();
    }
    // All that are left, the first of each key first.
    std::map<std::string, std::size_t> seen;
    pairs.for_each([&](std::string_view key, const OpenPair& pair) {
      const std::string name(key);
      ASSERT_LT(seen[name], want[name].size());
      expect_equal(pair, want[name][seen[name]++]);
    });
    for (const auto& [key, of_key] : want) EXPECT_EQ(seen[key], of_key.size());
  }
}

TEST(OpenPairs, StayWithinTheirRoom) {
  OpenPairs pairs(100'000);
  std::uint64_t held = 0;
  while (pairs.add(fmt::format("{}", held), {.number = held})) ++held;
  // Some 40 bytes each.
  EXPECT_GT(held, 2000U);
  EXPECT_LT(held, 5000U);
  EXPECT_FALSE(pairs.add("other", {}));
  // Room that is left is used again.
  for (std::uint64_t round = 0; round < 10; ++round) {
    for (std::uint64_t i = 0; i < held; ++i) EXPECT_TRUE(pairs.take(fmt::format("{}", i)));
    for (std::uint64_t i = 0; i < held; ++i)
      EXPECT_TRUE(pairs.add(fmt::format("{}", i), {.number = i}));
  }
  pairs.clear();
  EXPECT_FALSE(pairs.take("0"));
  EXPECT_TRUE(pairs.add("0", {}));
}

}  // namespace
}  // namespace tracedeck::query
