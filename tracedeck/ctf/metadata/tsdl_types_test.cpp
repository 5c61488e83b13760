// What types of TSDL become.
#include "tracedeck/ctf/metadata/tsdl_types.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tracedeck/ctf/metadata/tsdl_reading_test.hpp"

namespace tracedeck::ctf {
namespace {

// Metadata with one event of these fields.
TsdlReading fields(std::string_view text) {
  return TsdlReading(fmt::format("event {{ fields := struct {{ {} }}; }};", text));
}

std::string length_of(const TsdlReading& reading, std::vector<std::string> names) {
  const FieldClassPtr field = reading.field(std::move(names));
  if (field == nullptr) return "no field";
  if (const auto* const array = field->as<ArrayClass>()) return spelt(array->extent);
  if (const auto* const string = field->as<StringClass>()) return spelt(string->extent);
  return "no array";
}

TEST(TsdlTypes, Integers) {
  const TsdlReading reading = fields(
      "integer { size = 5; } a; integer { size = 16; byte_order = le; base = hex; } b;"
      "integer { size = 12; align = 4; signed = TRUE; byte_order = network; base = 8; } c;"
      "integer { size = 65536; byte_order = native; base = x; signed = 0; encoding = none; } d;");
  EXPECT_EQ(reading.faults(), std::vector<std::string>{});
  struct Case {
    std::string name;
    std::uint32_t width;
    ByteOrder byte_order;
    std::uint32_t alignment;
    bool is_signed;
    DisplayBase base;
  };
  for (const Case& each :
       {Case{"a", 5, ByteOrder::kBig, 1, false, DisplayBase::kDecimal},
        Case{"b", 16, ByteOrder::kLittle, 8, false, DisplayBase::kHexadecimal},
        Case{"c", 12, ByteOrder::kBig, 4, true, DisplayBase::kOctal},
        Case{"d", 65536, ByteOrder::kBig, 8, false, DisplayBase::kHexadecimal}}) {
    const auto& integer = reading.field_as<IntegerClass>({each.name});
    const auto& layout = std::get<FixedLayout>(integer.layout);
    EXPECT_EQ(layout.width, each.width) << each.name;
    EXPECT_EQ(layout.byte_order, each.byte_order) << each.name;
    EXPECT_EQ(reading.field({each.name})->alignment, each.alignment) << each.name;
    EXPECT_EQ(integer.is_signed, each.is_signed) << each.name;
    EXPECT_EQ(integer.display_base, each.base) << each.name;
  }
}

TEST(TsdlTypes, Reals) {
  const TsdlReading reading = fields(
      "floating_point { exp_dig = 5; mant_dig = 11; } f16;"
      "floating_point { exp_dig = 8; mant_dig = 24; align = 32; byte_order = le; } f32;"
      "floating_point { exp_dig = 11; mant_dig = 53; } f64;"
      "floating_point { exp_dig = 15; mant_dig = 113; } f128;"
      "floating_point { exp_dig = 17; mant_dig = 175; } f192;");
  EXPECT_EQ(reading.faults(), std::vector<std::string>{});
  for (const std::uint32_t width : {16U, 32U, 64U, 128U, 192U})
    EXPECT_EQ(reading.field_as<RealClass>({fmt::format("f{}", width)}).layout.width, width);
  EXPECT_EQ(reading.field_as<RealClass>({"f32"}).layout.byte_order, ByteOrder::kLittle);
  EXPECT_EQ(reading.field({"f32"})->alignment, 32U);
  EXPECT_EQ(reading.field({"f64"})->alignment, 8U);
}

TEST(TsdlTypes, Enumerations) {
  const TsdlReading reading = fields(
      "enum : u8 { zero, one, \"ten plus\" = 10 ... 20, next, _u = 0x80, zero = 200, } a;"
      "enum named { minus = -5, after } b; enum named c;");
  EXPECT_EQ(reading.faults(), std::vector<std::string>{});
  std::string labels;
  for (const Mapping& each : reading.field_as<IntegerClass>({"a"}).mappings)
    labels += fmt::format("{}={};", each.label, spelt(each.ranges));
  EXPECT_EQ(labels, "zero=0..0 200..200;one=1..1;ten plus=10..20;next=21..21;_u=128..128;");
  const auto& signed_one = reading.field_as<IntegerClass>({"b"});
  EXPECT_TRUE(signed_one.is_signed);
  EXPECT_EQ(signed_one.form, IntegerClass::Form::kEnumeration);
  EXPECT_EQ(spelt(signed_one.mappings[1].ranges), "-4..-4");
  EXPECT_EQ(reading.field({"b"}), reading.field({"c"}));
}

TEST(TsdlTypes, StringsAndArraysOfCharacters) {
  const TsdlReading reading = fields(
      "string s; string { encoding = ASCII; } t; u8 n; char a[4]; char b[n]; char c[n][3];"
      "char d[3][n]; char one; integer { size = 8; align = 16; encoding = UTF8; } wide[2];");
  EXPECT_EQ(reading.faults(), std::vector<std::string>{});
  for (const char* const name : {"s", "t"}) {
    EXPECT_TRUE(
        std::holds_alternative<NullTerminated>(reading.field_as<StringClass>({name}).extent));
    EXPECT_EQ(reading.field({name})->alignment, 8U);
  }
  EXPECT_EQ(spelt(reading.field_as<StringClass>({"a"}).extent), "4");
  EXPECT_EQ(spelt(reading.field_as<StringClass>({"b"}).extent), "n");
  EXPECT_EQ(length_of(reading, {"c"}), "n");
  EXPECT_EQ(spelt(reading.field_as<ArrayClass>({"d"}).element->as<StringClass>()->extent), "n");
  EXPECT_NE(reading.field({"one"})->as<IntegerClass>(), nullptr);
  EXPECT_NE(reading.field({"wide"})->as<ArrayClass>(), nullptr);
}

TEST(TsdlTypes, BitFields) {
  const TsdlReading reading(
      "typealias integer { size = 16; align = 16; signed = true; } := short;\n"
      "event { fields := struct {\n"
      "  struct { short a : 12; short b : 5; short : 9; short c : 3, d : 16; } gcc;\n"
      "  struct { u8 x; short a : 8; short b : 1; u8 y[2]; u8 z : 8; } mixed;\n"
      "  struct { string t; u8 a : 3; u8 b : 5; u8 c : 1; } behind;\n"
      "  enum e : u8 { A, B } tag : 2;\n"
      "}; };");
  EXPECT_EQ(reading.faults(), std::vector<std::string>{});
  // Width and alignment.
  const auto lies = [&](std::vector<std::string> names) {
    const FieldClassPtr field = reading.field(std::move(names));
    const auto& layout = std::get<FixedLayout>(field->as<IntegerClass>()->layout);
    return fmt::format("{} {}", layout.width, field->alignment);
  };
  EXPECT_EQ(lies({"gcc", "a"}), "12 1");
  EXPECT_EQ(lies({"gcc", "b"}), "5 16");
  EXPECT_EQ(lies({"gcc", "padding"}), "9 1");
  EXPECT_EQ(lies({"gcc", "c"}), "3 16");
  EXPECT_EQ(lies({"gcc", "d"}), "16 16");
  EXPECT_TRUE(reading.field_as<IntegerClass>({"gcc", "a"}).is_signed);
  EXPECT_EQ(reading.field_as<StructureClass>({"gcc"}).minimum_alignment, 16U);
  EXPECT_EQ(lies({"mixed", "a"}), "8 1");
  EXPECT_EQ(lies({"mixed", "b"}), "1 1");
  EXPECT_EQ(lies({"mixed", "z"}), "8 1");
  EXPECT_EQ(lies({"behind", "a"}), "3 1");
  EXPECT_EQ(lies({"behind", "b"}), "5 1");
  EXPECT_EQ(lies({"behind", "c"}), "1 1");
  EXPECT_EQ(lies({"tag"}), "2 1");
  EXPECT_EQ(reading.field_as<IntegerClass>({"tag"}).mappings.size(), 2U);
}

TEST(TsdlTypes, PointersToArrays) {
  const TsdlReading reading(
      "typealias integer { size = 64; } := u8 (*)[3];\n"
      "typealias integer { size = 32; } := u8 (*)[];\n"
      "typealias integer { size = 16; } := u8 *(*)[3];\n"
      "event { fields := struct { u8 (*a)[3]; u8 (*b[2])[3]; u8 *(*c)[3]; }; };");
  EXPECT_EQ(reading.faults(), std::vector<std::string>{});
  const auto width = [&](const FieldClass& field) {
    return std::get<FixedLayout>(field.as<IntegerClass>()->layout).width;
  };
  EXPECT_EQ(width(*reading.field({"a"})), 64U);
  EXPECT_EQ(length_of(reading, {"b"}), "2");
  EXPECT_EQ(width(*reading.field_as<ArrayClass>({"b"}).element), 64U);
  EXPECT_EQ(width(*reading.field({"c"})), 16U);
}

TEST(TsdlTypes, NamesOfC) {
  const TsdlReading reading(
      "typealias u8 := unsigned long;\n"
      "typealias integer { size = 64; } := void *;\n"
      "typealias integer { size = 3; } := const char * const;\n"
      "struct page { u8 x; } align(64);\n"
      "typealias integer { size = 32; } := struct page *;\n"
      "typedef u8 three[3], *pointer_is_of_a_name;\n"
      "typealias u8 := u8 *;\n"
      "event { fields := struct { unsigned long a; const unsigned long b; void *c, *cc[2];\n"
      "  const char * const d; struct page *e; struct page f; struct page align(128) g;\n"
      "  three h, (i)[2]; }; };");
  EXPECT_EQ(reading.faults(), (std::vector<std::string>{"ctf/tsdl-type-unknown 11:23"}));
  const auto width = [&](std::vector<std::string> names) {
    return std::get<FixedLayout>(reading.field_as<IntegerClass>(std::move(names)).layout).width;
  };
  EXPECT_EQ(width({"a"}), 8U);
  EXPECT_EQ(width({"b"}), 8U);
  EXPECT_EQ(width({"c"}), 64U);
  EXPECT_EQ(length_of(reading, {"cc"}), "2");
  EXPECT_EQ(width({"d"}), 3U);
  EXPECT_EQ(width({"e"}), 32U);
  EXPECT_EQ(reading.field_as<StructureClass>({"f"}).minimum_alignment, 64U);
  EXPECT_EQ(reading.field_as<StructureClass>({"g"}).minimum_alignment, 128U);
  EXPECT_EQ(length_of(reading, {"h"}), "3");
  EXPECT_EQ(length_of(reading, {"i"}), "2");
}

TEST(TsdlTypes, InnerScopesHideOuterOnes) {
  const TsdlReading reading(
      "typedef u8 t[1]; struct s { t before; typedef u8 t[2]; t behind; struct { t inner; } i; };\n"
      "event { typedef u8 local[7]; fields := struct { struct s s; t outside; local l; }; };");
  EXPECT_EQ(reading.faults(), std::vector<std::string>{});
  EXPECT_EQ(length_of(reading, {"s", "before"}), "1");
  EXPECT_EQ(length_of(reading, {"s", "behind"}), "2");
  EXPECT_EQ(length_of(reading, {"s", "i", "inner"}), "2");
  EXPECT_EQ(length_of(reading, {"outside"}), "1");
  EXPECT_EQ(length_of(reading, {"l"}), "7");
}

TEST(TsdlTypes, OneUnderscoreIsTakenAway) {
  const TsdlReading reading = fields(
      "u8 __len; u8 a[__len]; u8 b[_len]; u8 _x; u8 x; u8 _; enum : u8 { _k, k2 } _t;"
      "variant <_t> { u8 _k; u8 k2; } v; u8 d[_x]; struct { u8 _in; } _s; u8 e[_s._in];");
  EXPECT_EQ(reading.faults(), std::vector<std::string>{});
  std::string names;
  for (const Member& each : reading.event().payload->as<StructureClass>()->members)
    names += each.name.str() + " ";
  EXPECT_EQ(names, "_len a b x x _ t v d s e ");
  EXPECT_EQ(length_of(reading, {"a"}), "_len");
  EXPECT_EQ(length_of(reading, {"b"}), "_len");
  EXPECT_EQ(length_of(reading, {"e"}), "s.in");
  const auto& variant = reading.field_as<VariantClass>({"v"});
  EXPECT_EQ(variant.options[0].name, "k");
  EXPECT_EQ(spelt(variant.options[0].ranges), "0..0");
}

TEST(TsdlTypes, VariantsSelectByLabel) {
  const TsdlReading reading(
      "variant named { u8 a; string c; u8 unmapped; };\n"
      "event { fields := struct { enum : u8 { a = 1 ... 3, b, c = 7, a = 9 } tag;\n"
      "  variant named <tag> v; variant <tag> { u8 b; } w[2];\n"
      "  variant inline <tag> { u8 c; } x; variant inline <tag> y; }; };");
  EXPECT_EQ(reading.faults(), std::vector<std::string>{});
  const auto& variant = reading.field_as<VariantClass>({"v"});
  EXPECT_EQ(spelt(*variant.selector), "tag");
  EXPECT_EQ(spelt(variant.options[0].ranges), "1..3 9..9");
  EXPECT_EQ(spelt(variant.options[1].ranges), "7..7");
  EXPECT_EQ(spelt(variant.options[2].ranges), "");
  EXPECT_NE(reading.field_as<ArrayClass>({"w"}).element->as<VariantClass>(), nullptr);
  EXPECT_NE(reading.field({"y"})->as<VariantClass>(), nullptr);
}

TEST(TsdlTypes, LabelsOfAVariantShareValues) {
  const TsdlReading reading = fields(
      "enum : u8 { a = 2 ... 3, b = 1 ... 4, c = 3 } tag; variant <tag> { u8 a; u8 b; u8 c; } v;");
  EXPECT_EQ(reading.faults(), std::vector<std::string>{});
  const auto& variant = reading.field_as<VariantClass>({"v"});
  EXPECT_EQ(spelt(variant.options[0].ranges), "2..3");
  EXPECT_EQ(spelt(variant.options[1].ranges), "1..1 4..4");
  EXPECT_EQ(spelt(variant.options[2].ranges), "");
}

// The example of section 4.2.2: `v` means the outer `x`, as its type does where it stands.
TEST(TsdlTypes, TagOfATypeDeclaredFurtherOut) {
  const TsdlReading reading = fields(
      "enum : u8 { a, b, c, d } x;"
      "typedef variant <x> { u8 a; u8 b; u8 c; } example_variant;"
      "struct { enum : u8 { x, y, z } x; example_variant v; } a[10];");
  EXPECT_EQ(reading.faults(), std::vector<std::string>{});
  const FieldClassPtr element = reading.field_as<ArrayClass>({"a"}).element;
  const auto& variant = *TsdlReading::at(element, {"v"})->as<VariantClass>();
  EXPECT_EQ(spelt(*variant.selector), "^.x");
  EXPECT_EQ(spelt(variant.options[1].ranges), "1..1");
}

TEST(TsdlTypes, RelativeLocations) {
  const TsdlReading reading(
      "typedef u8 by_n[n];\n"
      "struct pair { u8 n; by_n own; };\n"
      "event { fields := struct { u8 n; by_n a; struct { u8 k; by_n b; u8 c[k]; } s;\n"
      "  struct pair p; struct { struct { u8 d[s.k]; u8 e[nothing]; } in; } t; }; };");
  EXPECT_EQ(reading.faults(), (std::vector<std::string>{"ctf/location-member 9:47"}));
  EXPECT_EQ(length_of(reading, {"a"}), "n");
  EXPECT_EQ(length_of(reading, {"s", "b"}), "^.n");
  EXPECT_EQ(length_of(reading, {"s", "c"}), "k");
  EXPECT_EQ(length_of(reading, {"p", "own"}), "n");
  EXPECT_EQ(length_of(reading, {"t", "in", "d"}), "^.^.s.k");
  EXPECT_EQ(length_of(reading, {"t", "in", "e"}), "nothing");
}

TEST(TsdlTypes, DynamicScopes) {
  const TsdlReading reading(
      "/* CTF 1.8 */ typealias integer { size = 8; } := u8;\n"
      "trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u8 h; }; };\n"
      "env { three = 3; };\n"
      "stream { packet.context := struct { u8 p; }; event.context := struct { u8 _c; };\n"
      "  event.header := struct { enum : u8 { low, high } id; }; };\n"
      "event { context := struct { u8 s; variant <id> { u8 high; } v; };\n"
      "  fields := struct { u8 a[trace.packet.header.h]; u8 b[stream.packet.context.p];\n"
      "    u8 c[stream.event.header.id]; u8 d[stream.event.context._c]; u8 e[event.context.s];\n"
      "    struct { u8 k; struct { u8 f[event.fields.q.k]; } in; } q; u8 g[env.three]; u8 h2[p];\n"
      "    variant <stream.event.header.id> { u8 low; } w; }; };");
  EXPECT_EQ(reading.faults(), std::vector<std::string>{});
  EXPECT_EQ(length_of(reading, {"a"}), "header.h");
  EXPECT_EQ(length_of(reading, {"b"}), "context.p");
  EXPECT_EQ(length_of(reading, {"c"}), "event.id");
  EXPECT_EQ(length_of(reading, {"d"}), "common.c");
  EXPECT_EQ(length_of(reading, {"e"}), "specific.s");
  EXPECT_EQ(length_of(reading, {"q", "in", "f"}), "payload.q.k");
  EXPECT_EQ(length_of(reading, {"g"}), "3");
  EXPECT_EQ(length_of(reading, {"h2"}), "context.p");
  EXPECT_EQ(spelt(reading.field_as<VariantClass>({"w"}).options[0].ranges), "0..0");
  const FieldClassPtr v = TsdlReading::at(reading.event().specific_context, {"v"});
  EXPECT_EQ(spelt(*v->as<VariantClass>()->selector), "event.id");
  EXPECT_EQ(spelt(v->as<VariantClass>()->options[0].ranges), "1..1");
}

TEST(TsdlTypes, SharedTypesAreOneNode) {
  std::string text = "struct t0 { u8 x; };\n";
  for (int i = 1; i < 12; ++i)
    text += fmt::format("typedef struct {{ t{0} a; t{0} b; }} t{1};\n",
                        i == 1 ? std::string("0_") : std::to_string(i - 1), i);
  text.insert(text.find('\n'), "typedef struct t0 t0_;");
  const TsdlReading reading(text + "event { fields := struct { t11 z; }; };");
  EXPECT_EQ(reading.faults(), std::vector<std::string>{});
  EXPECT_EQ(reading.field({"z", "a", "a", "b"}), reading.field({"z", "b", "b", "b"}));
}

// Types that refer outwards are made anew for each use, within bounds.
TEST(TsdlTypes, OpenTypesDoNotMultiply) {
  std::string text = "u8 len; typedef struct { u8 x[len]; } t0;";
  for (int i = 1; i < 60; ++i)
    text += fmt::format("typedef struct {{ t{0} a; t{0} b; }} t{1};", i - 1, i);
  const TsdlReading reading = fields(text + " t59 z;");
  ASSERT_TRUE(reading.has_errors());
  EXPECT_EQ(reading.findings.front().rule->id, "ctf/tsdl-limit");
}

TEST(TsdlTypes, Nesting) {
  const auto nested = [](std::size_t depth, std::string_view innermost = "u8") {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += "struct { ";
    text += fmt::format("{} x; ", innermost);
    for (std::size_t i = 0; i < depth; ++i) text += "} a; ";
    return fields(text).findings;
  };
  EXPECT_TRUE(nested(254).empty());
  EXPECT_TRUE(nested(254, "integer { size = 8; }").empty());
  EXPECT_FALSE(nested(255).empty());
  ASSERT_FALSE(nested(300).empty());
  EXPECT_EQ(nested(300).front().rule->id, "ctf/tsdl-nesting");
  EXPECT_EQ(nested(100'000).front().rule->id, "ctf/tsdl-nesting");
  std::string chain = "struct t0 { u8 x; };";
  for (int i = 1; i < 300; ++i) chain += fmt::format("struct t{} {{ struct t{} a; }};", i, i - 1);
  EXPECT_EQ(TsdlReading(chain).findings.front().rule->id, "ctf/tsdl-nesting");
}

}  // namespace
}  // namespace tracedeck::ctf
