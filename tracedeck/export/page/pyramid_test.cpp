#include "tracedeck/export/page/pyramid.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace tracedeck::page {
namespace {

TEST(Pyramid, LowestBinsHaveSixteenSlicesOrMoreOnAverage) {
  for (const std::uint64_t count : {2'048U, 3'000U, 100'000U}) {
    const Pyramid pyramid(0, 1'000'000, count);
    EXPECT_LE(pyramid.lowest().size(), count / kSlicesPerBin + 1) << count;
    EXPECT_GE(pyramid.lowest().size(), count / kSlicesPerBin / 2) << count;
  }
}

TEST(Pyramid, TimeIsSharedOutExactly) {
  Pyramid pyramid(100, 100 + 128 * 64, 2'048);  // bins of 64 or 128 ns
  const std::uint64_t width = std::uint64_t{1} << pyramid.exponent();
  pyramid.add(100, width / 2, 1);
  pyramid.add(static_cast<std::int64_t>(100 + width / 2), width, 2);      // half in each
  pyramid.add(static_cast<std::int64_t>(100 + 3 * width), 2 * width, 3);  // two whole ones
  pyramid.add(static_cast<std::int64_t>(100 + 6 * width), 0, 4);          // a moment
  const auto& bins = pyramid.lowest();
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
