#include "tracedeck/base/stable_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <ranges>
#include <string>
#include <vector>

namespace tracedeck {
namespace {

static_assert(std::ranges::random_access_range<StableList<int>>);
static_assert(std::ranges::random_access_range<const StableList<int>>);

TEST(StableList, KeepsElementsWhereTheyAre) {
  StableList<std::string> list;
  std::vector<const std::string*> places;
  for (int i = 0; i < 1000; ++i) places.push_back(&list.emplace_back(std::to_string(i)));
  ASSERT_EQ(list.size(), 1000U);
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_EQ(&list[i], places[i]);
    EXPECT_EQ(list[i], std::to_string(i));
  }
  EXPECT_EQ(&list.front(), places.front());
  EXPECT_EQ(&list.back(), places.back());
}

TEST(StableList, IsARange) {
  StableList<int> list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.begin(), list.end());
  for (int i = 0; i < 100; ++i) list.emplace_back(i * i);
  EXPECT_FALSE(list.empty());
  EXPECT_EQ(std::ranges::lower_bound(list, 50) - list.begin(), 8);
  EXPECT_EQ(list.end() - list.begin(), 100);
  EXPECT_EQ(list.begin()[9], 81);
  EXPECT_EQ(*std::ranges::find(std::views::reverse(list), 9), 9);
  for (int& each : list) each = 1;
  EXPECT_EQ(std::ranges::count(std::as_const(list), 1), 100);
}

TEST(StableList, DestroysElementsOnce) {
  const auto counted = std::make_shared<int>();
  {
    StableList<std::shared_ptr<int>> list;
    for (int i = 0; i < 10; ++i) list.emplace_back(counted);
    const std::shared_ptr<int>* const first = &list.front();
    StableList<std::shared_ptr<int>> taken(std::move(list));
    EXPECT_EQ(&taken.front(), first);
    EXPECT_EQ(counted.use_count(), 11);
    StableList<std::shared_ptr<int>> other;
    other.emplace_back(counted);
    other = std::move(taken);
    EXPECT_EQ(&other.front(), first);
    EXPECT_EQ(other.size(), 10U);
  }
  EXPECT_EQ(counted.use_count(), 1);
}

}  // namespace
}  // namespace tracedeck
