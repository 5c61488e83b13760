#include "tracedeck/ctf/metadata/tsdl_metadata_writer.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <utility>

namespace tracedeck::ctf {
namespace {

using Root = FieldLocation::Root;
using Names = std::vector<std::string>;

FieldClassPtr integer_of_roles(RareList<std::string> roles = {}) {
  FieldClass made{.kind = IntegerClass{.layout = FixedLayout{.width = 8}}};
  made.roles = std::move(roles);
  return std::make_shared<const FieldClass>(std::move(made));
}

StructureClass members(std::initializer_list<std::pair<std::string, FieldClassPtr>> of) {
  StructureClass made;
  for (const auto& [name, field_class] : of)
    made.members.push_back({.name = name, .field_class = field_class, .attributes = {}});
  return made;
}

TEST(TsdlMemberNames, AreIdentifiersAndDistinct) {
  const StructureClass source = members({{"a b", integer_of_roles()},
                                         {"a_b", integer_of_roles()},
                                         {"", integer_of_roles()},
                                         {"-", integer_of_roles()}});
  EXPECT_EQ(tsdl_member_names(Root::kPayload, source), (Names{"_a_b", "_a_b_1", "__", "___1"}));
}

TEST(TsdlMemberNames, ReservedOnesAreOfMembersWithRoles) {
  const std::string role = "packet-total-length";
  const StructureClass source = members({{"first", integer_of_roles({role})},
                                         {"last", integer_of_roles({role})},
                                         {"packet_size", integer_of_roles()}});
  EXPECT_EQ(tsdl_member_names(Root::kPacketContext, source),
            (Names{"_first", "packet_size", "_packet_size_1"}));
  EXPECT_EQ(tsdl_member_names(Root::kPayload, members({{"packet_size", integer_of_roles()}})),
            (Names{"_packet_size"}));
}

}  // namespace
}  // namespace tracedeck::ctf
