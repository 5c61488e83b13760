#include "tracedeck/render/json.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tracedeck/render/sample_trace_test.hpp"

namespace tracedeck::render {
namespace {

std::string json(const Slots& slots, const FieldClassPtr& field_class = nullptr) {
  TextBuffer out;
  JsonValues values;
  const Slot* const end = values.append(out, slots.data(), field_class.get());
  EXPECT_EQ(end, slots.data() + slots.size());
  return std::string(out.view());
}

TEST(JsonValues, Scalars) {
  EXPECT_EQ(json({boolean_slot(true)}), "true");
  EXPECT_EQ(json({boolean_slot(false)}), "false");
  EXPECT_EQ(json({unsigned_slot(std::numeric_limits<std::uint64_t>::max())}),
            "18446744073709551615");
  EXPECT_EQ(json({signed_slot(std::numeric_limits<std::int64_t>::min())}), "-9223372036854775808");
  EXPECT_EQ(json({real_slot(1.0)}), "1.0");
  EXPECT_EQ(json({text_slot("a\"b")}), R"("a\"b")");
  EXPECT_EQ(json({bytes_slot(SlotKind::kBlob, as_bytes("foo").data(), 3)}), "\"Zm9v\"");
  EXPECT_EQ(json({unresolved_slot(99)}), R"({"unresolved":99})");
}

TEST(JsonValues, AddressesAreIntegers) {
  EXPECT_EQ(json({unsigned_slot(255, kSlotAddress)}, address_class()), "255");
}

TEST(JsonValues, WideNumbers) {
  const std::vector<std::uint8_t> ones(9, 0xFF);
  EXPECT_EQ(json({wide_slot(SlotKind::kWideUnsigned, ones)}), "4722366482869645213695");
  EXPECT_EQ(json({wide_slot(SlotKind::kWideSigned, ones)}), "-1");
  std::vector<std::uint8_t> binary128(16, 0);
  binary128[15] = 0x3F;
  binary128[14] = 0xFF;
  EXPECT_EQ(json({wide_slot(SlotKind::kWideReal, binary128)}), "1.0");
  binary128[15] = 0x7F;
  binary128[14] = 0xFE;
  EXPECT_EQ(json({wide_slot(SlotKind::kWideReal, binary128)}), "\"Infinity\"");
  EXPECT_EQ(json({wide_slot(SlotKind::kWideReal, {0x00, 0x3C})}), "1.0");
}

TEST(JsonValues, Arrays) {
  EXPECT_EQ(json({head_slot(SlotKind::kArray, 0, 0)}), "[]");
  EXPECT_EQ(json({head_slot(SlotKind::kArray, 2, 2), unsigned_slot(1), text_slot("x")}),
            R"([1,"x"])");
  EXPECT_EQ(json({head_slot(SlotKind::kArray, 2, 3), head_slot(SlotKind::kArray, 0, 0),
                  head_slot(SlotKind::kArray, 1, 1), unsigned_slot(7)}),
            "[[],[7]]");
}

TEST(JsonValues, PackedArraysOfEveryElement) {
  const std::vector<std::uint8_t> bytes = {0xFF, 0x01, 0, 0, 0, 0, 0, 0x40};
  const auto packed = [&](PackedElement element) {
    return json({packed_slot(element, bytes.data(), 8)});
  };
  EXPECT_EQ(packed(PackedElement::kU8), "[255,1,0,0,0,0,0,64]");
  EXPECT_EQ(packed(PackedElement::kI8), "[-1,1,0,0,0,0,0,64]");
  EXPECT_EQ(packed(PackedElement::kU16Le), "[511,0,0,16384]");
  EXPECT_EQ(packed(PackedElement::kU16Be), "[65281,0,0,64]");
  EXPECT_EQ(packed(PackedElement::kI16Be), "[-255,0,0,64]");
  EXPECT_EQ(packed(PackedElement::kU32Le), "[511,1073741824]");
  EXPECT_EQ(packed(PackedElement::kI32Be), "[-16711680,64]");
  EXPECT_EQ(packed(PackedElement::kU64Le), "[4611686018427388415]");
  EXPECT_EQ(packed(PackedElement::kU64Be), "[18374967954648334400]");
  EXPECT_EQ(packed(PackedElement::kF64Le), "[2.000000000000227]");
  EXPECT_EQ(json({packed_slot(PackedElement::kF32Le, bytes.data() + 4, 4)}), "[2.0]");
  EXPECT_EQ(json({packed_slot(PackedElement::kU64Le, nullptr, 0)}), "[]");
}

TEST(JsonValues, StructuresAreObjectsInWireOrder) {
  const FieldClassPtr inner = structure_class({{"x", unsigned_class()}, {"x", unsigned_class()}});
  const FieldClassPtr outer =
      structure_class({{"b", unsigned_class()}, {"a", inner}, {"", string_class()}});
  EXPECT_EQ(json({head_slot(SlotKind::kStructure, 0, 5), unsigned_slot(1),
                  head_slot(SlotKind::kStructure, 0, 2), unsigned_slot(2), unsigned_slot(3),
                  text_slot("end")},
                 outer),
            R"({"b":1,"a":{"x":2,"x":3},"":"end"})");
  EXPECT_EQ(json({head_slot(SlotKind::kStructure, 0, 0)}, structure_class({})), "{}");
}

TEST(JsonValues, ElementsOfArraysHaveTheirNames) {
  const FieldClassPtr element = structure_class({{"n", unsigned_class()}});
  EXPECT_EQ(json({head_slot(SlotKind::kArray, 2, 4), head_slot(SlotKind::kStructure, 0, 1),
                  unsigned_slot(1), head_slot(SlotKind::kStructure, 0, 1), unsigned_slot(2)},
                 array_class(element)),
            R"([{"n":1},{"n":2}])");
}

TEST(JsonValues, StringMapsAreObjectsWithRepeatedKeysRepeated) {
  EXPECT_EQ(
      json({head_slot(SlotKind::kStringMap, 3, 6), text_slot("k"), text_slot("v"), text_slot("k"),
            unsigned_slot(2), text_slot("a\nb"), head_slot(SlotKind::kArray, 0, 0)}),
      R"({"k":"v","k":2,"a\nb":[]})");
  EXPECT_EQ(json({head_slot(SlotKind::kStringMap, 0, 0)}), "{}");
}

TEST(JsonValues, MapsAreArraysOfPairs) {
  EXPECT_EQ(json({head_slot(SlotKind::kMap, 0, 0)}), "[]");
  EXPECT_EQ(
      json({head_slot(SlotKind::kMap, 2, 5), unsigned_slot(1), text_slot("one"),
            head_slot(SlotKind::kArray, 1, 1), unsigned_slot(2), head_slot(SlotKind::kMap, 0, 0)}),
      R"([[1,"one"],[[2],[]]])");
}

TEST(JsonValues, Optionals) {
  const FieldClassPtr optional =
      make_field_class(OptionalClass{.value = structure_class({{"x", unsigned_class()}})});
  EXPECT_EQ(json({head_slot(SlotKind::kOptional, 0, 0)}, optional), "null");
  EXPECT_EQ(json({head_slot(SlotKind::kOptional, 1, 2), head_slot(SlotKind::kStructure, 0, 1),
                  unsigned_slot(1)},
                 optional),
            R"({"x":1})");
  EXPECT_EQ(json({head_slot(SlotKind::kOptional, 1, 1), unsigned_slot(1)}), "1");
}

TEST(JsonValues, AVariantIsItsChosenValue) {
  const FieldClassPtr variant = make_field_class(VariantClass{
      .options = {
          {.name = "number", .field_class = unsigned_class(), .ranges = {}, .attributes = {}},
          {.name = "point",
           .field_class = structure_class({{"x", unsigned_class()}}),
           .ranges = {},
           .attributes = {}}}});
  EXPECT_EQ(json({head_slot(SlotKind::kVariant, 0, 1), unsigned_slot(7)}, variant), "7");
  EXPECT_EQ(json({head_slot(SlotKind::kVariant, 1, 2), head_slot(SlotKind::kStructure, 0, 1),
                  unsigned_slot(7)},
                 variant),
            R"({"x":7})");
}

TEST(JsonValues, EnumerationsShowTheirLabelsInTheOrderOfTheMetadata) {
  const FieldClassPtr enumeration =
      enumeration_class({{.label = "Z", .ranges = {{.lower = 3, .upper = 5}}},
                         {.label = "none", .ranges = {}},
                         {.label = "A", .ranges = {{0, 0}, {5, 9}}}});
  EXPECT_EQ(json({unsigned_slot(5)}, enumeration), R"({"value":5,"labels":["Z","A"]})");
  EXPECT_EQ(json({unsigned_slot(3)}, enumeration), R"({"value":3,"labels":["Z"]})");
  EXPECT_EQ(json({unsigned_slot(10)}, enumeration), R"({"value":10,"labels":[]})");
  EXPECT_EQ(json({unresolved_slot(1)}, string_class()), R"({"unresolved":1})");
}

TEST(JsonValues, EnumerationsOfSignedUnsignedAndWideValues) {
  const Int128 wide_value = Int128{1} << 64;
  const FieldClassPtr enumeration =
      enumeration_class({{.label = "negative", .ranges = {{-10, -1}}},
                         {.label = "top", .ranges = {{Int128{1} << 63, (Int128{1} << 64) - 1}}},
                         {.label = "wide", .ranges = {{wide_value, wide_value}}}});
  EXPECT_EQ(json({signed_slot(-1)}, enumeration), R"({"value":-1,"labels":["negative"]})");
  EXPECT_EQ(json({unsigned_slot(std::numeric_limits<std::uint64_t>::max())}, enumeration),
            R"({"value":18446744073709551615,"labels":["top"]})");
  EXPECT_EQ(json({wide_slot(SlotKind::kWideUnsigned,
                            {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0})},
                 enumeration),
            R"({"value":18446744073709551616,"labels":["wide"]})");
  EXPECT_EQ(
      json({wide_slot(SlotKind::kWideSigned, std::vector<std::uint8_t>(17, 0xFF))}, enumeration),
      R"({"value":-1,"labels":["negative"]})");
  // 2^128 - 1 lies in no range of 127 bits and a sign, though its low bits are those of -1.
  EXPECT_EQ(
      json({wide_slot(SlotKind::kWideUnsigned, std::vector<std::uint8_t>(16, 0xFF))}, enumeration),
      R"({"value":340282366920938463463374607431768211455,"labels":[]})");
}

TEST(JsonValues, EnumerationsInPackedArrays) {
  const std::vector<std::uint8_t> bytes = {1, 2};
  const FieldClassPtr array =
      array_class(enumeration_class({{.label = "one", .ranges = {{1, 1}}}}));
  EXPECT_EQ(json({packed_slot(PackedElement::kU8, bytes.data(), 2)}, array),
            R"([{"value":1,"labels":["one"]},{"value":2,"labels":[]}])");
}

TEST(JsonValues, BitArraysAndBitMapsAreIntegers) {
  const FieldClassPtr bits = make_field_class(IntegerClass{
      .form = IntegerClass::Form::kBitMap, .mappings = {{.label = "flag", .ranges = {{0, 0}}}}});
  EXPECT_EQ(json({unsigned_slot(5)}, bits), "5");
}

TEST(JsonValues, NestingIsBoundByNoStack) {
  constexpr std::uint32_t kDepth = 200'000;
  Slots slots;
  for (std::uint32_t i = 0; i < kDepth; ++i) {
    slots.push_back(head_slot(i % 2 == 0 ? SlotKind::kArray : SlotKind::kOptional, 1, kDepth - i));
  }
  slots.push_back(unsigned_slot(1));
  const std::string text = json(slots);
  const std::string opened(kDepth / 2, '[');
  const std::string closed(kDepth / 2, ']');
  EXPECT_EQ(text, fmt::format("{}1{}", opened, closed));
}

TEST(JsonValues, MembersWithoutAHead) {
  const FieldClassPtr structure =
      structure_class({{"a", unsigned_class()}, {"b", array_class(unsigned_class())}});
  const Slots slots = {unsigned_slot(1), head_slot(SlotKind::kArray, 1, 1), unsigned_slot(2)};
  TextBuffer out;
  JsonValues values;
  values.append_members(out, slots, structure.get());
  values.append_members(out, {}, structure.get());
  EXPECT_EQ(out.view(), R"({"a":1,"b":[2]}{})");
}

TEST(JsonValues, CountWhatDoesNotGoIntoJson) {
  TextBuffer out;
  JsonValues values;
  std::vector<std::uint8_t> fine(16, 0);
  fine[0] = 1;
  fine[14] = 0xFF;
  fine[15] = 0x3F;
  const Slots slots = {text_slot("a\xFF\xFF"), text_slot("b"),
                       wide_slot(SlotKind::kWideReal, fine)};
  for (const Slot& slot : slots) values.append(out, &slot, nullptr);
  EXPECT_EQ(values.style().faults().replaced_texts, 1U);
  EXPECT_EQ(values.style().faults().rounded_reals, 1U);
}

}  // namespace
}  // namespace tracedeck::render
