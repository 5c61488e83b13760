#include "tracedeck/model/class_tree.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace tracedeck {
namespace {

FieldClassPtr structure_of(FieldClassPtr inner) {
  return make_field_class(StructureClass{
      .members = {{"n", make_field_class(IntegerClass{})}, {"in", std::move(inner)}}});
}

TEST(ClassTree, RolesAreFoundAtAnyDepthAndEachTime) {
  const auto begin = std::make_shared<const FieldClass>(
      FieldClass{.kind = IntegerClass{}, .roles = {"packet-beginning-default-clock-timestamp"}});
  EXPECT_TRUE(has_role_inside(*begin));
  const FieldClassPtr with = structure_of(
      make_field_class(ArrayClass{.element = structure_of(begin), .extent = StaticLength{2}}));
  EXPECT_TRUE(has_role_inside(*with));
  EXPECT_TRUE(has_role_inside(*structure_of(with)));
  EXPECT_FALSE(has_role_inside(*structure_of(make_field_class(BooleanClass{}))));
  // Of classes that are shared each is looked at once.
  FieldClassPtr shared = make_field_class(BooleanClass{});
  for (int i = 0; i < 100; ++i)
    shared = make_field_class(StructureClass{.members = {{"a", shared}, {"b", shared}}});
  EXPECT_FALSE(has_role_inside(*shared));
}

}  // namespace
}  // namespace tracedeck
