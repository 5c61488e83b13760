#include "tracedeck/model/integer_ranges.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace tracedeck {
namespace {

constexpr Int128 kMostBound = ~(Int128{1} << 127);
constexpr Integer kTop(~Uint128{0}, false);
constexpr Integer kMiddle(Uint128{1} << 127, false);

const std::vector<IntegerRange>& samples() {
  static const std::vector<IntegerRange> kSamples = {
      {0, 0},
      {-5, 7},
      {INT64_MIN, INT64_MIN},
      {INT64_MAX, Int128{INT64_MAX} + UINT32_MAX},  // the greatest that lies in place
      {0, Int128{UINT32_MAX} + 1},
      {Int128{INT64_MAX} + 1, Int128{INT64_MAX} + 1},
      {kMostBound, kMostBound},
      {-kMostBound, kMostBound},
      {kTop, kTop},
      {kMiddle, kTop},
      {-1, kMiddle},
      {-1, -1},  // the bits of the top
      {5, 3},    // upside down
  };
  return kSamples;
}

std::vector<IntegerRange> listed(const IntegerRanges& ranges) {
  return {ranges.begin(), ranges.end()};
}

TEST(IntegerRanges, TakeSixteenBytes) { EXPECT_EQ(sizeof(IntegerRanges), 16U); }

TEST(IntegerRanges, HoldEachRange) {
  for (const IntegerRange& range : samples()) {
    const IntegerRanges ranges = {range};
    EXPECT_EQ(ranges.size(), 1U);
    EXPECT_FALSE(ranges.empty());
    EXPECT_TRUE(ranges.front() == range);
    EXPECT_TRUE(listed(ranges) == std::vector{range});
  }
}

TEST(IntegerRanges, HoldManyInOrder) {
  IntegerRanges ranges;
  EXPECT_TRUE(ranges.empty());
  for (const IntegerRange& range : samples()) ranges.push_back(range);
  EXPECT_TRUE(listed(ranges) == samples());
  IntegerRanges twice = ranges;
  twice.append(ranges);
  EXPECT_EQ(twice.size(), 2 * samples().size());
  EXPECT_TRUE(twice[samples().size()] == samples().front());
}

TEST(IntegerRanges, AreCopiedMovedAndCompared) {
  const std::vector<IntegerRanges> all = {{}, {{1, 2}}, {{1, 2}, {3, 4}}};
  for (const IntegerRanges& from : all) {
    for (const IntegerRanges& to : all) {
      IntegerRanges a = from;
      IntegerRanges b = to;
      EXPECT_EQ(a == b, &from == &to);
      b = a;
      EXPECT_TRUE(b == from);
      b = to;
      b = std::move(a);
      EXPECT_TRUE(b == from);
    }
  }
}

TEST(IntegerRanges, ContainWhatTheirBoundsSay) {
  const std::vector<Integer> values = {-kMostBound, INT64_MIN, -6,         -5,      -1,  0, 3, 4, 5,
                                       7,           INT64_MAX, kMostBound, kMiddle, kTop};
  IntegerRanges all;
  const auto within = [](const IntegerRange& range, const Integer& value) {
    return range.lower <= value && value <= range.upper;
  };
  for (const IntegerRange& range : samples()) {
    all.push_back(range);
    for (const Integer& value : values) {
      EXPECT_EQ(IntegerRanges{range}.contains(value), within(range, value));
      EXPECT_EQ(all.contains(value), std::ranges::any_of(listed(all), [&](const auto& each) {
                  return within(each, value);
                }));
    }
  }
  EXPECT_FALSE(IntegerRanges().contains(0));
}

TEST(IntegerRanges, AreFoundByAlgorithms) {
  const IntegerRanges ranges = {{1, 2}, {5, 9}};
  EXPECT_TRUE(
      std::ranges::any_of(ranges, [](const IntegerRange& each) { return each.upper == 9; }));
  EXPECT_EQ(std::ranges::distance(ranges), 2);
}

}  // namespace
}  // namespace tracedeck
