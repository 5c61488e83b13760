#include "tracedeck/base/name_index.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tracedeck {
namespace {

TEST(NameIndex, FindsWhatWasAdded) {
  std::vector<std::string> names;
  const auto name_of = [&](std::size_t index) -> std::string_view { return names[index]; };
  NameIndex index;
  EXPECT_EQ(index.find("0", name_of), NameIndex::kNone);
  for (std::size_t i = 0; i < 1000; ++i) {
    names.push_back(std::to_string(i));
    EXPECT_EQ(index.find(names.back(), name_of), NameIndex::kNone);
    EXPECT_EQ(index.add(i, name_of), i);
  }
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(index.find(names[i], name_of), i);
  EXPECT_EQ(index.find("1000", name_of), NameIndex::kNone);
  EXPECT_EQ(index.find("", name_of), NameIndex::kNone);
}

TEST(NameIndex, KeepsTheFirstOfEqualNames) {
  const std::vector<std::string> names = {"a", "b", "a"};
  const auto name_of = [&](std::size_t index) { return names[index]; };  // text of its own
  NameIndex index;
  EXPECT_EQ(index.add(0, name_of), 0U);
  EXPECT_EQ(index.add(1, name_of), 1U);
  EXPECT_EQ(index.add(2, name_of), 0U);
  EXPECT_EQ(index.find("a", name_of), 0U);
}

}  // namespace
}  // namespace tracedeck
