#include "tracedeck/model/written_out.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace tracedeck {
namespace {

FieldClassPtr twice(const FieldClassPtr& of) {
  return make_field_class(StructureClass{.members = {{"a", of}, {"b", of}}});
}

TEST(WrittenOut, SharedClassesCountWhereverTheyAreUsed) {
  FieldClassPtr shared = make_field_class(BooleanClass{});
  for (int i = 0; i < 18; ++i) shared = twice(shared);  // 2^19 - 1 classes
  WrittenOut written;
  EXPECT_TRUE(written.add({shared, nullptr}, "trace"));
  EXPECT_TRUE(written.add({shared}, "trace"));
  const auto refused = written.add({shared}, "trace");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kLimitExceeded);
  EXPECT_TRUE(written.add({make_field_class(BooleanClass{})}, "trace"));
  for (int i = 0; i < 200; ++i) shared = twice(shared);
  EXPECT_FALSE(WrittenOut().add({shared}, "trace"));
}

TEST(WrittenOut, ClassesThatAreThereMayBeMany) {
  StructureClass large;
  for (int i = 0; i < 2'000'000; ++i)
    large.members.push_back({"", make_field_class(BooleanClass{})});
  const FieldClassPtr made = make_field_class(std::move(large));
  EXPECT_TRUE(WrittenOut().add({made}, "trace"));
}

}  // namespace
}  // namespace tracedeck
