#include "tracedeck/columns/flat_columns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "tracedeck/columns/places.hpp"

namespace tracedeck::columns {
namespace {

using testing::ElementsAre;

Column column(std::string name, ColumnType type, bool is_nullable = false,
              std::vector<Column> children = {}) {
  Column made{.name = std::move(name), .type = type};
  made.nullable = is_nullable;
  made.children = std::move(children);
  return made;
}
Column text(std::string name, bool is_nullable = false) {
  return column(std::move(name), ColumnType::kText, is_nullable);
}

std::vector<std::string> names(std::vector<Column> children) {
  constexpr std::array<std::string_view, 1> kKeys = {"key"};
  const Column root = column("", ColumnType::kGroup, false, std::move(children));
  std::vector<std::string> all;
  for (const FlatColumn& flat : flat_columns(root, kKeys))
    all.push_back(flat.name + (flat.nullable ? "?" : flat.presence ? "!" : ""));
  return all;
}

TEST(FlatColumns, GroupsBecomeNames) {
  EXPECT_THAT(names({column("g", ColumnType::kGroup, true, {text("a"), text("b", true)})}),
              ElementsAre("g.present!", "g.a?", "g.b?"));
  EXPECT_THAT(names({column("g", ColumnType::kGroup, false, {text("a"), text("b", true)})}),
              ElementsAre("g.a", "g.b?"));
}

TEST(FlatColumns, KeysAreNotNullable) {
  EXPECT_THAT(names({text("key", true)}), ElementsAre("key", "key.present!"));
}

TEST(FlatColumns, ListsInGroupsShareNoPrefix) {
  const Column pair = column("element", ColumnType::kGroup, false, {text("key"), text("value")});
  EXPECT_THAT(names({column("g", ColumnType::kGroup, true,
                            {column("x", ColumnType::kList, false, {pair}),
                             column("y", ColumnType::kList, true, {text("element", true)})})}),
              ElementsAre("g.present!", "g_x.key", "g_x.value", "g_y.present!", "g_y?"));
}

TEST(FlatColumns, WholeListsAreColumns) {
  const Column list = column("x", ColumnType::kList, false, {text("element")});
  const Column root =
      column("", ColumnType::kGroup, false, {column("g", ColumnType::kGroup, true, {list})});
  const std::vector<FlatColumn> flat = flat_columns(root, {}, FlatLists::kWhole);
  ASSERT_EQ(flat.size(), 2U);
  EXPECT_EQ(flat[1].name, "g.x");
  EXPECT_TRUE(flat[1].nullable);
  EXPECT_EQ(flat[1].path.back()->type, ColumnType::kList);
}

TEST(FlatColumns, NamesAreUnique) {
  const Column list = column("x", ColumnType::kList, false, {text("element")});
  EXPECT_THAT(
      names({text("g.A"), column("g", ColumnType::kGroup, false, {text("a"), list}), text("g_x")}),
      ElementsAre("g.A", "g.a_2", "g_x", "g_x_2"));
}

TEST(Places, NullsWithinNulls) {
  Column group = column("g", ColumnType::kGroup, true);
  group.valid = {1, 0, 1};
  Column list = column("l", ColumnType::kList, true);
  list.valid = {0, 1};
  list.words32 = {2};
  const Places places = value_places(list, value_places(group, {.count = 3}));
  EXPECT_THAT(places.there, ElementsAre(0, 0, 1));
  EXPECT_THAT(list_ends(list, places), ElementsAre(0, 0, 2));
}

}  // namespace
}  // namespace tracedeck::columns
