#include "tracedeck/base/rare_list.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tracedeck {
namespace {

using List = RareList<std::string>;

TEST(RareList, TakesAPointer) { EXPECT_EQ(sizeof(List), sizeof(void*)); }

TEST(RareList, IsEmptyToBeginWith) {
  List list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.size(), 0U);
  EXPECT_EQ(list.begin(), list.end());
  list.clear();
  EXPECT_TRUE(list == List{});
}

TEST(RareList, GrowsAndShrinks) {
  List list = {"b"};
  list.push_back("d");
  list.emplace_back(1, 'e');
  list.insert(list.begin(), "a");
  const std::vector<std::string> more = {"c", "c"};
  list.insert(list.begin() + 2, more.begin(), more.end());
  EXPECT_TRUE((list == List{"a", "b", "c", "c", "d", "e"}));
  list.erase(list.begin() + 2);
  list.erase(list.begin(), list.begin() + 1);
  EXPECT_TRUE((list == List{"b", "c", "d", "e"}));
  EXPECT_EQ(list.front() + list[1] + list.at(2) + list.back(), "bcde");
  list.erase(list.begin(), list.end());
  EXPECT_TRUE(list.empty());
}

TEST(RareList, IsCopiedAndMoved) {
  const List list = {"a", "b"};
  List copy = list;
  copy[0] = "c";
  EXPECT_EQ(list.front(), "a");
  const List moved = std::move(copy);
  EXPECT_EQ(moved.front(), "c");
  List assigned = {"z"};
  assigned = list;
  EXPECT_TRUE(assigned == list);
  assigned = List{};
  EXPECT_TRUE(assigned.empty());
}

}  // namespace
}  // namespace tracedeck
