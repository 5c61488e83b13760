#include "tracedeck/columns/parquet/levels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace tracedeck::parquet {
namespace {

using columns::Column;
using columns::ColumnType;
using testing::ElementsAre;
using testing::IsEmpty;

Column number(bool nullable = false) {
  Column column{.name = "n", .type = ColumnType::kInteger, .nullable = nullable};
  column.width = 64;
  return column;
}
Column list_of(Column element, bool nullable = false) {
  Column column{.name = "l", .type = ColumnType::kList, .nullable = nullable};
  column.children.push_back(std::move(element));
  return column;
}
Column row_of(Column column) {
  Column root;
  root.children.push_back(std::move(column));
  return root;
}

TEST(Levels, RequiredLeavesHaveNone) {
  Column leaf = number();
  leaf.words64 = {1, 2};
  const Column root = row_of(leaf);
  const Levels levels = levels_of(leaf_paths(root).front(), 2);
  EXPECT_EQ(levels.entries, 2U);
  EXPECT_EQ(levels.most_defined, 0);
  EXPECT_THAT(levels.defined, IsEmpty());
}

TEST(Levels, NullableLeavesAreDefinedOrNot) {
  Column leaf = number(true);
  leaf.valid = {1, 0, 1};
  leaf.words64 = {1, 2};
  const Column root = row_of(leaf);
  const Levels levels = levels_of(leaf_paths(root).front(), 3);
  EXPECT_EQ(levels.most_defined, 1);
  EXPECT_THAT(levels.defined, ElementsAre(1, 0, 1));
  EXPECT_THAT(levels.repeated, IsEmpty());
}

// Rows: [1, 2], [], null, [3].
TEST(Levels, ListsRepeat) {
  Column list = list_of(number(), true);
  list.valid = {1, 1, 0, 1};
  list.words32 = {2, 0, 1};
  list.children[0].words64 = {1, 2, 3};
  const Column root = row_of(list);
  const Levels levels = levels_of(leaf_paths(root).front(), 4);
  EXPECT_EQ(levels.most_defined, 2);
  EXPECT_EQ(levels.most_repeated, 1);
  EXPECT_THAT(levels.repeated, ElementsAre(0, 1, 0, 0, 0));
  EXPECT_THAT(levels.defined, ElementsAre(2, 2, 1, 0, 2));
}

// Rows: [[1, null], []], [[2]].
TEST(Levels, ListsNest) {
  Column outer = list_of(list_of(number(true)));
  outer.words32 = {2, 1};
  outer.children[0].words32 = {2, 0, 1};
  outer.children[0].children[0].valid = {1, 0, 1};
  outer.children[0].children[0].words64 = {1, 2};
  const Column root = row_of(outer);
  const Levels levels = levels_of(leaf_paths(root).front(), 2);
  EXPECT_EQ(levels.most_defined, 3);
  EXPECT_EQ(levels.most_repeated, 2);
  EXPECT_THAT(levels.repeated, ElementsAre(0, 2, 1, 0));
  EXPECT_THAT(levels.defined, ElementsAre(3, 2, 1, 3));
}

// A group that is null makes all of its leaves null.
TEST(Levels, GroupsAreNullAsAWhole) {
  Column group{.name = "g", .type = ColumnType::kGroup, .nullable = true};
  group.valid = {0, 1};
  group.children = {number(), number(true)};
  group.children[0].words64 = {7};
  group.children[1].valid = {0};
  const Column root = row_of(group);
  const std::vector<LeafPath> paths = leaf_paths(root);
  ASSERT_EQ(paths.size(), 2U);
  EXPECT_THAT(levels_of(paths[0], 2).defined, ElementsAre(0, 1));
  EXPECT_THAT(levels_of(paths[1], 2).defined, ElementsAre(0, 1));
  EXPECT_EQ(levels_of(paths[1], 2).most_defined, 2);
}

}  // namespace
}  // namespace tracedeck::parquet
