#include "tracedeck/model/value_names.hpp"

#include <gtest/gtest.h>

#include "tracedeck/model/tape.hpp"

namespace tracedeck {
namespace {

TEST(ValueNames, KeepTheirPlaces) {
  ValueNames names;
  const std::uint32_t first = names.add("first");
  EXPECT_EQ(first, 1U);
  const std::string_view kept = names[first];
  for (std::uint32_t i = 2; i < 10'000; ++i) EXPECT_EQ(names.add(std::to_string(i)), i);
  EXPECT_EQ(names[first].data(), kept.data());
  for (std::uint32_t i = 2; i < 10'000; ++i) EXPECT_EQ(names[i], std::to_string(i));
}

TEST(ValueNames, ASlotHasOneOrNone) {
  EXPECT_EQ(named_slot(7, 3).name(), 3U);
  EXPECT_EQ(named_slot(7, 0).name(), 0U);
  EXPECT_EQ(unsigned_slot(7).name(), 0U);
  const Slot named = named_slot(7, 3);
  const Slot plain = unsigned_slot(7);
  EXPECT_TRUE(same_values({&named, 1}, {&plain, 1})) << "a name is no part of the value";
}

}  // namespace
}  // namespace tracedeck
