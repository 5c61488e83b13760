#include "tracedeck/ctf/write/target_names.hpp"

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

TEST(TargetNames, OfCtf1AreIdentifiersAndDistinct) {
  const StructureClass source = members({{"a b", integer_of_roles()},
                                         {"a_b", integer_of_roles()},
                                         {"", integer_of_roles()},
                                         {"-", integer_of_roles()}});
  EXPECT_EQ(target_names(source, Root::kPayload, true, {.dialect = Dialect::kCtf1}),
            (Names{"a_b", "a_b_1", "_", "__1"}));
  EXPECT_EQ(target_names(source, Root::kPayload, true, {.dialect = Dialect::kFinal}),
            (Names{"a b", "a_b", "", "-"}));
}

TEST(TargetNames, OfCtf2AreDistinctAndUtf8) {
  const StructureClass source = members({{"n", integer_of_roles()},
                                         {"n", integer_of_roles()},
                                         {"n_1", integer_of_roles()},
                                         {"\xFF", integer_of_roles()},
                                         {"\xEF\xBF\xBD", integer_of_roles()}});
  for (const Dialect dialect : {Dialect::kFinal, Dialect::kRc3}) {
    EXPECT_EQ(target_names(source, Root::kPayload, true, {.dialect = dialect}),
              (Names{"n", "n_2", "n_1", "\xEF\xBF\xBD", "\xEF\xBF\xBD_1"}));
  }
}

TEST(TargetNames, OursStandBesideMembersOfAPacketContext) {
  const StructureClass source = members({{"packet_size", integer_of_roles()}});
  const MapperOptions options{.dialect = Dialect::kCtf1};
  EXPECT_EQ(target_names(source, Root::kPacketContext, true, options), (Names{"packet_size_1"}));
  EXPECT_EQ(target_names(source, Root::kPacketContext, false, options), (Names{"packet_size"}));
  EXPECT_EQ(target_names(source, Root::kPayload, true, options), (Names{"packet_size"}));
}

TEST(TargetNames, RolesThatStayHaveTheReservedOnes) {
  const std::string role = "packet-total-length";
  const StructureClass source = members({{"first", integer_of_roles({role})},
                                         {"last", integer_of_roles({role})},
                                         {"packet_size", integer_of_roles()}});
  const MapperOptions options{.dialect = Dialect::kCtf1, .keep_roles = true};
  EXPECT_EQ(target_names(source, Root::kPacketContext, true, options),
            (Names{"first", "packet_size", "packet_size_1"}));
}

}  // namespace
}  // namespace tracedeck::ctf
