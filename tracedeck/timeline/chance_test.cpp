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
struct MadeValues {
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

class ChanceTest : public testing::Test {
 protected:
  std::vector<double> values(std::size_t count, const MadeValues& made) {
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

  // Sums of what `of` gives for each value.
  template <class Of>
  std::vector<ChanceBlock> blocks(const std::vector<double>& values, const Of& of) const {
    std::vector<ChanceBlock> list(kBlocks);
    for (std::size_t i = 0; i < values.size(); ++i) {
      ChanceBlock& block = list[i * kBlocks / values.size()];
      ++block.size;
      block.hits += of(values[i]);
    }
    return list;
  }
  static auto rank_in(std::vector<double> all) {
    std::ranges::sort(all);
    return [all = std::move(all)](double value) {
      const auto below = std::ranges::lower_bound(all, value) - all.begin();
      return (static_cast<double>(below) + 0.5) / static_cast<double>(all.size());
    };
  }
  Dependence dependence(const std::vector<double>& a, const std::vector<double>& b) const {
    return dependence_of(blocks(a, rank_in(a)), kOfRank, blocks(b, rank_in(b)), kOfRank);
  }

  // Of the quantile `part` of both. 1 where they are too dependent.
  std::optional<double> chance(const std::vector<double>& a, const std::vector<double>& b,
                               double part) const {
    std::vector<double> both = a;
    both.insert(both.end(), b.begin(), b.end());
    std::ranges::sort(both);
    const auto rank = static_cast<std::size_t>(part * static_cast<double>(both.size()));
    const double threshold = both[std::min(rank, both.size() - 1)];
    const auto is_above = [&](double value) { return value > threshold ? 1 : 0; };
    const auto blocks_a = blocks(a, is_above);
    const auto blocks_b = blocks(b, is_above);
    return value_of(chance_of_shares({.blocks = blocks_a}, {.blocks = blocks_b}, dependence(a, b)));
  }
  static std::optional<double> value_of(const std::optional<Chance>& chance) {
    if (!chance) return std::nullopt;
    return chance->is_dependent ? 1 : chance->value;
  }
  static constexpr double kOfRank = 1.0 / 12;  // the variance of what is even from 0 to 1

  // How many of so many pairs of traces are called different.
  int called(std::size_t count_a, const MadeValues& a, std::size_t count_b, const MadeValues& b,
             double part) {
    int many = 0;
    for (int i = 0; i < kTracePairs; ++i) {
      const auto found = chance(values(count_a, a), values(count_b, b), part);
      if (found && *found <= kChanceLevel) ++many;
    }
    return many;
  }

  static constexpr std::size_t kBlocks = 48;
  std::mt19937_64 random_{20};
};

// Three standard deviations above one of a hundred, and what is hardly ever missed.
constexpr int kMostFalse = kTracePairs == 200 ? 6 : 1;
constexpr int kNearlyAll = kTracePairs == 200 ? 190 : 17;

TEST_F(ChanceTest, WhatIsAlikeIsCalledDifferentAsOftenAsPromised) {
  for (const double part : {0.5, 0.99}) {
    for (const auto& [a, b] :
         {std::pair<std::size_t, std::size_t>{2000, 2000}, {3000, 400}, {100, 100}, {50, 2000}}) {
      EXPECT_LE(called(a, {}, b, {}, part), kMostFalse) << a << " and " << b << ", " << part;
    }
  }
}

TEST_F(ChanceTest, BurstsAreNoDifference) {
  for (const double correlation : {0.5, 0.9, 0.97}) {
    const MadeValues bursts{.correlation = correlation};
    EXPECT_LE(called(4000, bursts, 4000, bursts, 0.5), kMostFalse) << correlation;
    EXPECT_LE(called(4000, bursts, 2000, bursts, 0.99), kMostFalse) << correlation;
  }
}

TEST_F(ChanceTest, ShiftsAreFound) {
  EXPECT_GE(called(2000, {}, 2000, {.typical = 1.25}, 0.5), kNearlyAll);
  EXPECT_GE(called(8000, {}, 8000, {.typical = 1.4}, 0.99), kNearlyAll);
  const MadeValues bursts{.correlation = 0.9};
  EXPECT_GE(called(8000, bursts, 8000, {.typical = 2, .correlation = 0.9}, 0.5), kNearlyAll);
}

// What lasts for half of a trace leaves two of it in each: nothing is known.
TEST_F(ChanceTest, WhatLastsLongIsNoDifference) {
  const auto slow = [&] { return values(2000, {.correlation = 0.999}); };
  int dependent = 0;
  for (int i = 0; i < kTracePairs; ++i) {
    const auto a = slow();
    const auto b = slow();
    const auto ranks_a = blocks(a, rank_in(a));
    const auto ranks_b = blocks(b, rank_in(b));
    const auto found =
        chance_of_ranks({.blocks = ranks_a}, {.blocks = ranks_b}, kOfRank, dependence(a, b));
    dependent += found && found->is_dependent ? 1 : 0;
  }
  EXPECT_EQ(dependent, kTracePairs);
}

// Ranks find twice as small a difference as shares above a bound.
TEST_F(ChanceTest, OfRanks) {
  const auto called_by_ranks = [&](double typical) {
    int many = 0;
    for (int i = 0; i < kTracePairs; ++i) {
      const auto a = values(1000, {});
      const auto b = values(1000, {.typical = typical});
      std::vector<double> both = a;
      both.insert(both.end(), b.begin(), b.end());
      const auto rank = rank_in(both);
      const auto ranks_a = blocks(a, rank);
      const auto ranks_b = blocks(b, rank);
      const auto found = value_of(
          chance_of_ranks({.blocks = ranks_a}, {.blocks = ranks_b}, kOfRank, dependence(a, b)));
      many += found && *found <= kChanceLevel ? 1 : 0;
    }
    return many;
  };
  EXPECT_LE(called_by_ranks(1), kMostFalse);
  EXPECT_GE(called_by_ranks(1.3), kNearlyAll);
}

TEST_F(ChanceTest, OfRates) {
  const auto even = alike(30, 100, 1);
  const auto more = alike(30, 120, 1);
  EXPECT_GT(*value_of(chance_of_rates({.blocks = even}, {.blocks = even})), 0.99);
  EXPECT_LT(*value_of(chance_of_rates({.blocks = even}, {.blocks = more})), 1e-4);
  // The same sums, all in bursts.
  std::vector<ChanceBlock> bursts = alike(30, 0, 1);
  for (std::size_t i = 0; i < bursts.size(); i += 5) bursts[i].hits = 600;
  EXPECT_GT(*value_of(chance_of_rates({.blocks = even}, {.blocks = bursts})), 0.2);
}

TEST_F(ChanceTest, RatesOfWhatIsAlike) {
  int independent = 0;
  int in_bursts = 0;
  for (int i = 0; i < kTracePairs; ++i) {
    const auto count = [&](double length, int burst) {
      std::vector<ChanceBlock> list;
      for (int j = 0; j < 36; ++j) {
        std::poisson_distribution<int> many(30 * length / burst);
        list.push_back({.hits = static_cast<double>(many(random_) * burst), .size = length});
      }
      return list;
    };
    const auto is_called = [](const std::vector<ChanceBlock>& a,
                              const std::vector<ChanceBlock>& b) {
      const auto found = value_of(chance_of_rates({.blocks = a}, {.blocks = b}));
      return found && *found <= kChanceLevel;
    };
    independent += is_called(count(1, 1), count(3, 1)) ? 1 : 0;
    in_bursts += is_called(count(1, 6), count(3, 6)) ? 1 : 0;
  }
  EXPECT_LE(independent, kMostFalse);
  EXPECT_LE(in_bursts, kMostFalse);
}

// 1 of 60 and 9 of 60: 2 * (C(60,9) C(60,1) + C(60,10)) / C(120,10), and more where blocks vary.
TEST_F(ChanceTest, IsThatOfAnExactTestAtLeast) {
  std::vector<ChanceBlock> a = alike(60, 0, 1);
  a[30].hits = 1;
  std::vector<ChanceBlock> b = alike(60, 0, 1);
  for (std::size_t i = 0; i < 9; ++i) b[6 * i + i % 2].hits = 1;
  const double exact = 2 * (14783142660.0 * 60 + 75394027566.0) / 116068178638776.0;
  const double found = *value_of(chance_of_shares({.blocks = a}, {.blocks = b}, {}));
  EXPECT_GE(found, exact);
  EXPECT_LE(found, 5 * exact);
  // Both ways alike, whichever side is first.
  EXPECT_DOUBLE_EQ(found, *value_of(chance_of_shares({.blocks = b}, {.blocks = a}, {})));
}

TEST_F(ChanceTest, AssumptionsCount) {
  const auto few = alike(30, 10, 100);
  const auto many = alike(30, 20, 100);
  const auto value = [&](const ChanceSide& a, const ChanceSide& b) {
    return *value_of(chance_of_shares(a, b, {}));
  };
  EXPECT_LT(value({.blocks = few}, {.blocks = many}), 1e-6);
  EXPECT_GT(value({.blocks = few, .more_hits = 270}, {.blocks = many}), kChanceLevel);
  EXPECT_GT(value({.blocks = few}, {.blocks = many, .more_misses = 2250}), kChanceLevel);
}

TEST_F(ChanceTest, TooLittleIsKnown) {
  const auto some = alike(30, 10, 20);
  EXPECT_TRUE(chance_of_shares({.blocks = some}, {.blocks = some}, {}));
  EXPECT_FALSE(chance_of_shares({.blocks = some}, {}, {}));
  EXPECT_FALSE(chance_of_shares({.blocks = some}, {.blocks = alike(20, 10, 400)}, {}));
  EXPECT_FALSE(chance_of_shares({.blocks = some}, {.blocks = alike(39, 0.5, 1)}, {}));
  // Nothing above the threshold.
  EXPECT_FALSE(chance_of_shares({.blocks = alike(30, 0, 20)}, {.blocks = alike(30, 0, 20)}, {}));
  EXPECT_FALSE(chance_of_rates({.blocks = alike(30, 0.1, 1)}, {.blocks = alike(30, 0.1, 1)}));
}

TEST_F(ChanceTest, VerySmallChances) {
  const auto none = alike(30, 0, 1e6);
  const auto all = alike(30, 1e6, 1e6);
  const double found = *value_of(chance_of_shares({.blocks = none}, {.blocks = all}, {}));
  EXPECT_GE(found, 0);
  EXPECT_LT(found, 1e-30);
}

}  // namespace
}  // namespace tracedeck::timeline
