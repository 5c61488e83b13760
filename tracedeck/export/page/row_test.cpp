#include "tracedeck/export/page/row.hpp"

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

namespace tracedeck::page {
namespace {

constexpr std::size_t kMemory = std::size_t{1} << 20;

std::string block_of(const BlockStore& store, const BlockPlace& place) {
  std::string bytes;
  EXPECT_TRUE(store.get(place.place, bytes));
  return bytes;
}

TEST(Row, SlicesComeBackAsGapsDurationsAndNames) {
  BlockStore store(kMemory, "");
  Row row(RowKind::kSlices, 1, 0);
  ASSERT_TRUE(row.add(Slice{.begin = -5, .end = 10, .name = 7}, store));
  ASSERT_TRUE(row.add(Slice{.begin = 10, .end = 10, .name = 300}, store));
  ASSERT_TRUE(row.add(Slice{.begin = 1'000, .end = 1'001, .name = 7}, store));
  ASSERT_TRUE(row.seal(store));
  ASSERT_EQ(row.blocks().size(), 1U);
  EXPECT_EQ(row.blocks()[0].first, -5);
  EXPECT_EQ(row.blocks()[0].last, 1'001);
  EXPECT_EQ(row.blocks()[0].count, 3U);
  std::vector<std::tuple<std::uint64_t, std::uint64_t, timeline::NameId>> seen;
  SliceBlock(block_of(store, row.blocks()[0]))
      .each([&](std::uint64_t gap, std::uint64_t duration, timeline::NameId name) {
        seen.emplace_back(gap, duration, name);
      });
  EXPECT_EQ(seen, (decltype(seen){{0, 15, 7}, {0, 0, 300}, {990, 1, 7}}));
}

TEST(Row, MoreThan256NamesTakeTwoBytesEach) {
  BlockStore store(kMemory, "");
  Row row(RowKind::kSlices, 1, 0);
  for (std::int64_t i = 0; i < 600; ++i) {
    ASSERT_TRUE(
        row.add(Slice{.begin = i, .end = i + 1, .name = static_cast<timeline::NameId>(1 + i % 300)},
                store));
  }
  ASSERT_TRUE(row.seal(store));
  std::vector<timeline::NameId> names;
  SliceBlock(block_of(store, row.blocks()[0]))
      .each([&](std::uint64_t, std::uint64_t, timeline::NameId name) { names.push_back(name); });
  ASSERT_EQ(names.size(), 600U);
  EXPECT_EQ(names[299], 300U);
  EXPECT_EQ(names[300], 1U);
}

TEST(Row, BlocksAreFull) {
  BlockStore store(kMemory, "");
  Row row(RowKind::kSlices, 1, 0);
  for (std::int64_t i = 0; i < Row::kBlock + 1; ++i)
    ASSERT_TRUE(row.add(Slice{.begin = 10 * i, .end = 10 * i + 4, .name = 1}, store));
  ASSERT_TRUE(row.seal(store));
  ASSERT_EQ(row.blocks().size(), 2U);
  EXPECT_EQ(row.blocks()[0].count, Row::kBlock);
  EXPECT_EQ(row.blocks()[1].count, 1U);
  EXPECT_EQ(row.blocks()[1].first, 10 * std::int64_t{Row::kBlock});
  EXPECT_EQ(row.count(), Row::kBlock + 1U);
}

TEST(Row, PointsOfBothKindsComeBack) {
  BlockStore store(kMemory, "");
  Row row(RowKind::kCounter, 1, 0);
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  ASSERT_TRUE(row.add(Point{.time = 5, .value = 3}, store));
  ASSERT_TRUE(row.add(Point{.time = 5, .value = least}, store));
  ASSERT_TRUE(row.add(Point{.time = 9, .is_real = true, .real = 0.25}, store));
  ASSERT_TRUE(row.seal(store));
  ASSERT_EQ(row.blocks().size(), 2U);
  std::vector<std::pair<std::int64_t, double>> seen;
  for (const BlockPlace& place : row.blocks()) {
    const std::string bytes = block_of(store, place);
    each_point(bytes, place.first,
               [&](std::int64_t time, double value) { seen.emplace_back(time, value); });
  }
  EXPECT_EQ(seen, (decltype(seen){{5, 3.0}, {5, static_cast<double>(least)}, {9, 0.25}}));
}

TEST(BlockStore, WhatDoesNotFitIntoMemoryComesFromAFile) {
  BlockStore store(8, "");
  std::vector<BlockStore::Place> places;
  for (const std::string_view text : {"abcdef", "ghijkl", "a longer one than memory", ""}) {
    const auto place = store.put(text);
    ASSERT_TRUE(place);
    places.push_back(*place);
  }
  EXPECT_TRUE(store.has_spilled());
  std::string bytes;
  for (const auto& [place, text] : {std::pair(places[2], "a longer one than memory"),
                                    std::pair(places[0], "abcdef"), std::pair(places[3], "")}) {
    ASSERT_TRUE(store.get(place, bytes));
    EXPECT_EQ(bytes, text);
  }
}

}  // namespace
}  // namespace tracedeck::page
