#include "tracedeck/export/page/pyramid.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace tracedeck::page {
namespace {

TEST(Pyramid, LowestBinsHaveSixteenSlicesOrMoreOnAverage) {
  for (const std::uint64_t count : {2'048U, 3'000U, 100'000U}) {
    const Pyramid pyramid(0, 1'000'000, count);
    EXPECT_LE(pyramid.lowest(), count / kSlicesPerBin + 1) << count;
    EXPECT_GE(pyramid.lowest(), count / kSlicesPerBin / 2) << count;
  }
}

TEST(Pyramid, TimeIsSharedOutExactly) {
  constexpr unsigned kExponent = 6;
  constexpr std::uint64_t width = std::uint64_t{1} << kExponent;
  BinLevels<Pyramid::Bin> levels(7);
  std::vector<Pyramid::Bin> bins;
  const auto done = [&](std::size_t, const Pyramid::Bin& bin) { bins.push_back(bin); };
  const auto add = [&](std::uint64_t from, std::uint64_t duration, timeline::NameId name) {
    Pyramid::share_out(
        from, duration, name, kExponent,
        [&](std::size_t bin, const Pyramid::Bin& part) { levels.add(bin, part, done); });
  };
  add(0, width / 2, 1);
  add(width / 2, width, 2);      // half in each
  add(3 * width, 2 * width, 3);  // two whole ones
  add(6 * width, 0, 4);          // a moment
  levels.finish(done);
  ASSERT_EQ(bins.size(), 7U);
  EXPECT_EQ(bins[0].busy, width);
  EXPECT_EQ(bins[0].count, 2U);
  EXPECT_EQ(bins[0].name, 2U);
  EXPECT_EQ(bins[0].longest, width);
  EXPECT_TRUE(bins[0].several);
  EXPECT_EQ(bins[1].busy, width / 2);
  EXPECT_EQ(bins[1].count, 0U);
  EXPECT_FALSE(bins[1].several);
  EXPECT_FALSE(bins[2].any);
  EXPECT_EQ(bins[3].busy, width);
  EXPECT_EQ(bins[4].busy, width);
  EXPECT_FALSE(bins[5].any);
  EXPECT_TRUE(bins[6].any);
  EXPECT_EQ(bins[6].busy, 0U);
}

TEST(BinLevels, ABinOfEachLevelIsTheFourBelow) {
  BinLevels<Pyramid::Bin> levels(130);
  ASSERT_EQ(levels.count(), 2U);
  std::vector<std::vector<std::uint32_t>> counts(2);
  const auto done = [&](std::size_t level, const Pyramid::Bin& bin) {
    counts[level].push_back(bin.count);
  };
  for (const std::size_t bin : {0U, 3U, 4U, 129U}) levels.add(bin, {.count = 1, .any = true}, done);
  levels.finish(done);
  EXPECT_EQ(counts[0].size(), 130U);
  std::vector<std::uint32_t> above(33);
  above[0] = 2;
  above[1] = 1;
  above[32] = 1;
  EXPECT_EQ(counts[1], above);
}

TEST(Pyramid, BinsOfHigherLevelsAreThoseBelowTogether) {
  Pyramid::Bin bin;
  bin.add({.busy = 5, .longest = 9, .count = 2, .name = 1, .any = true});
  bin.add({});
  bin.add({.busy = 7, .longest = 8, .count = 1, .name = 1, .any = true});
  EXPECT_FALSE(bin.several);
  bin.add({.busy = 1, .longest = 10, .count = 1, .name = 2, .any = true});
  EXPECT_EQ(bin.busy, 13U);
  EXPECT_EQ(bin.count, 4U);
  EXPECT_EQ(bin.name, 2U);
  EXPECT_TRUE(bin.several);
}

TEST(CounterPyramid, BinsHaveTheLeastTheLargestAndTheLast) {
  CounterPyramid::Bin bin;
  bin.add({.least = 4, .largest = 6, .last = 5, .any = true});
  bin.add({.least = 1, .largest = 1, .last = 1, .any = true});
  bin.add({});
  EXPECT_EQ(bin.least, 1);
  EXPECT_EQ(bin.largest, 6);
  EXPECT_EQ(bin.last, 1);
}

}  // namespace
}  // namespace tracedeck::page
