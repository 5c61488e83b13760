#include "tracedeck/query/row_sorter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tracedeck/query/cell.hpp"

namespace tracedeck::query {
namespace {

// A value of any kind that has an order, many of them equal and many near one another.
Cell random_cell(std::mt19937_64& random) {
  const std::uint64_t small = random() % 20;
  switch (random() % 9) {
    case 0:
      return {};
    case 1:
      return Cell::of(std::numeric_limits<double>::quiet_NaN());
    case 2:
      return Cell::of(static_cast<double>(small) / 4 - 2);
    case 3:
      return {.kind = Cell::Kind::kBoolean, .boolean = small < 10};
    case 4:
      return Cell::of(Integer::of((Uint128{1} << 100) + small, small % 2 == 0));
    case 5:
      return Cell::of((std::uint64_t{1} << 60) + small);
    case 6:
      return {.kind = Cell::Kind::kInteger,
              .integer = Integer::from(small),
              .labels = {std::to_string(small)}};
    case 7:
      return {.kind = Cell::Kind::kText, .text = "texts that begin alike " + std::to_string(small)};
    default:
      return Cell::of(Integer::from_signed(static_cast<std::int64_t>(small) - 10));
  }
}

struct SortedRow {
  Cell first;
  Cell second;
  std::uint64_t number;
};

class Sorting : public testing::TestWithParam<std::size_t> {
 protected:
  // Numbers of rows, in the order that they come in.
  std::vector<std::uint64_t> sorted(RowOrder order) {
    order.memory = GetParam();
    RowSorter sorter(std::move(order));
    for (const SortedRow& row : rows_) {
      EXPECT_TRUE(sorter.add(std::vector{row.first.value(), row.second.value()},
                             std::vector{Value::of(row.number), row.first.value()}));
    }
    std::vector<std::uint64_t> numbers;
    EXPECT_TRUE(sorter.hand_on([&](std::span<const Value> row) -> Result<bool> {
      EXPECT_EQ(row.size(), 2U);
      numbers.push_back(*row.front().integer.to_unsigned());
      const Cell& wanted = rows_[numbers.back()].first;
      const Cell got = Cell::of(row[1]);
      EXPECT_EQ(got.kind, wanted.kind);
      EXPECT_EQ(order_of(got, wanted), std::weak_ordering::equivalent);
      EXPECT_EQ(got.labels, wanted.labels);
      return true;
    }));
    return numbers;
  }

  std::vector<std::uint64_t> expected(bool first_descends, bool second_descends,
                                      std::size_t most = ~std::size_t{0}) {
    std::vector<SortedRow> rows = rows_;
    const auto before = [](std::weak_ordering order, bool descends) {
      return descends ? order > 0 : order < 0;
    };
    std::ranges::stable_sort(rows, [&](const SortedRow& a, const SortedRow& b) {
      const auto order = order_of(a.first, b.first);
      return order != 0 ? before(order, first_descends)
                        : before(order_of(a.second, b.second), second_descends);
    });
    rows.resize(std::min(most, rows.size()));
    std::vector<std::uint64_t> numbers;
    for (const SortedRow& row : rows) numbers.push_back(row.number);
    return numbers;
  }

  void SetUp() override {
    std::mt19937_64 random(7);
    for (std::uint64_t i = 0; i < 6000; ++i)
      rows_.push_back({random_cell(random), random_cell(random), i});
  }

  std::vector<SortedRow> rows_;
};

TEST_P(Sorting, IsStableInAnyMemory) {
  for (const bool first : {false, true}) {
    for (const bool second : {false, true})
      EXPECT_EQ(sorted({.descending = {first, second}}), expected(first, second));
  }
}

TEST_P(Sorting, TheFirstAreThoseOfAll) {
  constexpr std::size_t kMost[] = {0, 1, 10, 700, 2000, 5999, 6000, 9000};
  for (const std::size_t most : kMost) {
    EXPECT_EQ(sorted({.descending = {true, false}, .most = most}), expected(true, false, most))
        << most;
  }
}

// No room at all, room for few, for about a third, and for all.
INSTANTIATE_TEST_SUITE_P(Memory, Sorting, testing::Values(0, 4000, 200'000, 1 << 24));

TEST(RowSorter, ARowMayTakeMoreThanThereIs) {
  RowSorter sorter({.descending = {false}, .memory = 1000});
  for (const char letter : {'c', 'a', 'b'}) {
    const std::string text(100'000, letter);
    ASSERT_TRUE(sorter.add(std::vector{Value::of(std::string_view(text))},
                           std::vector{Value::of(std::string_view(text)), Value{}}));
  }
  std::string letters;
  ASSERT_TRUE(sorter.hand_on([&](std::span<const Value> row) -> Result<bool> {
    EXPECT_EQ(row.front().text.size(), 100'000U);
    letters += row.front().text.front();
    return letters.size() < 2;
  }));
  EXPECT_EQ(letters, "ab");
}

TEST(RowSorter, HistogramsComeBack) {
  Histogram histogram;
  histogram.add(3);
  histogram.add(7.5);
  const auto buckets = histogram.buckets();
  RowSorter sorter({.descending = {false}, .memory = 0});
  for (const std::uint64_t number : {std::uint64_t{2}, std::uint64_t{1}})
    ASSERT_TRUE(sorter.add(
        std::vector{Value::of(number)},
        std::vector{Value{.kind = Value::Kind::kBuckets, .buckets = &buckets}, Value::of(number)}));
  std::size_t rows = 0;
  ASSERT_TRUE(sorter.hand_on([&](std::span<const Value> row) -> Result<bool> {
    EXPECT_EQ(row[0].buckets->size(), 2U);
    EXPECT_EQ(row[0].buckets->back().upper, buckets.back().upper);
    EXPECT_EQ(row[1].integer, Integer::from(std::uint64_t{++rows}));
    return true;
  }));
  EXPECT_EQ(rows, 2U);
}

}  // namespace
}  // namespace tracedeck::query
