#include "tracedeck/ctf/write/encode_program.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

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

TEST(Encode, WideIntegersInBothByteOrders) {
  const Bytes value = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const Slot slot = bytes_slot(SlotKind::kWideUnsigned, value.data(), 10);
  EXPECT_EQ(encode({member("w", integer(80))}, {slot}).bytes, value);
  EXPECT_EQ(encode({member("w", integer(80, false, ByteOrder::kBig))}, {slot}).bytes,
            (Bytes{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}));
}

TEST(Encode, Utf16) {
  const auto string =
      make_field_class(StringClass{.extent = NullTerminated{}, .encoding = TextEncoding::kUtf16Be});
  EXPECT_EQ(encode({member("s", string)}, {text("a\xF0\x9F\x98\x80")}).bytes,
            (Bytes{0, 'a', 0xD8, 0x3D, 0xDE, 0x00, 0, 0}));
}

TEST(Encode, ClassesThatAreToBeLoweredFirst) {
  for (const FieldClassPtr& each :
       {make_field_class(StringClass{.extent = LengthPrefixed{}}),
        make_field_class(OptionalClass{.value = integer(8)}),
        make_field_class(MapClass{.key = integer(8), .value = integer(8)})}) {
    ClassMapper mapper({});
    const auto mapped =
        mapper.add_root(FieldLocation::Root::kPayload,
                        make_field_class(StructureClass{.members = {member("x", each)}}));
    ASSERT_FALSE(mapped);
    EXPECT_EQ(mapped.error().code, ErrorCode::kUnsupported);
  }
}

FieldClassPtr bytes_of_length(FieldLocation length) {
  return make_field_class(ArrayClass{.element = integer(8), .extent = LengthField{length}});
}

TEST(Encode, LengthsAreFieldsBeforeWhatTheyMeasure) {
  using Root = FieldLocation::Root;
  const std::pair<FieldLocation, bool> locations[] = {
      {{.root = Root::kPayload, .path = {"length"}}, true},
      {{.root = Root::kPayload, .path = {"inside", "length"}}, true},
      {{.root = Root::kRelative, .path = {"length"}}, true},
      {{.root = Root::kRelative, .path = {std::nullopt, "length"}}, true},
      {{.root = Root::kRelative, .path = {std::nullopt, "inside", "length"}}, true},
      {{.root = Root::kRelative, .path = {std::nullopt, std::nullopt, "length"}}, false},
      {{.root = Root::kPayload, .path = {"inside"}}, false},
      {{.root = Root::kPayload, .path = {"inside", "array"}}, false},
      {{.root = Root::kPayload, .path = {"inside", "later"}}, false},
      {{.root = Root::kPayload, .path = {"later"}}, false},
      {{.root = Root::kPayload, .path = {"nowhere"}}, false},
      {{.root = Root::kPayload, .path = {"length", "deeper"}}, false},
      {{.root = Root::kPayload, .path = {}}, false},
      {{.root = Root::kPacketContext, .path = {"length"}}, false},
  };
  for (const auto& [location, is_found] : locations) {
    const FieldClassPtr inside = make_field_class(StructureClass{
        .members = {member("length", integer(8)), member("array", bytes_of_length(location)),
                    member("later", integer(8))}});
    const FieldClassPtr payload = make_field_class(
        StructureClass{.members = {member("length", integer(8)), member("inside", inside),
                                   member("later", integer(8))}});
    ClassMapper mapper({.dialect = Dialect::kFinal});
    EXPECT_EQ(mapper.add_root(Root::kPayload, payload).has_value(), is_found)
        << location.path.size();
  }
}

TEST(Encode, LengthsOfThePacketContext) {
  using Root = FieldLocation::Root;
  ClassMapper packet({.dialect = Dialect::kFinal});
  const auto context = packet.add_root(
      Root::kPacketContext, make_field_class(StructureClass{
                                .members = {member("n", integer(8)), member("m", integer(8))}}));
  ASSERT_TRUE(context);
  ClassMapper mapper({.dialect = Dialect::kFinal});
  mapper.use_packet_context(packet);
  const auto payload = mapper.add_root(
      Root::kPayload, make_field_class(StructureClass{
                          .members = {member("a", bytes_of_length({.root = Root::kPacketContext,
                                                                   .path = {"m"}}))}}));
  ASSERT_TRUE(payload);
  std::vector<WrittenValue> packet_values(packet.program().nodes.size());
  std::vector<WrittenValue> values(mapper.program().nodes.size());
  Encoder encoder;
  BitWriter out;
  const Slot counts[] = {unsigned_slot(1), unsigned_slot(2)};
  ASSERT_EQ(encoder.encode(packet.program(), context->node, counts, out, packet_values, {}),
            EncodeStatus::kOk);
  const Bytes elements = {7, 8};
  for (const std::uint32_t length : {1U, 2U}) {
    const Slot array[] = {packed_slot(PackedElement::kU8, elements.data(), length)};
    EXPECT_EQ(encoder.encode(mapper.program(), payload->node, array, out, values, packet_values),
              length == 2 ? EncodeStatus::kOk : EncodeStatus::kLength);
  }
}

// What is lowered has them; what is not is refused.
TEST(Encode, NamesOfCtf2AreDistinctAndUtf8) {
  for (const auto& [one, other] : {std::pair("n", "n"), std::pair("n", "\xFF")}) {
    for (const Dialect dialect : {Dialect::kFinal, Dialect::kRc3}) {
      ClassMapper mapper({.dialect = dialect});
      const auto mapped = mapper.add_root(
          FieldLocation::Root::kPayload,
          make_field_class(
              StructureClass{.members = {member(one, integer(8)), member(other, integer(8))}}));
      ASSERT_FALSE(mapped);
      EXPECT_EQ(mapped.error().code, ErrorCode::kUnsupported);
    }
  }
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
