#include "tracedeck/ctf/write/mapped_fields.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace tracedeck::ctf {
namespace {

using Root = FieldLocation::Root;

FieldClassPtr byte_class() {
  return make_field_class(IntegerClass{.layout = FixedLayout{.width = 8}});
}

StructureClass members(std::vector<std::pair<std::string, FieldClassPtr>> of) {
  StructureClass made;
  for (auto& [name, field_class] : of)
    made.members.push_back({.name = name, .field_class = std::move(field_class), .attributes = {}});
  return made;
}

// A structure of which the members before `current` were mapped, under their own names.
OpenStructure open_at(const StructureClass& source, std::size_t current, ProgramBuilder& program) {
  OpenStructure made{.source = &source, .current = current};
  for (const Member& member : source.members) {
    made.names.emplace_back(member.name);
    made.taken.emplace(member.name);
  }
  made.current_name = made.names[current];
  for (std::size_t i = 0; i < current; ++i)
    made.nodes.push_back(program.add({.op = EncodeOp::kInteger}));
  return made;
}

TEST(MappedFields, OnlyWhatCameBeforeIsFound) {
  const StructureClass source =
      members({{"length", byte_class()}, {"array", byte_class()}, {"later", byte_class()}});
  ProgramBuilder program;
  MappedFields fields(program);
  fields.begin_root(Root::kPayload);
  fields.open(open_at(source, 1, program));
  const auto found = fields.find({.root = Root::kPayload, .path = {"length"}});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->refs.size(), 1U);
  EXPECT_EQ(found->refs[0].node, 0U);
  EXPECT_FALSE(found->refs[0].of_packet);
  EXPECT_TRUE(fields.find({.root = Root::kRelative, .path = {"length"}}));
  EXPECT_FALSE(fields.find({.root = Root::kPayload, .path = {"array"}}));
  EXPECT_FALSE(fields.find({.root = Root::kPayload, .path = {"later"}}));
  EXPECT_FALSE(fields.find({.root = Root::kPayload, .path = {"nowhere"}}));
  EXPECT_FALSE(fields.find({.root = Root::kPacketContext, .path = {"length"}}));
}

TEST(MappedFields, LocationsFollowTheDialect) {
  const StructureClass inner = members({{"length", byte_class()}, {"array", byte_class()}});
  const StructureClass outer =
      members({{"length", byte_class()}, {"inside", make_field_class(inner)}});
  ProgramBuilder program;
  MappedFields fields(program);
  fields.begin_root(Root::kPayload);
  fields.open(open_at(outer, 1, program));
  fields.open(open_at(inner, 1, program));
  const auto found = fields.find({.root = Root::kRelative, .path = {std::nullopt, "length"}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->frame, 0U);
  const FieldLocation relative = fields.target_location(*found, Dialect::kFinal);
  EXPECT_EQ(relative.root, Root::kRelative);
  EXPECT_EQ(relative.path.size(), 2U);
  EXPECT_FALSE(relative.path[0]);
  const FieldLocation absolute = fields.target_location(*found, Dialect::kRc3);
  EXPECT_EQ(absolute.root, Root::kPayload);
  EXPECT_EQ(absolute.path.size(), 1U);
  // CTF 1.8 would find the inner one by its name, and so has to say it from the root.
  EXPECT_EQ(fields.target_location(*found, Dialect::kCtf1).root, Root::kPayload);
  const FieldLocation added = fields.added_location("added", Dialect::kRc3);
  ASSERT_EQ(added.path.size(), 2U);
  EXPECT_EQ(added.path[0], "inside");
}

TEST(MappedFields, ThePacketContextIsAnothers) {
  const StructureClass context = members({{"length", byte_class()}, {"end", byte_class()}});
  ProgramBuilder packet_program;
  MappedFields packet(packet_program);
  packet.begin_root(Root::kPacketContext);
  packet.open(open_at(context, 1, packet_program));
  packet.innermost().nodes.push_back(packet_program.add({.op = EncodeOp::kInteger}));
  OpenStructure closed = packet.close();
  const std::uint32_t node = packet_program.add({.op = EncodeOp::kStructure});
  packet.keep_members(node, std::move(closed));
  packet.end_root(context, node);

  const StructureClass payload = members({{"array", byte_class()}});
  ProgramBuilder program;
  MappedFields fields(program);
  fields.use_packet_context(packet);
  fields.begin_root(Root::kPayload);
  fields.open(open_at(payload, 0, program));
  const auto found = fields.find({.root = Root::kPacketContext, .path = {"end"}});
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->frame);
  ASSERT_EQ(found->refs.size(), 1U);
  EXPECT_TRUE(found->refs[0].of_packet);
  EXPECT_EQ(found->refs[0].node, 1U);
}

}  // namespace
}  // namespace tracedeck::ctf
