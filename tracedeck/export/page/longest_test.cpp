#include "tracedeck/export/page/longest.hpp"

#include <gtest/gtest.h>

namespace tracedeck::page {
namespace {

NotedSlice slice(std::uint64_t duration, std::int64_t begin) {
  return {.duration = duration, .begin = begin, .end = begin};
}

TEST(Longest, KeepsTheLongestAndOfEqualOnesTheFirst) {
  Longest longest(std::size_t{16} << 20);
  for (std::int64_t i = 0; i < 5'000; ++i) {
    const auto duration = static_cast<std::uint64_t>(i * 37 % 2'500);  // each twice
    if (longest.wants(1, duration)) longest.add(1, slice(duration, i));
  }
  const auto& kept = longest.sorted().at(1).longest;
  ASSERT_EQ(kept.size(), Longest::kEach);
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i].duration, 2'499 - i / 2) << i;
  EXPECT_LT(kept[0].begin, kept[1].begin);
}

TEST(Longest, AllNamesKeepFewerWhereMemoryIsScarce) {
  Longest longest(sizeof(NotedSlice) * 1'000);
  for (NotedKey key = 0; key < 10; ++key) {
    for (std::int64_t i = 0; i < 400; ++i)
      longest.add(key, slice(static_cast<std::uint64_t>(i), i));
  }
  EXPECT_LT(longest.each(), Longest::kEach);
  for (const auto& [key, kept] : longest.sorted()) {
    EXPECT_LE(kept.longest.size(), longest.each());
    ASSERT_FALSE(kept.longest.empty());
    EXPECT_EQ(kept.longest.front().duration, 399U) << key;
  }
}

TEST(Longest, WhatIsNotedBeyondMemoryIsCounted) {
  Longest longest(sizeof(NotedSlice) * 3);
  for (std::int64_t i = 0; i < 5; ++i) longest.note(1, slice(0, i));
  EXPECT_EQ(longest.sorted().at(1).noted.size() + longest.left_out(), 5U);
  EXPECT_GT(longest.left_out(), 0U);
}

}  // namespace
}  // namespace tracedeck::page
