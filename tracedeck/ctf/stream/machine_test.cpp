#include "tracedeck/ctf/stream/machine.hpp"

#include <gtest/gtest.h>

#include "tracedeck/ctf/stream/decoding_test.hpp"

namespace tracedeck::ctf {
namespace {

// In the words of CTF2-SPEC-2.0.
std::string final_payload(const std::vector<std::string>& classes, const Bytes& bytes) {
  return decode({.payload = structure(classes), .final = true}, bytes).text;
}

std::string of_length(unsigned bytes, std::string_view kind, std::string_view more = "") {
  return fmt::format(R"({{"type":"static-length-{}","length":{}{}}})", kind, bytes, more);
}
std::string of_field(std::string_view kind, std::string_view name, std::string_view more = "") {
  return fmt::format(R"({{"type":"dynamic-length-{}","length-field-location":{}{}}})", kind,
                     in_payload(name), more);
}

TEST(FixedLength, AtBytes) {
  EXPECT_EQ(payload({u_le(8, kAtByte)}, {0xFE}), "254");
  EXPECT_EQ(payload({u_le(24, kAtByte), u_be(24, kAtByte)}, {1, 2, 3, 1, 2, 3}), "197121 66051");
  EXPECT_EQ(payload({u_le(64, kAtByte)}, {0xF0, 0xDE, 0xBC, 0x9A, 0x78, 0x56, 0x34, 0x12}),
            "1311768467463790320");
  EXPECT_EQ(payload({u_be(64, kAtByte)}, {0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE, 0xF0}),
            "1311768467463790320");
  EXPECT_EQ(payload({u_le(5, kAtByte), u_be(5, kAtByte)}, {0xFE, 0xF7}), "30 30");
}

TEST(FixedLength, SignedAtBytes) {
  EXPECT_EQ(payload({s_le(16, kAtByte), s_be(24, kAtByte)}, {0xFE, 0xFF, 0xFF, 0xFF, 0xFD}),
            "-2 -3");
  EXPECT_EQ(payload({s_le(5, kAtByte), s_be(5, kAtByte)}, {0xFE, 0xF7}), "-2 -2");
  EXPECT_EQ(payload({s_le(64, kAtByte)}, {0, 0, 0, 0, 0, 0, 0, 0x80}), "-9223372036854775808");
  EXPECT_EQ(payload({s_be(64, kAtByte)}, {0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}),
            "+9223372036854775807");
  EXPECT_EQ(payload({s_le(1, kAtByte), s_be(1, kAtByte)}, {0x01, 0x80}), "-1 -1");
}

TEST(FixedLength, AcrossNineBytes) {
  EXPECT_EQ(
      payload({u_le(4), u_le(64), u_le(4)}, {0x0A, 0xEF, 0xCD, 0xAB, 0x89, 0x67, 0x45, 0x23, 0x51}),
      "10 1311768467463790320 5");
  EXPECT_EQ(
      payload({u_be(4), u_be(64), u_be(4)}, {0xA1, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0x05}),
      "10 1311768467463790320 5");
}

TEST(FixedLength, SignedAcrossNineBytes) {
  EXPECT_EQ(
      payload({u_le(4), s_le(64), u_le(4)}, {0xEA, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x5F}),
      "10 -2 5");
  EXPECT_EQ(
      payload({u_be(4), s_be(64), u_be(4)}, {0xAF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xE5}),
      "10 -2 5");
  EXPECT_EQ(
      payload({u_le(7), s_le(61), u_le(4)}, {0x81, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xAF}),
      "1 -3 10");
  EXPECT_EQ(
      payload({u_be(7), s_be(61), u_be(4)}, {0x03, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xDA}),
      "1 -3 10");
}

TEST(FixedLength, Reversed) {
  const std::string_view last_first = R"(,"bit-order":"last-to-first")";
  const std::string_view first_last = R"(,"bit-order":"first-to-last")";
  EXPECT_EQ(final_payload({u_le(8, last_first), u_be(8, first_last)}, {0x03, 0x03}), "192 192");
  EXPECT_EQ(final_payload({u_le(8, first_last), u_be(8, last_first)}, {0x03, 0x03}), "3 3");
  // 0001 read backwards is 1000.
  EXPECT_EQ(final_payload({s_le(4, last_first), u_le(4, last_first)}, {0x11}), "-8 8");
  EXPECT_EQ(final_payload({u_le(4), u_le(72, last_first), u_le(4)},
                          {0x1A, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x50}),
            "10 0x800000000000000000 5");
}

TEST(FixedLength, TheByteOrderStaysWithinAByte) {
  const std::string fault = ": the byte order changes within a byte; align the field to 8 bits";
  EXPECT_EQ(payload({u_le(4), u_be(4)}, {0x12}),
            "ctf/byte-order at 4: event-record-payload.b" + fault);
  // Across what is no bit array, too.
  EXPECT_EQ(payload({u_le(4), structure({u_be(4)})}, {0x12}),
            "ctf/byte-order at 4: event-record-payload.b.a" + fault);
  EXPECT_EQ(payload({u_le(4), static_array(1, u_be(4))}, {0x12}),
            "ctf/byte-order at 4: event-record-payload.b" + fault);
  // It is the last bit array that counts, not the last field.
  EXPECT_EQ(payload({u_le(4), std::string(kString), u_be(4)}, {0x12, 0x00, 0x70}), "2 \"\" 7");
  // From root to root.
  EXPECT_EQ(
      decode({.payload = structure({u_be(4)}), .common_context = structure({u_le(4)})}, {0x12})
          .text,
      "ctf/byte-order at 4: event-record-payload.a" + fault);
}

TEST(FixedLength, Booleans) {
  const auto boolean = [](unsigned width, std::string_view order, std::string_view more = "") {
    return fixed("boolean", width, order, more);
  };
  EXPECT_EQ(payload({boolean(8, "little"), boolean(8, "big"), boolean(8, "big")}, {0, 0x40, 1}),
            "false true true");
  EXPECT_EQ(payload({boolean(1, "little"), boolean(1, "little")}, {0b10}), "false true");
  const Bytes zeros(9, 0);
  EXPECT_EQ(payload({boolean(72, "little")}, zeros), "false");
  EXPECT_EQ(payload({boolean(72, "little")}, Bytes(8, 0) + Bytes{0x80}), "true");
  // Only its own bits.
  EXPECT_EQ(
      payload({u_be(4), boolean(65, "big"), u_be(3)}, {0xF0, 0, 0, 0, 0, 0, 0, 0, 0b0000'0'111}),
      "15 false 7");
}

TEST(FixedLength, Reals) {
  const auto real = [](unsigned width, std::string_view order) {
    return fixed("floating-point-number", width, order);
  };
  EXPECT_EQ(payload({real(16, "little"), real(16, "big")}, {0x00, 0x3C, 0xC0, 0x00}), "1.0 -2.0");
  EXPECT_EQ(payload({real(32, "little"), real(32, "big")},
                    {0x00, 0x00, 0x80, 0x3F, 0xC0, 0x20, 0x00, 0x00}),
            "1.0 -2.5");
  EXPECT_EQ(payload({real(64, "little"), real(64, "big")},
                    {0, 0, 0, 0, 0, 0, 0xF0, 0x3F, 0xC0, 0x04, 0, 0, 0, 0, 0, 0}),
            "1.0 -2.5");
  EXPECT_EQ(payload({u_le(4), real(32, "little"), u_le(4)}, {0x0A, 0x00, 0x00, 0xF8, 0x53}),
            "10 1.0 5");
  const std::string one = "r0x3fff0000000000000000000000000000";
  EXPECT_EQ(payload({real(128, "little")}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0x3F}),
            one);
  EXPECT_EQ(payload({real(128, "big")}, {0x3F, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}),
            one);
}

TEST(FixedLength, WideIntegers) {
  EXPECT_EQ(payload({u_le(4), u_le(68)}, {0x1A, 0xF0, 0xDE, 0xBC, 0x9A, 0x78, 0x56, 0x34, 0x12}),
            "10 0x0123456789abcdef01");
  EXPECT_EQ(payload({u_be(4), u_be(68)}, {0xA1, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0x01}),
            "10 0x0123456789abcdef01");
  EXPECT_EQ(payload({u_le(4), s_le(68)}, {0xEA, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}),
            "10 s0xfffffffffffffffffe");
  EXPECT_EQ(payload({u_be(4), s_be(68)}, {0xA7, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}),
            "10 s0x07ffffffffffffffff");
  EXPECT_EQ(payload({u_le(80)}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), "0x0a090807060504030201");
}

TEST(FixedLength, NeedsAllItsBits) {
  const Decoded cut = decode({.payload = structure({u_le(8), u_le(16)})}, {1, 2});
  EXPECT_EQ(cut.status, RunStatus::kNeedBytes);
  EXPECT_EQ(cut.needed, 24U);
  EXPECT_EQ(cut.text.substr(0, cut.text.find(" at")), "ctf/packet-cut");
  const Decoded wide = decode({.payload = structure({u_le(8), u_le(72)})}, Bytes(9, 1));
  EXPECT_EQ(wide.status, RunStatus::kNeedBytes);
  EXPECT_EQ(wide.needed, 80U);
  // The packet's content is over: no more bytes would help.
  const Decoded over =
      decode({.payload = structure({std::string(kString), u_le(16)})}, {0, 1, 2}, {.content = 20});
  EXPECT_EQ(over.status, RunStatus::kFault);
  EXPECT_EQ(over.text,
            "ctf/event-cut at 8: event-record-payload.b: 16 bits are wanted, and 12 are left in "
            "the packet's content");
  EXPECT_EQ(payload({u_le(12)}, {0xFF, 0xFF}, {.content = 12}), "4095");
}

TEST(Leb128, OfEachSize) {
  const auto one = [](std::string_view field_class, const Bytes& bytes) {
    return payload({std::string(field_class)}, bytes);
  };
  const Bytes eight_ones(8, 0xFF);
  EXPECT_EQ(one(kUnsignedLeb128, {0x05}), "5");
  EXPECT_EQ(one(kUnsignedLeb128, {0xAC, 0x02}), "300");
  EXPECT_EQ(one(kUnsignedLeb128, eight_ones + Bytes{0x7F}), "9223372036854775807");
  EXPECT_EQ(one(kUnsignedLeb128, eight_ones + Bytes{0xFF, 0x01}), "18446744073709551615");
  EXPECT_EQ(one(kUnsignedLeb128, eight_ones + Bytes{0xFF, 0x7F}), "0x3fffffffffffffffff");
  EXPECT_EQ(one(kUnsignedLeb128, Bytes(10, 0x80) + Bytes{0x01}), "0x400000000000000000");
  // More bytes than it needs.
  EXPECT_EQ(one(kUnsignedLeb128, {0x85, 0x80, 0x00}), "5");
  EXPECT_EQ(one(kUnsignedLeb128, Bytes(10, 0x80) + Bytes{0x00}), "0");
}

TEST(Leb128, SignedOfEachSize) {
  const auto one = [](const Bytes& bytes) { return payload({std::string(kSignedLeb128)}, bytes); };
  EXPECT_EQ(one({0x3F}), "+63");
  EXPECT_EQ(one({0x7F}), "-1");
  EXPECT_EQ(one({0xC0, 0xBB, 0x78}), "-123456");
  EXPECT_EQ(one(Bytes(8, 0x80) + Bytes{0x40}), "-4611686018427387904");
  EXPECT_EQ(one(Bytes(9, 0x80) + Bytes{0x7F}), "-9223372036854775808");
  EXPECT_EQ(one(Bytes(9, 0x80) + Bytes{0x01}), "s0x008000000000000000");
  EXPECT_EQ(one(Bytes(10, 0x80) + Bytes{0x7F}), "s0xc00000000000000000");
  EXPECT_EQ(one(Bytes(10, 0xFF) + Bytes{0x7F}), "-1");
}

TEST(Leb128, MustEnd) {
  const Roots roots = {.payload = structure({std::string(kUnsignedLeb128)})};
  const Decoded cut = decode(roots, {0x80, 0x80});
  EXPECT_EQ(cut.status, RunStatus::kNeedBytes);
  EXPECT_EQ(cut.needed, 24U);
  const Decoded over = decode(roots, {0x80, 0x80}, {.content = 16});
  EXPECT_EQ(over.status, RunStatus::kFault);
  EXPECT_EQ(over.text,
            "ctf/event-cut at 0: event-record-payload.a: 24 bits are wanted, and 16 are left in "
            "the packet's content");
  EXPECT_EQ(decode(roots, Bytes(9'363, 0x80)).text,
            "ctf/limit-integer at 0: event-record-payload.a: it has more than 65,536 bits");
  EXPECT_EQ(decode(roots, Bytes(9'362, 0x80) + Bytes{0x00}).text, "0");
}

TEST(Strings, OfUtf8) {
  EXPECT_EQ(payload({std::string(kString), std::string(kString)}, {0, 'h', 'i', 0}), R"("" "hi")");
  EXPECT_EQ(payload({of_length(4, "string"), u_le(8)}, {'a', 0, 'b', 0, 7}), R"("a" 7)");
  EXPECT_EQ(payload({of_length(2, "string"), u_le(8)}, {'a', 'b', 7}), R"("ab" 7)");
  EXPECT_EQ(payload({of_length(0, "string"), u_le(8)}, {7}), R"("" 7)");
  EXPECT_EQ(payload({u_le(8), of_field("string", "a"), u_le(8)}, {3, 'a', 0, 'b', 7}),
            R"(3 "a" 7)");
  // What is no UTF-8 stays as it is.
  EXPECT_EQ(payload({std::string(kString)}, {0xFF, 0}), "\"\xFF\"");
}

TEST(Strings, OfUtf16AndUtf32) {
  const auto terminated = [](std::string_view encoding) {
    return fmt::format(R"({{"type":"null-terminated-string","encoding":"{}"}})", encoding);
  };
  // A zero code unit, not a zero byte or two of different ones, ends it: U+6200 is E6 88 80.
  EXPECT_EQ(final_payload({terminated("utf-16le"), u_le(8)}, {'a', 0, 0, 0x62, 0, 0, 7}),
            "\"a\xE6\x88\x80\" 7");
  EXPECT_EQ(final_payload({terminated("utf-16be"), u_le(8)}, {0xD8, 0x3D, 0xDE, 0x00, 0, 0, 7}),
            "\"\xF0\x9F\x98\x80\" 7");
  EXPECT_EQ(final_payload({terminated("utf-32le"), u_le(8)}, {0, 0xF6, 1, 0, 0, 0, 0, 0, 7}),
            "\"\xF0\x9F\x98\x80\" 7");
  EXPECT_EQ(final_payload({terminated("utf-32be"), u_le(8)}, {0, 0, 0, 'a', 0, 0, 0, 0, 7}),
            R"("a" 7)");
  const std::string_view utf16 = R"(,"encoding":"utf-16le")";
  EXPECT_EQ(final_payload({of_length(6, "string", utf16), u_le(8)}, {'a', 0, 0, 0, 'b', 0, 7}),
            R"("a" 7)");
  EXPECT_EQ(final_payload({of_length(3, "string", utf16)}, {'a', 0, 'b'}),
            "ctf/text-length at 0: event-record-payload.a: its last code unit is not whole");
}

TEST(Strings, MustEnd) {
  const Decoded cut = decode({.payload = structure({std::string(kString)})}, {'a', 'b'});
  EXPECT_EQ(cut.status, RunStatus::kNeedBytes);
  EXPECT_EQ(cut.needed, 24U);
  EXPECT_EQ(payload({std::string(kString)}, {'a', 'b'}, {.content = 16}),
            "ctf/event-cut at 0: event-record-payload.a: 24 bits are wanted, and 16 are left in "
            "the packet's content");
  const Decoded half =
      decode({.payload = structure({R"({"type":"null-terminated-string","encoding":"utf-16le"})"}),
              .final = true},
             {'a', 0, 0});
  EXPECT_EQ(half.status, RunStatus::kNeedBytes);
  const Decoded fixed_length = decode({.payload = structure({of_length(5, "string")})}, {'a', 'b'});
  EXPECT_EQ(fixed_length.status, RunStatus::kNeedBytes);
  EXPECT_EQ(fixed_length.needed, 40U);
}

TEST(Blobs, OfBothLengths) {
  EXPECT_EQ(payload({of_length(3, "blob"), u_le(8)}, {0, 1, 0xFF, 7}), "blob:0001ff 7");
  EXPECT_EQ(payload({of_length(0, "blob"), u_le(8)}, {7}), "blob: 7");
  EXPECT_EQ(payload({u_le(8), of_field("blob", "a"), u_le(8)}, {2, 0xAB, 0xCD, 7}),
            "2 blob:abcd 7");
  const Decoded cut =
      decode({.payload = structure({u_le(8), of_field("blob", "a")})}, {3, 0xAB, 0xCD});
  EXPECT_EQ(cut.status, RunStatus::kNeedBytes);
  EXPECT_EQ(cut.needed, 32U);
}

// A length that nothing can have is asked for only as far as sizes go.
TEST(Lengths, BeyondAllBounds) {
  const Bytes most(8, 0xFF);
  for (const std::string_view kind : {"string", "blob"}) {
    const Decoded far = decode({.payload = structure({u_le(64), of_field(kind, "a")})}, most);
    EXPECT_EQ(far.status, RunStatus::kNeedBytes);
    EXPECT_EQ(far.needed, 64 + 0xFFFF'FFFFULL * 8);
  }
  for (const std::string& element : {u_le(8), u_le(3), std::string(kString)}) {
    const Decoded far =
        decode({.payload = structure({u_le(64), dynamic_array(in_payload("a"), element)})}, most);
    EXPECT_EQ(far.status, RunStatus::kNeedBytes) << element;
    EXPECT_EQ(far.needed, 64 + 0xFFFF'FFFFULL * 8) << element;
  }
  const Decoded wide =
      decode({.payload = structure({std::string(kUnsignedLeb128), of_field("blob", "a")})},
             Bytes(10, 0x80) + Bytes{0x01});
  EXPECT_EQ(wide.status, RunStatus::kNeedBytes);
}

}  // namespace
}  // namespace tracedeck::ctf
