#include "tracedeck/lower/value_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tracedeck/lower/byte_arena.hpp"

namespace tracedeck::lower {
namespace {

const FieldClass& list_of_any() {
  static const FieldClass kClass{
      .kind = ArrayClass{.element = make_field_class(DynamicClass{}), .extent = LengthPrefixed{}}};
  return kClass;
}

TEST(ValueText, AReferenceToNothingComesBackFromInsideOfAList) {
  Slot lost = unresolved_slot(77);
  lost.detail = 7;
  const std::vector<Slot> slots = {head_slot(SlotKind::kArray, 1, 1), lost};
  std::string text;
  append_value_text(text, slots.data(), list_of_any());
  EXPECT_EQ(text, R"([{"unresolved":[7,77]}])");
  std::vector<Slot> parsed;
  ReusedArena arena;
  ASSERT_TRUE(parse_value_text(text, list_of_any(), parsed, arena));
  ASSERT_EQ(parsed.size(), 2U);
  EXPECT_EQ(parsed[1].kind, SlotKind::kUnresolved);
  EXPECT_EQ(parsed[1].bits, 77U);
  EXPECT_EQ(parsed[1].detail, 7);
}

TEST(ValueText, WhatIsNoReferenceIsRefused) {
  for (const std::string text :
       {R"([{"unresolved":77}])", R"([{"unresolved":[7]}])", R"([{"unresolved":[777,7]}])",
        R"([{"unresolved":[7,77,1]}])", R"([{"unresolved":["7",77]}])"}) {
    std::vector<Slot> parsed;
    ReusedArena arena;
    EXPECT_FALSE(parse_value_text(text, list_of_any(), parsed, arena)) << text;
  }
}

}  // namespace
}  // namespace tracedeck::lower
