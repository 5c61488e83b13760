// The worked examples of the decoding procedures of CTF2-SPECRC-3.0: field classes and positions
// are those of the text; bytes, which are in its pictures only, are our own.

#include <gtest/gtest.h>

#include "tracedeck/ctf/stream/decoding_test.hpp"

namespace tracedeck::ctf {
namespace {

std::string green_blue_yellow_red(std::string_view order) {
  return structure(
      {bit_array(3, order), bit_array(9, order), bit_array(14, order), bit_array(4, order)});
}

// Example "Contiguous fixed-length bit array fields: big-endian versus little-endian".
//     byte 2   byte 3   byte 4   byte 5
//     gggbbbbb bbbbyyyy yyyyyyyy yyrrrr--
TEST(ContiguousBitArrays, BigEndian) {
  const Decoded decoded =
      decode({.payload = green_blue_yellow_red("big")},
             {0b101'10011, 0b0101'1011, 0b00011100, 0b10'1001'00}, {.position = 16});
  EXPECT_EQ(decoded.text, "5 309 11378 9");
  EXPECT_EQ(decoded.position, 46U);
}

//     bbbbbggg yyyybbbb yyyyyyyy --rrrryy
TEST(ContiguousBitArrays, LittleEndian) {
  const Decoded decoded =
      decode({.payload = green_blue_yellow_red("little")},
             {0b10101'101, 0b0010'1001, 0b11000111, 0b00'1001'10}, {.position = 16});
  EXPECT_EQ(decoded.text, "5 309 11378 9");
  EXPECT_EQ(decoded.position, 46U);
}

std::string padded(std::string_view order) {
  return structure({bit_array(5, order), bit_array(3, order, R"(,"alignment":8)"),
                    bit_array(4, order, R"(,"alignment":4)")});
}

// Example "Padding between fixed-length bit array fields"; the padding is of ones.
TEST(PaddedBitArrays, BigEndian) {
  const Decoded decoded =
      decode({.payload = padded("big")}, {0b10110'111, 0b011'1'1010}, {.position = 32});
  EXPECT_EQ(decoded.text, "22 3 10");
  EXPECT_EQ(decoded.position, 48U);
}

TEST(PaddedBitArrays, LittleEndian) {
  const Decoded decoded =
      decode({.payload = padded("little")}, {0b111'10110, 0b1010'1'011}, {.position = 32});
  EXPECT_EQ(decoded.text, "22 3 10");
  EXPECT_EQ(decoded.position, 48U);
}

// Example "Contiguous fixed-length bit array fields with different byte orders".
std::string different_orders(std::string_view of_red) {
  return structure({bit_array(3, "big"), bit_array(5, "big"), bit_array(5, "little"),
                    bit_array(8, "little"), bit_array(6, "big", of_red)});
}
const Bytes kDifferentOrders = {0b101'10011, 0b110'10101, 0b111'11000, 0b101101'11};

TEST(DifferentByteOrders, ChangeAtBytes) {
  const Decoded decoded =
      decode({.payload = different_orders(kAtByte)}, kDifferentOrders, {.position = 16});
  EXPECT_EQ(decoded.text, "5 19 21 198 45");
  EXPECT_EQ(decoded.position, 46U);
}

TEST(DifferentByteOrders, DoNotMeetInAByte) {
  const Decoded decoded =
      decode({.payload = different_orders("")}, kDifferentOrders, {.position = 16});
  EXPECT_EQ(decoded.status, RunStatus::kFault);
  EXPECT_EQ(decoded.text,
            "ctf/byte-order at 37: event-record-payload.e: the byte order changes within a byte; "
            "align the field to 8 bits");
}

// Example "3-byte variable-length bit array field decoding"; the bytes are those of the article
// on LEB128 that the specification refers to.
TEST(VariableLengthBitArray, OfThreeBytes) {
  const Decoded decoded = decode(
      {.payload = structure({R"({"type":"variable-length-bit-array"})"})}, {0xE5, 0x8E, 0x26});
  EXPECT_EQ(decoded.text, "624485");
  EXPECT_EQ(decoded.position, 24U);
}

// Example "22-byte null-terminated string field decoding": 21 bytes, 19 characters.
TEST(NullTerminatedString, Of22Bytes) {
  const std::string_view text = "caf\xC3\xA9 \xC3\xA0 la menthe 42";
  ASSERT_EQ(text.size(), 21U);
  Bytes bytes(text.begin(), text.end());
  bytes = bytes + Bytes{0x00, 'm', 'o', 'r', 'e', 0x00};
  const Decoded decoded =
      decode({.payload = structure({std::string(kString)})}, bytes, {.position = 516'376});
  EXPECT_EQ(decoded.text, "\"" + std::string(text) + "\"");
  EXPECT_EQ(decoded.position, 516'552U);
}

// Example "18-byte static-length string field decoding": 14 bytes, 7 characters, a zero byte, and
// three bytes to ignore.
TEST(StaticLengthString, Of18Bytes) {
  const std::string_view text =
      "\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E"
      "ab\xC3\xA9"
      "c";
  ASSERT_EQ(text.size(), 14U);
  Bytes bytes(text.begin(), text.end());
  bytes = bytes + Bytes{0x00, 0xFF, 0x00, 'x'};
  const Decoded decoded =
      decode({.payload = structure({R"({"type":"static-length-string","length":18})"})}, bytes,
             {.position = 287'280});
  EXPECT_EQ(decoded.text, "\"" + std::string(text) + "\"");
  EXPECT_EQ(decoded.position, 287'424U);
}

// Example "5-element dynamic-length array field decoding".
//
// The example has `len` at byte 0x42C1, where a structure with members that are aligned to 32 bits
// cannot begin. So what lies before the array is decoded as a structure of its own.
const Bytes kFiveValues = {0x01, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0xFF, 0xFF,
                           0xFF, 0xFF, 0x00, 0x00, 0x01, 0x00, 0x78, 0x56, 0x34, 0x12};

TEST(DynamicLengthArray, OfFiveElements) {
  const std::string length = R"(["event-record-specific-context","a"])";
  const Roots roots = {
      .payload = structure({dynamic_array(length, u_le(32, R"(,"alignment":32)"))}),
      .specific_context = structure({u_be(16), std::string(kString)}),
  };
  const Bytes head = {0x00, 0x05, 'm', 'e', 'o', 'w', 0x00};
  const Decoded decoded = decode(roots, head + kFiveValues, {.position = 136'712});
  EXPECT_EQ(decoded.text, "5 \"meow\" | <1 2 4294967295 65536 305419896>");
  EXPECT_EQ(decoded.position, 136'928U);
}

TEST(DynamicLengthArray, BeginsWhereItsStructureIsAligned) {
  const Roots roots = {
      .payload = structure({u_be(16), std::string(kString),
                            dynamic_array(in_payload("a"), u_le(32, R"(,"alignment":32)"))})};
  // From 0x42C1 to 0x42C4, the length, "meow", and to 0x42CC.
  const Bytes head = {0xEE, 0xEE, 0xEE, 0x00, 0x05, 'm', 'e', 'o', 'w', 0x00, 0xEE};
  const Decoded decoded = decode(roots, head + kFiveValues, {.position = 136'712});
  EXPECT_EQ(decoded.text, "5 \"meow\" <1 2 4294967295 65536 305419896>");
  EXPECT_EQ(decoded.position, 0x42CCU * 8 + 160);
}

// The examples of "Field location procedure".

TEST(FieldLocation, InTheSameRootField) {
  const Roots roots = {
      .payload = structure({u_le(32), u_le(16), dynamic_array(in_payload("a"), kString)})};
  EXPECT_EQ(decode(roots, {2, 0, 0, 0, 9, 0, 'x', 0, 'y', 'z', 0}).text, R"(2 9 ["x" "yz"])");
}

TEST(FieldLocation, WithinTheSameArrayElement) {
  const std::string location = R"(["event-record-payload","b","a"])";
  const Roots roots = {
      .payload = structure(
          {std::string(kString), static_array(43, structure({std::string(kUnsignedLeb128),
                                                             dynamic_array(location, kString)}))})};
  // Element i has i % 3 strings.
  Bytes bytes = {0};
  std::string expected = "\"\" [";
  for (std::uint8_t i = 0; i < 43; ++i) {
    bytes.push_back(i % 3);
    expected += i == 0 ? "{" : " {";
    expected += std::to_string(i % 3) + " [";
    for (int j = 0; j < i % 3; ++j) {
      bytes.push_back('s');
      bytes.push_back(0);
      expected += j == 0 ? "\"s\"" : " \"s\"";
    }
    expected += "]}";
  }
  EXPECT_EQ(decode(roots, bytes).text, expected + "]");
}

TEST(FieldLocation, WithinTheSameVariantOption) {
  const std::string location = R"(["event-record-payload","b","a"])";
  const Roots roots = {
      .payload = structure(
          {s_le(16), variant(in_payload("a"),
                             {{"[[0,0]]", std::string(kString)},
                              {"[[1,4]]", structure({u_be(8), dynamic_array(location, kString)})},
                              {"[[5,5],[7,7]]", fixed("boolean", 8, "little")}})})};
  EXPECT_EQ(decode(roots, {0, 0, 'h', 'i', 0}).text, R"(+0 #0 "hi")");
  EXPECT_EQ(decode(roots, {4, 0, 2, 'a', 0, 'b', 0}).text, R"(+4 #1 {2 ["a" "b"]})");
  EXPECT_EQ(decode(roots, {7, 0, 1}).text, "+7 #2 true");
  EXPECT_EQ(decode(roots, {6, 0, 1}).text,
            "ctf/variant-option at 16: event-record-payload.b: no option has the value 6 of its "
            "selector");
}

TEST(FieldLocation, ToAVariantOfIntegers) {
  const Roots roots = {
      .payload =
          structure({variant(R"(["event-record-specific-context","a"])",
                             {{"[[0,0]]", u_le(8)}, {"[[1,1]]", u_le(16)}, {"[[2,2]]", u_le(32)}}),
                     dynamic_array(in_payload("a"), kString)}),
      .specific_context = structure({u_le(8)}),
  };
  EXPECT_EQ(decode(roots, {0, 1, 'x', 0}).text, R"(0 | #0 1 ["x"])");
  EXPECT_EQ(decode(roots, {1, 1, 0, 'x', 0}).text, R"(1 | #1 1 ["x"])");
  EXPECT_EQ(decode(roots, {2, 1, 0, 0, 0, 'x', 0}).text, R"(2 | #2 1 ["x"])");
}

TEST(FieldLocation, IntoAVariantOfStructures) {
  const auto named = [](std::string_view first, std::string_view first_class,
                        std::string_view second, std::string_view second_class) {
    return fmt::format(R"({{"type":"structure","member-classes":[{{"name":"{}","field-class":{}}},)"
                       R"({{"name":"{}","field-class":{}}}]}})",
                       first, first_class, second, second_class);
  };
  const std::string location = R"(["event-record-payload","a","eagle"])";
  const Roots roots = {
      .payload =
          structure({variant(R"(["event-record-common-context","a"])",
                             {{"[[0,0]]", named("eagle", u_le(16), "road", kString)},
                              {"[[32,172]]", named("nuance", kString, "eagle", u_be(24))},
                              {"[[5,5]]", named("eagle", kUnsignedLeb128, "lock",
                                                fmt::format(R"({{"type":"dynamic-length-blob",)"
                                                            R"("length-field-location":{}}})",
                                                            location))}}),
                     dynamic_array(location, kString)}),
      .common_context = structure({u_le(8)}),
  };
  EXPECT_EQ(decode(roots, {0, 1, 0, 'r', 0, 'x', 0}).text, R"(0 | #0 {1 "r"} ["x"])");
  EXPECT_EQ(decode(roots, {172, 'n', 0, 0, 0, 2, 'x', 0, 'y', 0}).text,
            R"(172 | #1 {"n" 2} ["x" "y"])");
  EXPECT_EQ(decode(roots, {5, 2, 0xAB, 0xCD, 'x', 0, 'y', 0}).text,
            R"(5 | #2 {2 blob:abcd} ["x" "y"])");
}

TEST(FieldLocation, InAnotherRootField) {
  const Roots roots = {
      .payload = structure({dynamic_array(R"(["event-record-specific-context","b"])", kString),
                            std::string(kString)}),
      .specific_context =
          structure({fixed("floating-point-number", 64, "little"), std::string(kUnsignedLeb128)}),
  };
  EXPECT_EQ(decode(roots, {0, 0, 0, 0, 0, 0, 0xF0, 0x3F, 1, 'a', 0, 'b', 0}).text,
            R"(1.0 1 | ["a"] "b")");
}

// "Alignment procedure": PO + ((O - PO + A - 1) & -A), and which class asks for which alignment.

TEST(Alignment, OfEachClass) {
  const auto behind_a_bit = [](const std::string& field_class, const Bytes& rest) {
    return decode({.payload = structure({u_le(1), structure({field_class})})}, Bytes{1} + rest);
  };
  // A structure is aligned as its members are: fields of their own alignment of 1 bit directly
  // follow.
  EXPECT_EQ(behind_a_bit(u_le(7), {}).position, 8U);
  EXPECT_EQ(behind_a_bit(u_le(8, R"(,"alignment":16)"), {0, 7}).text, "1 {7}");
  EXPECT_EQ(behind_a_bit(std::string(kUnsignedLeb128), {7}).text, "1 {7}");
  EXPECT_EQ(behind_a_bit(std::string(kString), {'x', 0}).text, R"(1 {"x"})");
  EXPECT_EQ(behind_a_bit(R"({"type":"static-length-string","length":1})", {'x'}).text,
            R"(1 {"x"})");
  EXPECT_EQ(behind_a_bit(R"({"type":"static-length-blob","length":1})", {0xAB}).text,
            "1 {blob:ab}");
  EXPECT_EQ(behind_a_bit(structure({u_le(8)}, R"(,"minimum-alignment":32)"), {0, 0, 0, 7}).text,
            "1 {{7}}");
  EXPECT_EQ(behind_a_bit(static_array(1, u_le(8), R"(,"minimum-alignment":32)"), {0, 0, 0, 7}).text,
            "1 {<7>}");
  EXPECT_EQ(behind_a_bit(static_array(1, u_le(8, R"(,"alignment":16)")), {0, 7}).text, "1 {[7]}");
}

TEST(Alignment, OfArraysWithoutElements) {
  const Roots roots = {
      .payload = structure({u_le(8), static_array(0, u_le(32, R"(,"alignment":32)")), u_le(8)})};
  // The payload itself is aligned too.
  const Decoded decoded = decode(roots, {9, 9, 9, 1, 9, 9, 9, 2}, {.position = 8});
  EXPECT_EQ(decoded.text, "1 <> 2");
  EXPECT_EQ(decoded.position, 72U);
}

TEST(Alignment, OfOptionalsAndVariantsIsThatOfWhatIsThere) {
  const std::string aligned = u_le(8, R"(,"alignment":32)");
  const Roots one = {
      .payload = structure(
          {u_le(8), structure({optional(in_payload("a"), aligned, "[[1,1]]")}), u_le(8)})};
  EXPECT_EQ(decode(one, {1, 0, 0, 0, 7, 8}).text, "1 {?7} 8");
  EXPECT_EQ(decode(one, {0, 8}).text, "0 {?} 8");
  const Roots other = {
      .payload = structure({u_le(8),
                            variant(in_payload("a"), {{"[[0,0]]", u_le(8)}, {"[[1,1]]", aligned}}),
                            u_le(8, R"(,"alignment":16)")})};
  EXPECT_EQ(decode(other, {0, 7, 8}).text, "0 #0 7 8");
  EXPECT_EQ(decode(other, {1, 0, 0, 0, 7, 0, 8}).text, "1 #1 7 8");
}

}  // namespace
}  // namespace tracedeck::ctf
