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

}  // namespace
}  // namespace tracedeck
