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

// The logarithm of how probable it is that a normal variable is so many deviations off, both ways.
double log_normal_tail(double z) {
  constexpr double kFar = 25;  // where erfc has few digits left
  if (z < kFar) return std::log(std::erfc(z / std::numbers::sqrt2));
  return std::log(std::sqrt(2 / std::numbers::pi) / z) - z * z / 2 + std::log1p(-1 / (z * z));
}

// How many standard deviations a normal variable is off with that probability.
double normal_deviations(double log_probability) {
  double low = 0;
  double high = std::sqrt(-2 * log_probability) + 1;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (log_normal_tail(middle) > log_probability ? low : high) = middle;
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
  double hit_squares = 0;
  double blocks = 0;  // with a size

  explicit Sums(std::span<const ChanceBlock> list) {
    for (const ChanceBlock& block : list) {
      if (block.size == 0) continue;
      hits += block.hits;
      size += block.size;
      squares += block.size * block.size;
      hit_squares += block.hits * block.hits;
      ++blocks;
    }
  }
  [[nodiscard]] double ratio() const { return hits / size; }
  // As many blocks of one size would vary so little; 1 where one block has everything.
  [[nodiscard]] double equal_blocks() const { return size * size / squares; }
  // Of what blocks say of hits: less where a few of them have all.
  [[nodiscard]] double freedom() const {
    const double blocks_hit = hits > 0 ? hits * hits / hit_squares : equal_blocks();
    return std::max(1.0, std::min(equal_blocks(), blocks_hit) - 1);
  }
};

// How far what was counted in each block is from what its size lets expect. Empty blocks are left
// out.
std::vector<double> residuals(std::span<const ChanceBlock> list, const Sums& all) {
  std::vector<double> values;
  for (const ChanceBlock& block : list) {
    if (block.size > 0) values.push_back(block.hits - block.size * all.ratio());
  }
  return values;
}

double sum_of_squares(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum;
}

// The variance of hits / size that blocks say which do not depend on each other.
double block_variance(const std::vector<double>& residuals, const Sums& all) {
  return sum_of_squares(residuals) * all.blocks / (all.blocks - 1) / (all.size * all.size);
}

// Products of residuals less than `reach` blocks apart, the near ones weighing more; in units of
// the sum of squares, for each block. And how much they would vary if signs were random.
struct Neighbours {
  double sum = 0;
  double variance = 0;
  double blocks = 0;

  Neighbours(const std::vector<double>& residuals, std::size_t reach) {
    const double squares = sum_of_squares(residuals);
    if (squares <= 0) return;
    blocks = static_cast<double>(residuals.size());
    for (std::size_t apart = 1; apart < std::min(reach, residuals.size()); ++apart) {
      const double weight = 1 - static_cast<double>(apart) / static_cast<double>(reach);
      double products = 0;
      double varying = 0;
      for (std::size_t i = 0; i + apart < residuals.size(); ++i) {
        const double product = residuals[i] * residuals[i + apart];
        products += product;
        varying += product * product;
      }
      // Residuals add up to 0, which makes neighbours differ a little.
      products += squares * (blocks - static_cast<double>(apart)) / (blocks * blocks);
      sum += weight * products;
      variance += weight * weight * varying;
    }
    sum *= blocks / squares;
    variance *= (blocks / squares) * (blocks / squares);
  }
  [[nodiscard]] double deviations() const { return variance > 0 ? sum / std::sqrt(variance) : 0; }
};

// Blocks of two traces that are alike depend on each other alike, so both tell it together.
void look_at_neighbours(const std::vector<double>& a, const std::vector<double>& b,
                        Dependence& found) {
  constexpr double kOneSide = 1.2;  // how much more evidence one trace alone has to give
  constexpr std::size_t kFarthestCorrected = 8;
  for (const std::size_t reach : {2U, 4U, 8U, 16U, 24U}) {
    const Neighbours of_a(a, reach);
    const Neighbours of_b(b, reach);
    const double variance = of_a.variance + of_b.variance;
    if (variance <= 0) continue;
    const double sum = of_a.sum + of_b.sum;
    found.evidence = std::max({found.evidence, sum / std::sqrt(variance),
                               of_a.deviations() - kOneSide, of_b.deviations() - kOneSide});
    if (reach <= kFarthestCorrected)
      found.more = std::max(found.more, 1 + 2 * sum / (of_a.blocks + of_b.blocks));
  }
}

constexpr double kSomeValues = 300;

// In how many standard deviations of evidence blocks depend on each other. Few values cannot tell
// that they do not, so what looks like it is enough.
double most_evidence(double values) {
  constexpr double kMany = 1000;
  constexpr double kOfMany = 2.6;
  constexpr double kOfSome = 2.1;
  if (values >= kMany) return kOfMany;
  if (values >= kSomeValues)
    return kOfMany - (kOfMany - kOfSome) * std::log(kMany / values) / std::log(kMany / kSomeValues);
  return kOfSome * (values - kFewestValues) / (kSomeValues - kFewestValues);
}

struct Variance {
  double value;
  double freedom;
};

// Of hits / size: what it were if values were independent, or as much more as blocks say that it
// is.
Variance variance_of(const std::vector<double>& residuals, const Sums& all, double independent,
                     double block_ratio, double more) {
  const double of_blocks = block_variance(residuals, all);
  const double of_values = independent * block_ratio;
  return of_blocks > of_values ? Variance{of_blocks * more, all.freedom()}
                               : Variance{of_values * more, all.equal_blocks() - 1};
}

// The probability where the blocks vary as they do. `independent`: the variance that values of both
// together have for each of their size. `values`: of the side that has fewer.
Chance with_blocks(double log_probability, double independent, const ChanceSide& a,
                   const Sums& all_a, const ChanceSide& b, const Sums& all_b,
                   const Dependence& dependence, double values) {
  constexpr double kOfFigure = 0.9;  // how much more evidence the figure's own blocks have to give
  const std::vector<double> of_a = residuals(a.blocks, all_a);
  const std::vector<double> of_b = residuals(b.blocks, all_b);
  Dependence own;
  look_at_neighbours(of_a, of_b, own);
  const double most = most_evidence(values);
  if (dependence.evidence > most || own.evidence > most + kOfFigure) return {.is_dependent = true};
  const Variance variance_a =
      variance_of(of_a, all_a, independent / all_a.size, dependence.ratio_a, dependence.more);
  const Variance variance_b =
      variance_of(of_b, all_b, independent / all_b.size, dependence.ratio_b, dependence.more);
  const double both = variance_a.value + variance_b.value;
  if (both == 0) return {.value = std::exp(log_probability)};
  const double more = both / (independent / all_a.size + independent / all_b.size);
  // Welch's degrees of freedom.
  const double freedom = both * both /
                         (variance_a.value * variance_a.value / variance_a.freedom +
                          variance_b.value * variance_b.value / variance_b.freedom);
  return {.value = student(normal_deviations(log_probability) / std::sqrt(more), freedom)};
}

bool too_few_blocks(const Sums& all) {
  constexpr double kFewest = 24;
  constexpr double kRounding = 1e-9;
  return all.blocks < kFewest || all.equal_blocks() < 1 + kRounding;
}

}  // namespace

Dependence dependence_of(std::span<const ChanceBlock> a, double variance_a,
                         std::span<const ChanceBlock> b, double variance_b) {
  Dependence found;
  const Sums all_a(a);
  const Sums all_b(b);
  const std::vector<double> of_a = residuals(a, all_a);
  const std::vector<double> of_b = residuals(b, all_b);
  look_at_neighbours(of_a, of_b, found);
  const auto ratio = [](const std::vector<double>& of, const Sums& all, double variance) {
    if (variance <= 0 || all.blocks < 2) return 1.0;
    return std::max(1.0, block_variance(of, all) / (variance / all.size));
  };
  found.ratio_a = ratio(of_a, all_a, variance_a);
  found.ratio_b = ratio(of_b, all_b, variance_b);
  return found;
}

std::optional<Chance> chance_of_shares(const ChanceSide& a, const ChanceSide& b,
                                       const Dependence& dependence) {
  const Sums all_a(a.blocks);
  const Sums all_b(b.blocks);
  const double values = std::min(all_a.size, all_b.size);
  if (too_few_blocks(all_a) || too_few_blocks(all_b) || values < kFewestValues) return std::nullopt;
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
                     all_a, b, all_b, dependence, values);
}

std::optional<Chance> chance_of_ranks(const ChanceSide& a, const ChanceSide& b, double variance,
                                      const Dependence& dependence) {
  const Sums all_a(a.blocks);
  const Sums all_b(b.blocks);
  const double values = std::min(all_a.size, all_b.size);
  if (too_few_blocks(all_a) || too_few_blocks(all_b) || values < kFewestValues || variance <= 0)
    return std::nullopt;
  const auto mean = [](const ChanceSide& side, const Sums& all) {
    return (all.hits + side.more_hits) / (all.size + side.more_hits + side.more_misses);
  };
  const double deviations = std::fabs(mean(a, all_a) - mean(b, all_b)) /
                            std::sqrt(variance / all_a.size + variance / all_b.size);
  return with_blocks(log_normal_tail(deviations), variance, a, all_a, b, all_b, dependence, values);
}

std::optional<Chance> chance_of_rates(const ChanceSide& a, const ChanceSide& b) {
  const Sums all_a(a.blocks);
  const Sums all_b(b.blocks);
  // Blocks without a hit tell of rates too.
  const double values = std::max(all_a.hits, all_b.hits);
  if (too_few_blocks(all_a) || too_few_blocks(all_b) || values < kFewestValues) return std::nullopt;
  const double hits = all_a.hits + all_b.hits;
  const double part = all_a.size / (all_a.size + all_b.size);
  const double least = std::min(log_binomial(0, hits, part), log_binomial(hits, hits, part));
  if (least > std::log(kChanceLevel)) return std::nullopt;
  const double rate = hits / (all_a.size + all_b.size);
  return with_blocks(log_binomial(all_a.hits, hits, part), rate, a, all_a, b, all_b,
                     dependence_of(a.blocks, 0, b.blocks, 0), std::max(values, kSomeValues));
}

}  // namespace tracedeck::timeline
