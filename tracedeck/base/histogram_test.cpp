#include "tracedeck/base/histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace tracedeck {
namespace {

double exact_quantile(std::vector<double> values, double part) {
  std::ranges::sort(values);
  const auto rank = std::max(1.0, std::ceil(part * static_cast<double>(values.size())));
  return values[static_cast<std::size_t>(rank) - 1];
}

std::vector<double> random_values(std::size_t count, double spread, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<double> values;
  std::normal_distribution<double> exponent(0, spread);
  for (std::size_t i = 0; i < count; ++i) {
    const double value = std::exp(exponent(random));
    values.push_back(random() % 4 == 0 ? -value : value);
  }
  return values;
}

TEST(Histogram, QuantilesAreWithinFourPerMille) {
  for (const std::size_t count : {1U, 2U, 31U, 32U, 33U, 1000U, 100'000U}) {
    for (const double spread : {0.1, 3.0, 30.0}) {
      const auto values = random_values(count, spread, static_cast<unsigned>(count));
      Histogram histogram;
      for (const double value : values) histogram.add(value);
      for (const double part : {0.0, 0.01, 0.5, 0.9, 0.99, 0.999, 1.0}) {
        const double exact = exact_quantile(values, part);
        EXPECT_NEAR(histogram.quantile(part), exact, std::fabs(exact) * 0.004)
            << count << " " << spread << " " << part;
      }
      EXPECT_EQ(histogram.minimum(), *std::ranges::min_element(values));
      EXPECT_EQ(histogram.maximum(), *std::ranges::max_element(values));
    }
  }
}

TEST(Histogram, ManyAtOnceAreAsOneByOne) {
  std::mt19937_64 random(1);
  std::vector<std::int64_t> values(5000);
  for (std::int64_t& value : values)
    value = static_cast<std::int64_t>(random() >> (1 + random() % 63));
  Histogram all;
  all.add_all(values);
  Histogram one_by_one;
  for (const std::int64_t value : values)
    one_by_one.add_unsigned(static_cast<std::uint64_t>(value));
  std::string bytes;
  std::string expected;
  all.encode(bytes);
  one_by_one.encode(expected);
  EXPECT_EQ(bytes, expected);
  EXPECT_EQ(all.count(), values.size());
}

TEST(Histogram, SmallIntegersAreExact) {
  std::vector<double> values;
  Histogram histogram;
  for (int i = -255; i < 256; ++i) {
    values.push_back(i);
    histogram.add_whole(i);
  }
  for (double part = 0; part <= 1; part += 0.001)
    EXPECT_EQ(histogram.quantile(part), exact_quantile(values, part)) << part;
}

TEST(Histogram, RanksAreNotRoundedUp) {
  // 99.9 / 100 * 1000 is a little more than 999, and 7 / 100.0 * 100 more than 7.
  Histogram histogram;
  for (int i = 1; i <= 1000; ++i) histogram.add_whole(i == 1000 ? 1e9 : i % 250);
  EXPECT_EQ(histogram.quantile(99.9 / 100), 249);
  Histogram hundred;
  for (int i = 1; i <= 100; ++i) hundred.add_whole(i);
  for (int percent = 0; percent <= 100; ++percent)
    EXPECT_EQ(hundred.quantile(percent / 100.0), std::max(percent, 1)) << percent;
}

TEST(Histogram, ZerosAmongRealsAreZero) {
  Histogram histogram;
  for (const double value : {-1.5, 0.0, -0.0, 0.0, 2.5}) histogram.add(value);
  for (const double part : {0.3, 0.5, 0.7}) EXPECT_EQ(histogram.quantile(part), 0) << part;
}

TEST(Histogram, AddsUp) {
  for (const std::size_t count : {3U, 40U, 5000U}) {
    const auto values = random_values(count, 5, 7);
    Histogram all;
    Histogram one;
    Histogram other;
    for (std::size_t i = 0; i < values.size(); ++i) {
      all.add(values[i]);
      (i % 3 == 0 ? one : other).add(values[i]);
    }
    one.merge(other);
    EXPECT_EQ(one.count(), all.count());
    for (const double part : {0.0, 0.1, 0.5, 0.99, 1.0})
      EXPECT_EQ(one.quantile(part), all.quantile(part));
  }
}

TEST(Histogram, CountsBeyond32Bits) {
  Histogram all;
  Histogram power;
  power.add_whole(5);
  for (int bit = 0; bit < 32; ++bit) {
    all.merge(power);
    std::string bytes;
    power.encode(bytes);
    std::span<const std::uint8_t> rest(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                       bytes.size());
    power.merge(*Histogram::decode(rest));
  }
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  ASSERT_EQ(all.buckets().at(0).count, kMost);
  for (std::uint64_t more = 1; more <= 3; ++more) {
    all.add_whole(5);
    ASSERT_EQ(all.buckets().size(), 1U);
    EXPECT_EQ(all.buckets().front().count, kMost + more);
    EXPECT_EQ(all.count(), kMost + more);
  }
}

TEST(Histogram, OfExtremes) {
  Histogram histogram;
  EXPECT_EQ(histogram.quantile(0.5), 0);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double value :
       {kInfinity, -kInfinity, 0.0, -0.0, 5e-324, 1e308, std::numeric_limits<double>::quiet_NaN()})
    histogram.add(value);
  EXPECT_EQ(histogram.count(), 6U);
  EXPECT_EQ(histogram.minimum(), -kInfinity);
  EXPECT_NEAR(histogram.quantile(0.5), 0, 1e-300);
  EXPECT_EQ(histogram.maximum(), kInfinity);
  std::uint64_t sum = 0;
  for (const auto& bucket : histogram.buckets()) {
    EXPECT_LE(bucket.lower, bucket.upper);
    sum += bucket.count;
  }
  EXPECT_EQ(sum, 6U);
}

TEST(Histogram, TravelsAsBytes) {
  for (const std::size_t count : {0U, 1U, 32U, 33U, 2000U}) {
    Histogram histogram;
    for (const double value : random_values(count, 4, 3)) histogram.add(value);
    std::string bytes;
    histogram.encode(bytes);
    std::span<const std::uint8_t> rest(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                       bytes.size());
    const std::span<const std::uint8_t> whole = rest;
    const auto back = Histogram::decode(rest);
    ASSERT_TRUE(back);
    EXPECT_TRUE(rest.empty());
    EXPECT_EQ(back->count(), histogram.count());
    for (const double part : {0.0, 0.3, 0.9, 1.0})
      EXPECT_EQ(back->quantile(part), histogram.quantile(part));
    for (std::size_t size = 0; size < std::min<std::size_t>(bytes.size(), 200); ++size) {
      std::span<const std::uint8_t> cut = whole.first(size);
      EXPECT_FALSE(Histogram::decode(cut)) << size;
    }
  }
}

TEST(Histogram, FewValuesTakeLittleMemory) {
  Histogram histogram;
  for (int i = 0; i < 30; ++i) histogram.add(i * 1e6);
  EXPECT_LE(histogram.memory(), 200U);
}

}  // namespace
}  // namespace tracedeck
