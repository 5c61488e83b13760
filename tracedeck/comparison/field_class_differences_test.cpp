#include "tracedeck/comparison/field_class_differences.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tracedeck::comparison {
namespace {

using testing::ElementsAre;

FieldClassPtr wide(std::uint32_t width) {
  return make_field_class(IntegerClass{.layout = FixedLayout{.width = width}});
}

FieldClassPtr three_of(const FieldClassPtr& field_class) {
  return make_field_class(
      StructureClass{.members = {{"a", field_class}, {"b", field_class}, {"c", field_class}}});
}

std::vector<std::string> paths_of(const FieldClassPtr& left, const FieldClassPtr& right) {
  Differences found(1000);
  compare_field_classes(left.get(), right.get(), "E", "", found);
  std::vector<std::string> paths;
  for (const Difference& each : found.found()) paths.push_back(each.key.path);
  return paths;
}

TEST(FieldClassDifferences, OfSharedScalarsAreAtEachPlace) {
  EXPECT_THAT(paths_of(three_of(wide(8)), three_of(wide(16))), ElementsAre("a", "b", "c"));
}

// A class that is shared at each of a hundred levels stands at 2^100 places.
TEST(FieldClassDifferences, OfSharedCompoundsEnd) {
  FieldClassPtr left = three_of(wide(8));
  FieldClassPtr right = three_of(wide(16));
  for (int i = 0; i < 100; ++i) {
    left = three_of(left);
    right = three_of(right);
  }
  EXPECT_EQ(paths_of(left, right).size(), 3U);
}

}  // namespace
}  // namespace tracedeck::comparison
