#include "tracedeck/model/name.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tracedeck {
namespace {

TEST(Name, TakesSixteenBytes) { EXPECT_EQ(sizeof(Name), 16U); }

TEST(Name, HoldsTextOfAnyLength) {
  for (const std::size_t size : {0U, 1U, 14U, 15U, 16U, 17U, 1000U}) {
    const std::string text(size, 'x');
    const Name name(text);
    EXPECT_EQ(name.view(), text);
    EXPECT_EQ(name.size(), size);
    EXPECT_EQ(name.empty(), size == 0);
    EXPECT_EQ(name.str(), text);
  }
}

TEST(Name, HoldsBytesOfAnyValue) {
  const std::string text("\0\xFF\x0F", 3);
  EXPECT_EQ(Name(text).view(), text);
  const std::string full(15, '\xFF');
  EXPECT_EQ(Name(full).view(), full);
}

TEST(Name, IsCopiedMovedAndAssigned) {
  const std::vector<std::string> texts = {"", "short", std::string(15, 'a'), std::string(40, 'b')};
  for (const std::string& from : texts) {
    for (const std::string& to : texts) {
      Name a(from);
      Name b(to);
      const Name copy(a);
      b = a;
      EXPECT_EQ(b, from);
      b = to;
      b = std::move(a);
      EXPECT_EQ(b, from);
      EXPECT_EQ(copy, from);
      const Name moved(std::move(b));
      EXPECT_EQ(moved, from);
    }
  }
}

TEST(Name, IsAssignedToItself) {
  Name name(std::string(40, 'b'));
  const Name& same = name;
  name = same;
  EXPECT_EQ(name.view(), std::string(40, 'b'));
}

TEST(Name, IsOrderedAsText) {
  const std::map<Name, int> numbers = {{"b", 2}, {"a", 1}, {std::string(40, 'a'), 3}};
  std::string order;
  for (const auto& [name, number] : numbers) order += std::to_string(number);
  EXPECT_EQ(order, "132");
  EXPECT_TRUE(Name("a") != "b");
  EXPECT_TRUE("b" > Name("a"));
}

TEST(RareName, TakesThatOfAPointer) { EXPECT_EQ(sizeof(RareName), sizeof(void*)); }

TEST(RareName, IsCopiedMovedAndAssigned) {
  for (const std::string& from : {std::string(), std::string(40, 'b')}) {
    RareName name(from);
    EXPECT_EQ(name.empty(), from.empty());
    EXPECT_EQ(name.size(), from.size());
    EXPECT_EQ(name.str(), from);
    const RareName copy(name);
    RareName other("other");
    other = copy;
    EXPECT_EQ(other, from);
    const RareName& same = other;
    other = same;
    EXPECT_EQ(other, from);
    const RareName moved(std::move(name));
    EXPECT_EQ(moved, from);
    EXPECT_EQ(copy, from);
  }
}

}  // namespace
}  // namespace tracedeck
