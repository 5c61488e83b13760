#include "tracedeck/ctf/alignment.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace tracedeck::ctf {
namespace {

FieldClassPtr aligned_integer(std::uint32_t alignment) {
  FieldClass made{.kind = IntegerClass{.layout = FixedLayout{.width = 8}}};
  made.alignment = alignment;
  return std::make_shared<const FieldClass>(std::move(made));
}

FieldClassPtr structure(std::uint32_t minimum, FieldClassPtr member) {
  StructureClass made{.minimum_alignment = minimum};
  made.members.push_back({.name = "m", .field_class = std::move(member), .attributes = {}});
  return make_field_class(std::move(made));
}

std::uint32_t alignment_of(const FieldClassPtr& field_class) {
  return Alignments().of(*field_class);
}

TEST(Alignments, ScalarsHaveTheirOwn) {
  EXPECT_EQ(alignment_of(aligned_integer(1)), 1U);
  EXPECT_EQ(alignment_of(aligned_integer(32)), 32U);
}

TEST(Alignments, WhatIsMadeOfBytesBeginsAtOne) {
  EXPECT_EQ(alignment_of(make_field_class(IntegerClass{.layout = Leb128Layout{}})), 8U);
  EXPECT_EQ(alignment_of(make_field_class(StringClass{.extent = NullTerminated{}})), 8U);
  EXPECT_EQ(alignment_of(make_field_class(BlobClass{.extent = StaticLength{0}})), 8U);
}

TEST(Alignments, CompoundsTakeTheLargestInside) {
  EXPECT_EQ(alignment_of(structure(1, aligned_integer(16))), 16U);
  EXPECT_EQ(alignment_of(structure(64, aligned_integer(16))), 64U);
  EXPECT_EQ(alignment_of(make_field_class(StructureClass{})), 1U);
  // Elements that are not there count too.
  EXPECT_EQ(alignment_of(make_field_class(ArrayClass{.element = structure(1, aligned_integer(32)),
                                                     .extent = StaticLength{0}})),
            32U);
}

TEST(Alignments, WhatMayBeLeftOutAsksForNothing) {
  EXPECT_EQ(
      alignment_of(make_field_class(OptionalClass{.value = aligned_integer(32), .presence = {}})),
      1U);
  VariantClass variant;
  variant.options.push_back(
      {.name = "o", .field_class = aligned_integer(32), .ranges = {}, .attributes = {}});
  EXPECT_EQ(alignment_of(structure(1, make_field_class(std::move(variant)))), 1U);
}

}  // namespace
}  // namespace tracedeck::ctf
