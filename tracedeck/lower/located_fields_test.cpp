#include "tracedeck/lower/located_fields.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/base/utf8.hpp"

namespace tracedeck::lower {
namespace {

using Root = FieldLocation::Root;

Member member(std::string name, FieldClassPtr field_class) {
  return {.name = std::move(name), .field_class = std::move(field_class), .attributes = {}};
}

FieldClassPtr byte() { return make_field_class(IntegerClass{.layout = FixedLayout{.width = 8}}); }

TEST(LegalNames, AreThoseOfTheTargetAndDistinct) {
  const NestedProfile profile{.format = "any", .member_name = repaired_utf8};
  const StructureClass source{.members = {member("n", byte()), member("n", byte()),
                                          member("n_", byte()), member("\xFF", byte()),
                                          member("\xEF\xBF\xBD", byte())}};
  TextSet taken = {"taken"};
  EXPECT_EQ(legal_names(source, profile, taken),
            (std::vector<std::string>{"n", "n_", "n__", "\xEF\xBF\xBD", "\xEF\xBF\xBD_"}));
  EXPECT_EQ(taken.size(), 6U);
}

// A location from the root and one that begins beside the field say the same.
TEST(LocatedFields, LieBesideTheFieldWhereTheTargetHasNoOthers) {
  const StructureClass inner{.members = {member("length", byte()), member("array", byte())}};
  const StructureClass outer{
      .members = {member("length", byte()), member("inside", make_field_class(inner))}};
  NestedProfile profile{.format = "any", .outer_locations = false, .member_name = repaired_utf8};
  const FieldLocation absolute{.root = Root::kPayload, .path = {"inside", "length"}};
  const FieldLocation beside{.path = {"length"}};
  const FieldLocation outwards{.path = {std::nullopt, "length"}};
  for (const bool outer_locations : {false, true}) {
    profile.outer_locations = outer_locations;
    LocatedFields fields(profile, {.same_format = true}, Root::kPayload);
    fields.open(outer);
    fields.at(1);
    fields.open(inner);
    fields.at(1);
    ASSERT_TRUE(fields.locate(absolute));
    EXPECT_EQ(fields.locate(absolute)->location, outer_locations ? absolute : beside);
    ASSERT_TRUE(fields.locate(beside));
    EXPECT_EQ(fields.locate(beside)->location, beside);
    EXPECT_EQ(fields.locate(outwards).has_value(), outer_locations);
  }
}

}  // namespace
}  // namespace tracedeck::lower
