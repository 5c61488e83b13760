#include "tracedeck/timeline/chance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace tracedeck::timeline {
namespace {

std::vector<ChanceBlock> alike(std::size_t count, double hits, double size) {
  return std::vector<ChanceBlock>(count, ChanceBlock{.hits = hits, .size = size});
}

// Values of a trace in the order in which they came.
struct Made {
  double typical = 1;      // their scale
  double correlation = 0;  // of the logarithm of one with that of the one before
};

// How many pairs of traces are compared. Sanitizers take as long for some as others for all, and
// look at each alike.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TRACEDECK_FEW_PAIRS
#endif
#endif
#ifdef TRACEDECK_FEW_PAIRS
constexpr int kTracePairs = 20;
#else
constexpr int kTracePairs = 200;
#endif

class Chance : public testing::Test {
 protected:
  std::vector<double> values(std::size_t count, const Made& made) {
    std::normal_distribution<double> normal;
    std::vector<double> list;
    double level = normal(random_);
    for (std::size_t i = 0; i < count; ++i) {
      list.push_back(made.typical * std::exp(level));
      level = made.correlation * level +
              std::sqrt(1 - made.correlation * made.correlation) * normal(random_);
    }
    return list;
  }

  std::vector<ChanceBlock> blocks(const std::vector<double>& values, double threshold) const {
    std::vector<ChanceBlock> list(kBlocks);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t place = is_mixed_ ? i % kBlocks : i * kBlocks / values.size();
      ChanceBlock& block = list[place];
      ++block.size;
      if (values[i] > threshold) ++block.hits;
    }
    return list;
  }

  // Of the quantile `part` of both.
  std::optional<double> chance(const std::vector<double>& a, const std::vector<double>& b,
                               double part) const {
    std::vector<double> both = a;
    both.insert(both.end(), b.begin(), b.end());
    std::ranges::sort(both);
    const auto rank = static_cast<std::size_t>(part * static_cast<double>(both.size()));
    const double threshold = both[std::min(rank, both.size() - 1)];
    const auto blocks_a = blocks(a, threshold);
    const auto blocks_b = blocks(b, threshold);
    return chance_of_shares({.blocks = blocks_a}, {.blocks = blocks_b});
  }

  // How many of so many pairs of traces are called different.
  int called(std::size_t count_a, const Made& a, std::size_t count_b, const Made& b, double part) {
    int many = 0;
    for (int i = 0; i < kTracePairs; ++i) {
      const auto found = chance(values(count_a, a), values(count_b, b), part);
      if (found && *found <= kChanceLevel) ++many;
    }
    return many;
  }

  static constexpr std::size_t kBlocks = 48;
  bool is_mixed_ = false;
  std::mt19937_64 random_{20};
};

// Three standard deviations above one of a hundred, and what is hardly ever missed.
constexpr int kMostFalse = kTracePairs == 200 ? 6 : 1;
constexpr int kNearlyAll = kTracePairs * 95 / 100;

TEST_F(Chance, WhatIsAlikeIsCalledDifferentAsOftenAsPromised) {
  for (const double part : {0.5, 0.99}) {
    for (const auto& [a, b] :
         {std::pair<std::size_t, std::size_t>{2000, 2000}, {3000, 400}, {100, 100}, {30, 2000}}) {
      EXPECT_LE(called(a, {}, b, {}, part), kMostFalse) << a << " and " << b << ", " << part;
    }
  }
}

TEST_F(Chance, BurstsAreNoDifference) {
  for (const double correlation : {0.5, 0.9, 0.97}) {
    const Made bursts{.correlation = correlation};
    EXPECT_LE(called(4000, bursts, 4000, bursts, 0.5), kMostFalse) << correlation;
    EXPECT_LE(called(4000, bursts, 2000, bursts, 0.99), kMostFalse) << correlation;
  }
  // They are where values count as independent: each block is of the whole trace.
  is_mixed_ = true;
  EXPECT_GE(called(4000, {.correlation = 0.9}, 4000, {.correlation = 0.9}, 0.5), kTracePairs / 4);
}

TEST_F(Chance, ShiftsAreFound) {
  EXPECT_GE(called(2000, {}, 2000, {.typical = 1.25}, 0.5), kNearlyAll);
  EXPECT_GE(called(8000, {}, 8000, {.typical = 1.4}, 0.99), kNearlyAll);
  EXPECT_GE(called(20, {}, 20, {.typical = 20}, 0.5), kNearlyAll);
  const Made bursts{.correlation = 0.9};
  EXPECT_GE(called(8000, bursts, 8000, {.typical = 2, .correlation = 0.9}, 0.5), kNearlyAll);
}

TEST_F(Chance, OfRates) {
  const auto even = alike(20, 100, 1);
  const auto more = alike(20, 120, 1);
  EXPECT_GT(*chance_of_rates({.blocks = even}, {.blocks = even}), 0.99);
  EXPECT_LT(*chance_of_rates({.blocks = even}, {.blocks = more}), 1e-4);
  // The same sums, all in bursts.
  std::vector<ChanceBlock> bursts = alike(20, 0, 1);
  for (std::size_t i = 0; i < bursts.size(); i += 5) bursts[i].hits = 600;
  EXPECT_GT(*chance_of_rates({.blocks = even}, {.blocks = bursts}), 0.2);
}

TEST_F(Chance, RatesOfWhatIsAlike) {
  int independent = 0;
  int in_bursts = 0;
  for (int i = 0; i < kTracePairs; ++i) {
    const auto count = [&](double length, int burst) {
      std::vector<ChanceBlock> list;
      for (int j = 0; j < 24; ++j) {
        std::poisson_distribution<int> many(30 * length / burst);
        list.push_back({.hits = static_cast<double>(many(random_) * burst), .size = length});
      }
      return list;
    };
    const auto is_called = [](const std::vector<ChanceBlock>& a,
                              const std::vector<ChanceBlock>& b) {
      const auto found = chance_of_rates({.blocks = a}, {.blocks = b});
      return found && *found <= kChanceLevel;
    };
    independent += is_called(count(1, 1), count(3, 1)) ? 1 : 0;
    in_bursts += is_called(count(1, 6), count(3, 6)) ? 1 : 0;
  }
  EXPECT_LE(independent, kMostFalse);
  EXPECT_LE(in_bursts, kMostFalse);
}

// 1 of 20 and 9 of 20: 2 * (C(10,9) C(30,11) + C(10,10) C(30,10)) / C(40,20), and more where blocks
// vary and are few.
TEST_F(Chance, IsThatOfAnExactTestAtLeast) {
  std::vector<ChanceBlock> a = alike(20, 0, 1);
  a.front().hits = 1;
  std::vector<ChanceBlock> b = alike(20, 0, 1);
  for (std::size_t i = 0; i < 9; ++i) b[2 * i + i % 2].hits = 1;
  const double exact = 2 * (10 * 54627300.0 + 30045015.0) / 137846528820.0;
  const double found = *chance_of_shares({.blocks = a}, {.blocks = b});
  EXPECT_GE(found, exact);
  EXPECT_LE(found, 3 * exact);
  // Both ways alike, whichever side is first.
  EXPECT_DOUBLE_EQ(found, *chance_of_shares({.blocks = b}, {.blocks = a}));
}

TEST_F(Chance, AssumptionsCount) {
  const auto few = alike(20, 10, 100);
  const auto many = alike(20, 20, 100);
  EXPECT_LT(*chance_of_shares({.blocks = few}, {.blocks = many}), 1e-6);
  EXPECT_GT(*chance_of_shares({.blocks = few, .more_hits = 180}, {.blocks = many}), kChanceLevel);
  EXPECT_GT(*chance_of_shares({.blocks = few}, {.blocks = many, .more_misses = 1500}),
            kChanceLevel);
}

TEST_F(Chance, TooLittleIsKnown) {
  const auto some = alike(20, 10, 20);
  EXPECT_FALSE(chance_of_shares({.blocks = some}, {}));
  EXPECT_FALSE(chance_of_shares({.blocks = some}, {.blocks = alike(1, 10, 400)}));
  // Nothing above the threshold, and three values.
  EXPECT_FALSE(chance_of_shares({.blocks = alike(20, 0, 20)}, {.blocks = alike(20, 0, 20)}));
  EXPECT_FALSE(chance_of_shares({.blocks = alike(3, 1, 1)}, {.blocks = alike(3, 0, 1)}));
  EXPECT_FALSE(chance_of_rates({.blocks = alike(20, 0.1, 1)}, {.blocks = alike(20, 0.1, 1)}));
}

TEST_F(Chance, VerySmallChances) {
  const auto none = alike(24, 0, 1e6);
  const auto all = alike(24, 1e6, 1e6);
  const double found = *chance_of_shares({.blocks = none}, {.blocks = all});
  EXPECT_GE(found, 0);
  EXPECT_LT(found, 1e-30);
}

}  // namespace
}  // namespace tracedeck::timeline
