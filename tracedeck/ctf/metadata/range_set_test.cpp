#include "tracedeck/ctf/metadata/range_set.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bitset>
#include <cstdint>
#include <utility>

namespace tracedeck::ctf {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

Pairs added(RangeSet& set, int lower, int upper) {
  Pairs pairs;
  for (const IntegerRange& range : set.add({lower, upper}))
    pairs.emplace_back(static_cast<int>(range.lower), static_cast<int>(range.upper));
  return pairs;
}

TEST(RangeSet, GivesBackWhatIsNew) {
  RangeSet set;
  EXPECT_EQ(added(set, 3, 5), (Pairs{{3, 5}}));
  EXPECT_EQ(added(set, 3, 5), Pairs{});
  EXPECT_EQ(added(set, 4, 4), Pairs{});
  EXPECT_EQ(added(set, 8, 9), (Pairs{{8, 9}}));
  EXPECT_EQ(added(set, 1, 10), (Pairs{{1, 2}, {6, 7}, {10, 10}}));
  EXPECT_EQ(added(set, 0, 10), (Pairs{{0, 0}}));
}

RC_GTEST_PROP(RangeSet, GivesEveryNumberOnce,
              (std::vector<std::pair<std::uint8_t, std::uint8_t>> ranges)) {
  RangeSet set;
  std::bitset<256> model;
  for (const auto& [a, b] : ranges) {
    const auto [lower, upper] = std::minmax(a, b);
    std::bitset<256> fresh;
    for (const auto& [first, last] : added(set, lower, upper)) {
      RC_ASSERT(first <= last);
      for (int i = first; i <= last; ++i) {
        RC_ASSERT(!fresh.test(static_cast<std::size_t>(i)));
        fresh.set(static_cast<std::size_t>(i));
      }
    }
    std::bitset<256> wanted;
    for (std::size_t i = lower; i <= upper; ++i) wanted.set(i, !model.test(i));
    RC_ASSERT(fresh == wanted);
    model |= wanted;
  }
}

}  // namespace
}  // namespace tracedeck::ctf
