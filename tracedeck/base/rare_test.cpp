#include "tracedeck/base/rare.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

namespace tracedeck {
namespace {

TEST(Rare, IsAnOptionalOfTheSizeOfAPointer) {
  static_assert(sizeof(Rare<std::string>) == sizeof(void*));
  Rare<std::string> none;
  EXPECT_FALSE(none);
  EXPECT_EQ(std::optional<std::string>(none), std::nullopt);
  const Rare<std::string> text = std::optional<std::string>("text");
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(*text, "text");
  EXPECT_EQ(text->size(), 4U);
  EXPECT_EQ(std::optional<std::string>(text), "text");
}

TEST(Rare, CopiesAreTheirOwn) {
  Rare<std::string> text = std::optional<std::string>("text");
  const Rare<std::string> copy = text;
  text = std::optional<std::string>("other");
  EXPECT_EQ(*copy, "text");
  EXPECT_EQ(*text, "other");
  text = copy;
  EXPECT_EQ(*text, "text");
  Rare<std::string> moved = std::move(text);
  EXPECT_EQ(*moved, "text");
  moved = std::optional<std::string>();
  EXPECT_FALSE(moved);
}

}  // namespace
}  // namespace tracedeck
