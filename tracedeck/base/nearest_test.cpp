#include "tracedeck/base/nearest.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace tracedeck {
namespace {

TEST(Nearest, IsAtMostTwoEditsAway) {
  constexpr std::array<std::string_view, 3> kWords = {"print", "info", "q"};
  EXPECT_EQ(nearest("prnit", kWords), "print");
  EXPECT_EQ(nearest("inof", kWords), "info");
  EXPECT_EQ(nearest("xyz", kWords), "");
  EXPECT_EQ(nearest("", kWords), "");
  EXPECT_EQ(nearest(std::string(1000, 'p'), kWords), "");
}

TEST(Nearest, NeighboursThatChangePlacesAreOneEdit) {
  constexpr std::array<std::string_view, 2> kWords = {"ctf", "heph"};
  EXPECT_EQ(nearest("cft", kWords), "ctf");
  EXPECT_EQ(nearest("hpeh", kWords), "heph");
  EXPECT_EQ(nearest("tcf", kWords), "ctf");
  EXPECT_EQ(nearest("fct", kWords), "");
}

}  // namespace
}  // namespace tracedeck
