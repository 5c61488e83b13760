#include "tracedeck/ctf/write/encode_program.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tracedeck/ctf/write/target_classes.hpp"

namespace tracedeck::ctf {
namespace {

using Bytes = std::vector<std::uint8_t>;

Member member(std::string name, FieldClassPtr field_class) {
  return {.name = std::move(name), .field_class = std::move(field_class), .attributes = {}};
}

struct Encoded {
  EncodeStatus status = EncodeStatus::kOk;
  Bytes bytes;
  FieldClassPtr target;
};

Encoded encode(std::vector<Member> members, std::vector<Slot> slots,
               Dialect dialect = Dialect::kFinal) {
  ClassMapper mapper({.dialect = dialect});
  const auto mapped =
      mapper.add_root(FieldLocation::Root::kPayload,
                      make_field_class(StructureClass{.members = std::move(members)}));
  Encoded encoded;
  if (!mapped) return encoded;
  encoded.target = mapped->target;
  std::vector<WrittenValue> values(mapper.program().nodes.size());
  Encoder encoder;
  BitWriter out;
  encoded.status = encoder.encode(mapper.program(), mapped->node, slots, out, values, {});
  encoded.bytes.assign(out.bytes().begin(), out.bytes().end());
  return encoded;
}

FieldClassPtr integer(std::uint32_t width, bool is_signed = false,
                      ByteOrder order = ByteOrder::kLittle) {
  return make_field_class(IntegerClass{.is_signed = is_signed,
                                       .layout = FixedLayout{.width = width, .byte_order = order}});
}

Slot text(std::string_view of) {
  return bytes_slot(SlotKind::kString, as_bytes(of).data(), static_cast<std::uint32_t>(of.size()));
}

TEST(Encode, Leb128) {
  const auto leb = [](bool is_signed) {
    return make_field_class(IntegerClass{.is_signed = is_signed, .layout = Leb128Layout{}});
  };
  EXPECT_EQ(encode({member("u", leb(false))}, {unsigned_slot(624485)}).bytes,
            (Bytes{0xE5, 0x8E, 0x26}));
  EXPECT_EQ(encode({member("s", leb(true))}, {signed_slot(-123456)}).bytes,
            (Bytes{0xC0, 0xBB, 0x78}));
  EXPECT_EQ(encode({member("s", leb(true))}, {signed_slot(64)}).bytes, (Bytes{0xC0, 0x00}));
  EXPECT_EQ(encode({member("u", leb(false))}, {unsigned_slot(0)}).bytes, (Bytes{0x00}));
}

TEST(Encode, ByteOrderChangesAtBytesOnly) {
  const auto made =
      encode({member("a", integer(4)), member("b", integer(8, false, ByteOrder::kBig))},
             {unsigned_slot(0xF), unsigned_slot(0x12)});
  EXPECT_EQ(made.bytes, (Bytes{0x0F, 0x12}));
  EXPECT_EQ(made.target->as<StructureClass>()->members[1].field_class->alignment, 8U);
}

TEST(Encode, AnIntegerMustFit) {
  EXPECT_EQ(encode({member("a", integer(4))}, {unsigned_slot(16)}).status, EncodeStatus::kTooLarge);
  EXPECT_EQ(encode({member("a", integer(4, true))}, {signed_slot(-8)}).bytes, (Bytes{0x08}));
  EXPECT_EQ(encode({member("a", integer(4, true))}, {signed_slot(-9)}).status,
            EncodeStatus::kTooLarge);
}

TEST(Encode, AddedLengthsComeBeforeWhatTheyMeasure) {
  const auto made = encode({member("s", make_field_class(StringClass{.extent = LengthPrefixed{}}))},
                           {text("hi")});
  EXPECT_EQ(made.bytes, (Bytes{2, 0, 0, 0, 'h', 'i'}));
  const auto& members = made.target->as<StructureClass>()->members;
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members[0].name, "s_length");
}

TEST(Encode, LengthsOfTheSourceMustBeTrue) {
  const FieldLocation length{.root = FieldLocation::Root::kPayload, .path = {"n"}};
  const std::vector<Member> members = {
      member("n", integer(8)),
      member("a",
             make_field_class(ArrayClass{.element = integer(8), .extent = LengthField{length}}))};
  const Bytes elements = {7, 8};
  const Slot array = packed_slot(PackedElement::kU8, elements.data(), 2);
  EXPECT_EQ(encode(members, {unsigned_slot(2), array}).bytes, (Bytes{2, 7, 8}));
  EXPECT_EQ(encode(members, {unsigned_slot(3), array}).status, EncodeStatus::kLength);
}

TEST(Encode, OptionalsOfCtf1AreVariants) {
  const std::vector<Member> members = {
      member("o", make_field_class(OptionalClass{.value = integer(8), .presence = {}}))};
  EXPECT_EQ(
      encode(members, {head_slot(SlotKind::kOptional, 1, 1), unsigned_slot(9)}, Dialect::kCtf1)
          .bytes,
      (Bytes{1, 9}));
  EXPECT_EQ(encode(members, {head_slot(SlotKind::kOptional, 0, 0)}, Dialect::kCtf1).bytes,
            (Bytes{0}));
}

TEST(Encode, WideIntegersInBothByteOrders) {
  const Bytes value = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const Slot slot = bytes_slot(SlotKind::kWideUnsigned, value.data(), 10);
  EXPECT_EQ(encode({member("w", integer(80))}, {slot}).bytes, value);
  EXPECT_EQ(encode({member("w", integer(80, false, ByteOrder::kBig))}, {slot}).bytes,
            (Bytes{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(encode({member("w", integer(80))}, {slot}, Dialect::kCtf1).bytes, value);
}

TEST(Encode, Utf16) {
  const auto string =
      make_field_class(StringClass{.extent = NullTerminated{}, .encoding = TextEncoding::kUtf16Be});
  EXPECT_EQ(encode({member("s", string)}, {text("a\xF0\x9F\x98\x80")}).bytes,
            (Bytes{0, 'a', 0xD8, 0x3D, 0xDE, 0x00, 0, 0}));
  EXPECT_EQ(encode({member("s", string)}, {text("a")}, Dialect::kRc3).bytes, (Bytes{'a', 0}));
}

TEST(Encode, VariableLengthIntegersOfCtf1KeepTheirWidth) {
  const auto leb = [](bool is_signed) {
    return make_field_class(IntegerClass{.is_signed = is_signed, .layout = Leb128Layout{}});
  };
  EXPECT_EQ(encode({member("u", leb(false))}, {unsigned_slot(7)}, Dialect::kCtf1).bytes,
            (Bytes{0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0}));
  const Bytes value = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const Slot wide = bytes_slot(SlotKind::kWideUnsigned, value.data(), 9);
  const auto made = encode({member("u", leb(false))}, {wide}, Dialect::kCtf1);
  EXPECT_EQ(made.bytes, (Bytes{9, 0, 0,    0,    1,    2,    3,    4,    5,    6,   7,
                               8, 9, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}));
  const auto& members = made.target->as<StructureClass>()->members;
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members[0].name, "u_whole");
  // -2^63 fits, -2^63 - 1 does not.
  const Bytes below = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF};
  const Slot least = signed_slot(std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(encode({member("s", leb(true))}, {least}, Dialect::kCtf1).bytes,
            (Bytes{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80}));
  EXPECT_EQ(encode({member("s", leb(true))}, {bytes_slot(SlotKind::kWideSigned, below.data(), 9)},
                   Dialect::kCtf1)
                .bytes,
            (Bytes{9,    0,    0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                   0x7F, 0xFF, 0, 0, 0,    0,    0,    0,    0,    0x80}));
}

TEST(Encode, VariableLengthIntegersComeBackFromCtf1) {
  ClassMapper mapper({.dialect = Dialect::kRc3, .restoring = true});
  StructureClass structure;
  structure.members.push_back(
      member("u", make_field_class(IntegerClass{.layout = Leb128Layout{}})));
  const auto mapped =
      mapper.add_root(FieldLocation::Root::kPayload, make_field_class(std::move(structure)));
  ASSERT_TRUE(mapped);
  const Bytes value = {0, 0, 0, 0, 0, 0, 0, 0, 1};
  const Slot slots[] = {head_slot(SlotKind::kStructure, 2, 2), unsigned_slot(9),
                        packed_slot(PackedElement::kU8, value.data(), 9),
                        unsigned_slot(std::numeric_limits<std::uint64_t>::max())};
  std::vector<WrittenValue> values(mapper.program().nodes.size());
  Encoder encoder;
  BitWriter out;
  ASSERT_EQ(encoder.encode(mapper.program(), mapped->node, slots, out, values, {}),
            EncodeStatus::kOk);
  EXPECT_EQ(Bytes(out.bytes().begin(), out.bytes().end()),
            (Bytes{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02}));
}

// CTF2-SPECRC-3.0, dsc-frag: a header holds no lengths.
TEST(Encode, LengthsInHeadersThatAreNotKeptStandBeforeTheirValues) {
  const LengthField length{{.root = FieldLocation::Root::kPacketHeader, .path = {"n"}}};
  const Bytes elements = {7, 8, 9};
  const auto made =
      encode({member("s", make_field_class(StringClass{.extent = length})),
              member("a", make_field_class(ArrayClass{.element = integer(8), .extent = length}))},
             // The string ended before its length did.
             {text("a"), packed_slot(PackedElement::kU8, elements.data(), 3)}, Dialect::kRc3);
  EXPECT_EQ(made.bytes, (Bytes{1, 0, 0, 0, 'a', 3, 0, 0, 0, 7, 8, 9}));
  const auto& members = made.target->as<StructureClass>()->members;
  ASSERT_EQ(members.size(), 4U);
  EXPECT_EQ(members[0].name, "s_length");
  EXPECT_EQ(members[2].name, "a_length");
}

TEST(Encode, FieldsThatCtf2DoesNotAllowInHeadersSelectOrAreLeftOut) {
  const HeadSelectors none;
  ClassMapper mapper({.dialect = Dialect::kFinal, .keep_roles = true, .head_selectors = &none});
  FieldClass clock{.kind = IntegerClass{.layout = FixedLayout{.width = 16}}};
  clock.roles = {"default-clock-timestamp"};
  StructureClass header;
  header.members.push_back(member("n", integer(8)));
  header.members.push_back(member("s", make_field_class(StringClass{.extent = NullTerminated{}})));
  header.members.push_back(member("t", std::make_shared<const FieldClass>(clock)));
  const auto root =
      mapper.add_root(FieldLocation::Root::kEventHeader, make_field_class(std::move(header)));
  ASSERT_TRUE(root);
  const auto& members = root->target->as<StructureClass>()->members;
  ASSERT_EQ(members.size(), 3U);
  EXPECT_EQ(members[1].name, "n_selects");
  EXPECT_NE(members[1].field_class->as<OptionalClass>(), nullptr);
  EXPECT_EQ(members[2].name, "t");
  EXPECT_EQ(mapper.counts().left_out, 1U);
  const Slot slots[] = {unsigned_slot(1), text("x"), unsigned_slot(0x0203)};
  std::vector<WrittenValue> values(mapper.program().nodes.size());
  Encoder encoder;
  BitWriter out;
  ASSERT_EQ(encoder.encode(mapper.program(), root->node, slots, out, values, {}),
            EncodeStatus::kOk);
  EXPECT_EQ(Bytes(out.bytes().begin(), out.bytes().end()), (Bytes{1, 3, 2}));

  ClassMapper back({.dialect = Dialect::kCtf1, .keep_roles = true});
  const auto again = back.add_root(FieldLocation::Root::kEventHeader, root->target);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->target->as<StructureClass>()->members.size(), 2U);
}

}  // namespace
}  // namespace tracedeck::ctf
