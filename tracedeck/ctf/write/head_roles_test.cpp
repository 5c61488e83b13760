#include "tracedeck/ctf/write/head_roles.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace tracedeck::ctf {
namespace {

using Root = FieldLocation::Root;

FieldClassPtr integer_of_role(const std::string& role, std::uint32_t width) {
  FieldClass made{.kind = IntegerClass{.layout = FixedLayout{.width = width}}};
  made.roles = {role};
  return std::make_shared<const FieldClass>(std::move(made));
}

FieldClassPtr structure(FieldClassPtr member) {
  StructureClass made;
  made.members.push_back({.name = "m", .field_class = std::move(member), .attributes = {}});
  return make_field_class(std::move(made));
}

constexpr auto* kClockRole = "default-clock-timestamp";

TEST(HeadRoles, AClockOfAPacketContextIsItsBegin) {
  HeadRoles heads;
  heads.collect(structure(integer_of_role(kClockRole, 64)), Root::kPacketContext);
  EXPECT_TRUE(heads.has_begin);
  EXPECT_FALSE(heads.has_clock);
  EXPECT_EQ(heads.roles, role_bit(Role::kPacketBegin));
}

TEST(HeadRoles, TimesNeedAClock) {
  HeadRoles heads;
  heads.collect(structure(integer_of_role(kClockRole, 64)), Root::kEventHeader);
  EXPECT_TRUE(heads.serve(false, false, true));
  EXPECT_FALSE(heads.serve(false, false, false));
}

TEST(HeadRoles, WithoutABeginDialectsDifferOnNarrowClocks) {
  HeadRoles heads;
  heads.collect(structure(integer_of_role(kClockRole, 32)), Root::kEventHeader);
  EXPECT_TRUE(heads.has_narrow_clock);
  EXPECT_TRUE(heads.serve(true, true, true));
  EXPECT_FALSE(heads.serve(true, false, true));
  EXPECT_FALSE(heads.serve(false, true, true));
  heads.collect(structure(integer_of_role(kClockRole, 64)), Root::kPacketContext);
  EXPECT_TRUE(heads.serve(true, false, true));
}

TEST(HeadRoles, Ctf1HasIntegersOfUpTo64Bits) {
  HeadRoles heads;
  heads.collect(structure(integer_of_role("event-record-class-id", 80)), Root::kEventHeader);
  EXPECT_FALSE(heads.plain);
  EXPECT_TRUE(heads.serve(false, false, false));
  EXPECT_FALSE(heads.serve(true, true, false));
}

TEST(HeadRoles, ArraysHaveNone) {
  FieldClass uuid{.kind =
                      ArrayClass{.element = integer_of_role("", 8), .extent = StaticLength{16}}};
  uuid.roles = {"trace-class-uuid"};
  HeadRoles heads;
  heads.collect(structure(std::make_shared<const FieldClass>(std::move(uuid))),
                Root::kPacketHeader);
  EXPECT_FALSE(heads.serve(false, false, false));
}

}  // namespace
}  // namespace tracedeck::ctf
