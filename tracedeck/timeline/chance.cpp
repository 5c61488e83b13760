#include "tracedeck/timeline/chance.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

namespace tracedeck::timeline {
namespace {

double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

// The logarithm of first * (1 + r(0) + r(0) r(1) + ...), of at most `terms` terms.
template <class Ratio>
double log_sum(double log_first, double terms, const Ratio& ratio) {
  constexpr double kNegligible = 1e-17;
  double sum = 1;
  double term = 1;
  for (double i = 0; i + 1 < terms; ++i) {
    term *= ratio(i);
    sum += term;
    if (term < sum * kNegligible) break;
  }
  return log_first + std::log(sum);
}

// Logarithms of probabilities that the first of two sides has so many hits or more extremely many,
// both ways.
double two_sided(double log_tail) { return std::min(0.0, log_tail + std::numbers::ln2); }

// Of `hits` among `n + m` values, x are among the n.
double log_hypergeometric(double x, double n, double m, double hits) {
  if (x * (n + m) < hits * n) {
    x = hits - x;
    std::swap(n, m);
  }
  const double log_first =
      log_choose(hits, x) + log_choose(n + m - hits, n - x) - log_choose(n + m, n);
  return two_sided(log_sum(log_first, std::min(hits, n) - x + 1, [&](double i) {
    const double at = x + i;
    return (hits - at) * (n - at) / ((at + 1) * (m - hits + at + 1));
  }));
}

// Of `hits`, each of which is of the first side with probability `part`, x are.
double log_binomial(double x, double hits, double part) {
  if (x < hits * part) {
    x = hits - x;
    part = 1 - part;
  }
  const double log_first =
      log_choose(hits, x) + x * std::log(part) + (hits - x) * std::log1p(-part);
  return two_sided(log_sum(log_first, hits - x + 1, [&](double i) {
    return (hits - x - i) / (x + i + 1) * part / (1 - part);
  }));
}

// How many standard deviations a normal variable is off with that probability.
double normal_deviations(double log_probability) {
  const auto log_tail = [](double z) {
    constexpr double kFar = 25;  // where erfc has few digits left
    if (z < kFar) return std::log(std::erfc(z / std::numbers::sqrt2));
    return std::log(std::sqrt(2 / std::numbers::pi) / z) - z * z / 2 + std::log1p(-1 / (z * z));
  };
  double low = 0;
  double high = std::sqrt(-2 * log_probability) + 1;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (log_tail(middle) > log_probability ? low : high) = middle;
  }
  return low;
}

// The regularised incomplete beta function of x, (a, b), by its continued fraction (DLMF 8.17.22),
// which converges fast for x < (a + 1) / (a + b + 2).
double incomplete_beta(double x, double a, double b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incomplete_beta(1 - x, b, a);
  constexpr int kTerms = 400;
  double fraction = 0;
  for (int i = kTerms; i > 0; --i) {
    const int half = i / 2;
    const double m = half;
    const double part = i % 2 == 0 ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                                   : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    fraction = part / (1 + fraction);
  }
  const double log_factor = a * std::log(x) + b * std::log1p(-x) + std::lgamma(a + b) -
                            std::lgamma(a) - std::lgamma(b) - std::log(a);
  return std::exp(log_factor) / (1 + fraction);
}

// How probable it is that Student's t with that many degrees of freedom is so far off, both ways.
double student(double t, double freedom) {
  return incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

struct Sums {
  double hits = 0;
  double size = 0;
  double squares = 0;  // of sizes
  double blocks = 0;   // with a size

  explicit Sums(std::span<const ChanceBlock> list) {
    for (const ChanceBlock& block : list) {
      if (block.size == 0) continue;
      hits += block.hits;
      size += block.size;
      squares += block.size * block.size;
      ++blocks;
    }
  }
  [[nodiscard]] double ratio() const { return hits / size; }
  // As many blocks of one size would vary so little; 1 where one block has everything.
  [[nodiscard]] double equal_blocks() const { return size * size / squares; }
};

// The variance of hits / size, by leaving out one block after the other.
double jackknife(std::span<const ChanceBlock> list, const Sums& all) {
  double sum = 0;
  for (const ChanceBlock& block : list) {
    if (block.size == 0) continue;
    const double shift = (block.hits - block.size * all.ratio()) / (all.size - block.size);
    sum += shift * shift;
  }
  return sum * (all.blocks - 1) / all.blocks;
}

// Two neighbouring blocks as one.
std::vector<ChanceBlock> in_pairs(std::span<const ChanceBlock> list) {
  std::vector<ChanceBlock> pairs;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i % 2 == 0) pairs.emplace_back();
    pairs.back().hits += list[i].hits;
    pairs.back().size += list[i].size;
  }
  return pairs;
}

struct Variance {
  double value;
  double freedom;
};

// Of hits / size: the greatest of what it were if the values were independent, of what the blocks
// say, and of what longer blocks say, which they do where one depends on the one before.
Variance variance_of(std::span<const ChanceBlock> blocks, const Sums& all, double independent) {
  constexpr std::size_t kLeastBlocks = 8;
  Variance greatest{independent, all.equal_blocks() - 1};
  std::vector<ChanceBlock> list(blocks.begin(), blocks.end());
  std::erase_if(list, [](const ChanceBlock& block) { return block.size == 0; });
  for (;;) {
    const Sums sums(list);
    const double value = jackknife(list, sums);
    if (value > greatest.value) greatest = {value, sums.equal_blocks() - 1};
    if (list.size() < 2 * kLeastBlocks) return greatest;
    list = in_pairs(list);
  }
}

// The probability where the blocks vary as they do. `independent`: the variance that values of both
// together have for each of their size.
double with_blocks(double log_probability, double independent, const ChanceSide& a,
                   const Sums& all_a, const ChanceSide& b, const Sums& all_b) {
  const Variance of_a = variance_of(a.blocks, all_a, independent / all_a.size);
  const Variance of_b = variance_of(b.blocks, all_b, independent / all_b.size);
  const double both = of_a.value + of_b.value;
  if (both == 0) return std::exp(log_probability);
  const double more = both / (independent / all_a.size + independent / all_b.size);
  // Welch's degrees of freedom.
  const double freedom =
      both * both /
      (of_a.value * of_a.value / of_a.freedom + of_b.value * of_b.value / of_b.freedom);
  return student(normal_deviations(log_probability) / std::sqrt(more), freedom);
}

bool too_few_blocks(const Sums& all) {
  constexpr double kRounding = 1e-9;
  return all.blocks < 2 || all.equal_blocks() < 1 + kRounding;
}

}  // namespace

std::optional<double> chance_of_shares(const ChanceSide& a, const ChanceSide& b) {
  const Sums all_a(a.blocks);
  const Sums all_b(b.blocks);
  if (too_few_blocks(all_a) || too_few_blocks(all_b)) return std::nullopt;
  const double size_a = all_a.size + a.more_hits + a.more_misses;
  const double size_b = all_b.size + b.more_hits + b.more_misses;
  const double hits_a = all_a.hits + a.more_hits;
  const double hits = hits_a + all_b.hits + b.more_hits;
  const double least =
      std::min(log_hypergeometric(std::min(hits, size_a), size_a, size_b, hits),
               log_hypergeometric(std::max(0.0, hits - size_b), size_a, size_b, hits));
  if (least > std::log(kChanceLevel)) return std::nullopt;
  const double share = hits / (size_a + size_b);
  return with_blocks(log_hypergeometric(hits_a, size_a, size_b, hits), share * (1 - share), a,
                     all_a, b, all_b);
}

std::optional<double> chance_of_rates(const ChanceSide& a, const ChanceSide& b) {
  const Sums all_a(a.blocks);
  const Sums all_b(b.blocks);
  if (too_few_blocks(all_a) || too_few_blocks(all_b)) return std::nullopt;
  const double hits = all_a.hits + all_b.hits;
  const double part = all_a.size / (all_a.size + all_b.size);
  const double least = std::min(log_binomial(0, hits, part), log_binomial(hits, hits, part));
  if (least > std::log(kChanceLevel)) return std::nullopt;
  const double rate = hits / (all_a.size + all_b.size);
  return with_blocks(log_binomial(all_a.hits, hits, part), rate, a, all_a, b, all_b);
}

}  // namespace tracedeck::timeline
