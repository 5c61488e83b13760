// Arrays, structures, optionals and variants in the machine.

#include <gtest/gtest.h>

#include "tracedeck/ctf/stream/decoding_test.hpp"

namespace tracedeck::ctf {
namespace {

std::string real(unsigned width, std::string_view order) {
  return fixed("floating-point-number", width, order);
}

TEST(Arrays, PackedOfEachElement) {
  const auto two = [](const std::string& element, const Bytes& bytes) {
    return payload({static_array(2, element)}, bytes);
  };
  EXPECT_EQ(two(u_le(8), {1, 0xFF}), "<1 255>");
  EXPECT_EQ(two(s_be(8), {1, 0xFF}), "<+1 -1>");
  EXPECT_EQ(two(u_le(16), {1, 0, 0xFE, 0xFF}), "<1 65534>");
  EXPECT_EQ(two(u_be(16), {0, 1, 0xFF, 0xFE}), "<1 65534>");
  EXPECT_EQ(two(s_le(16), {1, 0, 0xFE, 0xFF}), "<+1 -2>");
  EXPECT_EQ(two(s_be(16), {0, 1, 0xFF, 0xFE}), "<+1 -2>");
  EXPECT_EQ(two(u_le(32), {1, 0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF}), "<1 4294967294>");
  EXPECT_EQ(two(u_be(32), {0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFE}), "<1 4294967294>");
  EXPECT_EQ(two(s_le(32), {1, 0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF}), "<+1 -2>");
  EXPECT_EQ(two(s_be(32), {0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFE}), "<+1 -2>");
  const Bytes little = {1, 0, 0, 0, 0, 0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
  const Bytes big = {0, 0, 0, 0, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE};
  EXPECT_EQ(two(u_le(64), little), "<1 18446744073709551614>");
  EXPECT_EQ(two(u_be(64), big), "<1 18446744073709551614>");
  EXPECT_EQ(two(s_le(64), little), "<+1 -2>");
  EXPECT_EQ(two(s_be(64), big), "<+1 -2>");
  EXPECT_EQ(two(real(32, "little"), {0, 0, 0x80, 0x3F, 0, 0, 0x20, 0xC0}), "<1.0 -2.5>");
  EXPECT_EQ(two(real(32, "big"), {0x3F, 0x80, 0, 0, 0xC0, 0x20, 0, 0}), "<1.0 -2.5>");
  EXPECT_EQ(two(real(64, "little"), {0, 0, 0, 0, 0, 0, 0xF0, 0x3F, 0, 0, 0, 0, 0, 0, 4, 0xC0}),
            "<1.0 -2.5>");
  EXPECT_EQ(two(real(64, "big"), {0x3F, 0xF0, 0, 0, 0, 0, 0, 0, 0xC0, 4, 0, 0, 0, 0, 0, 0}),
            "<1.0 -2.5>");
}

TEST(Arrays, OfPackedElementsInsideAByte) {
  EXPECT_EQ(payload({u_le(4), static_array(2, u_le(8)), u_le(4)}, {0x21, 0x43, 0x65}),
            "1 [50 84] 6");
  EXPECT_EQ(payload({u_be(4), static_array(2, u_be(16)), u_be(4)}, {0x10, 0x02, 0x00, 0x34, 0x50}),
            "1 [32 837] 0");
}

TEST(Arrays, OfOtherElements) {
  EXPECT_EQ(payload({static_array(3, u_le(4)), u_le(4)}, {0x21, 0x43}), "[1 2 3] 4");
  // With gaps.
  EXPECT_EQ(payload({static_array(2, u_le(8, R"(,"alignment":16)")), u_le(8)}, {1, 9, 2, 3}),
            "[1 2] 3");
  EXPECT_EQ(payload({static_array(2, real(16, "big"))}, {0x3C, 0x00, 0xC0, 0x00}), "[1.0 -2.0]");
  EXPECT_EQ(payload({static_array(2, kString)}, {'a', 0, 0}), R"(["a" ""])");
  EXPECT_EQ(payload({static_array(2, structure({u_le(8), std::string(kString)}))},
                    {1, 'a', 0, 2, 'b', 0}),
            R"([{1 "a"} {2 "b"}])");
}

TEST(Arrays, OfArrays) {
  EXPECT_EQ(payload({static_array(2, static_array(2, u_le(8)))}, {1, 2, 3, 4}), "[<1 2> <3 4>]");
  EXPECT_EQ(payload({static_array(2, static_array(3, static_array(2, u_le(4))))},
                    {0x21, 0x43, 0x65, 0x87, 0xA9, 0xCB}),
            "[[[1 2] [3 4] [5 6]] [[7 8] [9 10] [11 12]]]");
  // The length of the inner ones is one field.
  EXPECT_EQ(payload({u_le(8), u_le(8),
                     dynamic_array(in_payload("a"), dynamic_array(in_payload("b"), u_le(8)))},
                    {3, 2, 1, 2, 3, 4, 5, 6}),
            "3 2 [<1 2> <3 4> <5 6>]");
}

TEST(Arrays, AreNotBegunWithoutTheBytesThatTheyTake) {
  const Decoded cut = decode(
      {.payload =
           structure({u_le(32), dynamic_array(in_payload("a"), structure({u_le(8), u_le(4)}))})},
      {100, 0, 0, 0, 1, 2});
  EXPECT_EQ(cut.status, RunStatus::kNeedBytes);
  EXPECT_EQ(cut.needed, 32U + 100 * 12);
}

TEST(Arrays, OfNothingAreBounded) {
  const std::string nothing = structure({});
  const Roots roots = {.payload = structure({u_le(32), dynamic_array(in_payload("a"), nothing)})};
  // 64 for each of the 4 bytes.
  const Decoded most = decode(roots, {0x00, 0x01, 0x01, 0x00});
  EXPECT_EQ(most.status, RunStatus::kDone);
  EXPECT_EQ(most.position, 32U);
  EXPECT_EQ(decode(roots, {0x01, 0x01, 0x01, 0x00}).text,
            "ctf/limit-elements at 32: event-record-payload.b: there are more elements that take "
            "no bits than 65,536 and 64 for each byte of the data stream");
  // All of an event record together.
  const Roots nested = {
      .payload =
          structure({u_le(32), dynamic_array(in_payload("a"), static_array(1'000, nothing))})};
  EXPECT_EQ(decode(nested, {100, 0, 0, 0}).text.substr(0, 18), "ctf/limit-elements");
}

TEST(Optionals, OfBooleans) {
  const Roots roots = {.payload = structure({fixed("boolean", 8, "little"),
                                             optional(in_payload("a"), u_le(8)), u_le(8)})};
  EXPECT_EQ(decode(roots, {2, 7, 8}).text, "true ?7 8");
  EXPECT_EQ(decode(roots, {0, 7}).text, "false ? 7");
}

TEST(Optionals, OfRanges) {
  const Roots roots = {.payload = structure({s_le(16), optional(in_payload("a"), kString,
                                                                "[[-300,-2],[5,5],[1000,2000]]")})};
  EXPECT_EQ(decode(roots, {0xFE, 0xFF, 'x', 0}).text, R"(-2 ?"x")");
  EXPECT_EQ(decode(roots, {0xFF, 0xFF, 'x', 0}).text, "-1 ?");
  EXPECT_EQ(decode(roots, {0x05, 0x00, 'x', 0}).text, R"(+5 ?"x")");
  EXPECT_EQ(decode(roots, {0xD0, 0x07, 'x', 0}).text, R"(+2000 ?"x")");
  EXPECT_EQ(decode(roots, {0xD1, 0x07, 'x', 0}).text, "+2001 ?");
  // Ranges of an optional may overlap.
  const Roots overlapping = {
      .payload = structure({u_le(16), optional(in_payload("a"), kString, "[[0,1000],[3,4]]")})};
  EXPECT_EQ(decode(overlapping, {0xE8, 0x03, 'x', 0}).text, R"(1000 ?"x")");
}

TEST(Variants, LookSmallSelectorsUp) {
  const Roots roots = {
      .payload = structure(
          {u_le(16), variant(in_payload("a"), {{"[[0,9],[20,20]]", u_le(8)},
                                               {"[[10,19],[255,255]]", std::string(kString)}})})};
  EXPECT_EQ(decode(roots, {9, 0, 7}).text, "9 #0 7");
  EXPECT_EQ(decode(roots, {20, 0, 7}).text, "20 #0 7");
  EXPECT_EQ(decode(roots, {255, 0, 'x', 0}).text, R"(255 #1 "x")");
  for (const bool high : {false, true}) {
    EXPECT_EQ(decode(roots, {21, std::uint8_t{high}, 7}).text,
              fmt::format("ctf/variant-option at 16: event-record-payload.b: no option has the "
                          "value {} of its selector",
                          high ? 277 : 21));
  }
}

TEST(Variants, SearchOtherSelectors) {
  const Roots roots = {
      .payload =
          structure({s_le(64), variant(in_payload("a"),
                                       {{"[[-9223372036854775808,-1]]", u_le(8)},
                                        {"[[300,9223372036854775807]]", std::string(kString)},
                                        {"[[0,0],[2,2]]", structure({u_le(4), u_le(4)})}})})};
  EXPECT_EQ(decode(roots, Bytes(8, 0xFF) + Bytes{7}).text, "-1 #0 7");
  EXPECT_EQ(decode(roots, {0x2C, 1, 0, 0, 0, 0, 0, 0, 'x', 0}).text, R"(+300 #1 "x")");
  EXPECT_EQ(decode(roots, {2, 0, 0, 0, 0, 0, 0, 0, 0x21}).text, "+2 #2 {1 2}");
  EXPECT_EQ(decode(roots, {1, 0, 0, 0, 0, 0, 0, 0, 7}).text,
            "ctf/variant-option at 64: event-record-payload.b: no option has the value 1 of its "
            "selector");
}

TEST(Variants, KnowWideSelectors) {
  const Roots roots = {
      .payload = structure({std::string(kUnsignedLeb128),
                            variant(in_payload("a"), {{"[[0,18446744073709551615]]", u_le(8)},
                                                      {"[[1180591620717411303424,"
                                                       "1180591620717411303424]]",
                                                       std::string(kString)}})})};
  EXPECT_EQ(decode(roots, {5, 7}).text, "5 #0 7");
  // 2^70, 2^70 + 1, and 2^140.
  EXPECT_EQ(decode(roots, Bytes(10, 0x80) + Bytes{0x01, 'x', 0}).text,
            R"(0x400000000000000000 #1 "x")");
  EXPECT_EQ(decode(roots, Bytes{0x81} + Bytes(9, 0x80) + Bytes{0x01}).text,
            "ctf/variant-option at 88: event-record-payload.b: no option has the value "
            "1180591620717411303425 of its selector");
  EXPECT_EQ(decode(roots, Bytes(20, 0x80) + Bytes{0x01}).text,
            "ctf/variant-option at 168: event-record-payload.b: no option has the value beyond "
            "128 bits of its selector");
}

// A selector or length that may not be there: the optional that holds it, or another option.
TEST(Selectors, MayBeNil) {
  const Roots roots = {.payload = structure({u_le(8), optional(in_payload("a"), u_le(8), "[[1,1]]"),
                                             variant(in_payload("b"), {{"[[5,5]]", u_le(8)}})})};
  EXPECT_EQ(decode(roots, {1, 5, 7}).text, "1 ?5 #0 7");
  EXPECT_EQ(decode(roots, {0, 5, 7}).text,
            "ctf/location-value at 8: event-record-payload.c: the field of its selector is not "
            "there");
  const std::string location = R"(["event-record-payload","b","a"])";
  const Roots length = {
      .payload = structure({u_le(8),
                            variant(in_payload("a"), {{"[[0,0]]", u_le(8)}, {"[[1,1]]", u_le(16)}}),
                            dynamic_array(in_payload("b"), u_le(8)),
                            optional(in_payload("a"), structure({u_le(8)}), "[[1,1]]"),
                            dynamic_array(R"(["event-record-payload","d","a"])", u_le(8))})};
  EXPECT_EQ(decode(length, {1, 1, 0, 9, 2, 8, 7}).text, "1 #1 1 <9> ?{2} <8 7>");
  EXPECT_EQ(decode(length, {0, 1, 9}).text,
            "ctf/location-value at 24: event-record-payload.e: the field of its length is not "
            "there");
}

// What an element, or the event record before, left behind is not what this one has.
TEST(Selectors, AreForgottenFromElementToElement) {
  const std::string flag = R"(["event-record-payload","a","a"])";
  const std::string length = R"(["event-record-payload","a","b"])";
  const Roots roots = {.payload = structure({static_array(
                           2, structure({fixed("boolean", 8, "little"), optional(flag, u_le(8)),
                                         dynamic_array(length, u_le(8))}))})};
  EXPECT_EQ(decode(roots, {1, 2, 7, 8, 1, 0}).text, "[{true ?2 <7 8>} {true ?0 <>}]");
  EXPECT_EQ(decode(roots, {1, 2, 7, 8, 0, 0}).text,
            "ctf/location-value at 40: event-record-payload.a.c: the field of its length is not "
            "there");
}

TEST(Variants, InArrays) {
  const std::string selector = R"(["event-record-payload","a","a"])";
  const Roots roots = {
      .payload = structure({static_array(
          3, structure({u_le(8), variant(selector, {{"[[0,0]]", u_le(8)},
                                                    {"[[1,1]]", std::string(kString)},
                                                    {"[[2,2]]", static_array(2, u_le(8))}})}))})};
  EXPECT_EQ(decode(roots, {2, 8, 9, 0, 7, 1, 'x', 0}).text,
            R"([{2 #2 <8 9>} {0 #0 7} {1 #1 "x"}])");
}

// Options of different sizes: nothing is known of the position behind them.
TEST(Variants, FieldsBehindThemAreFound) {
  const Roots roots = {
      .payload = structure({u_le(8),
                            variant(in_payload("a"), {{"[[0,0]]", u_le(3)}, {"[[1,1]]", u_le(5)}}),
                            u_le(8), u_le(8, R"(,"alignment":8)")})};
  EXPECT_EQ(decode(roots, {0, 0b00001'101, 0b11111'110, 9}).text, "0 #0 5 193 9");
  EXPECT_EQ(decode(roots, {1, 0b010'10101, 0b111'00001, 9}).text, "1 #1 21 10 9");
}

// A class that is used again is compiled once and called.
TEST(Aliases, AreSharedBetweenPlaces) {
  const std::string point =
      structure({u_le(8), u_le(16, R"(,"alignment":16)"), std::string(kString), u_le(4), u_le(4)});
  const Roots roots = {
      .payload = structure({R"("point")", u_le(8), R"("point")", static_array(2, R"("point")")}),
      .final = true,
      .aliases =
          "{\"type\":\"field-class-alias\",\"name\":\"point\",\"field-class\":" + point + "}\n"};
  const Bytes one = {1, 0, 2, 0, 'a', 0, 0x43};  // 7 bytes, from a multiple of 2 on
  EXPECT_EQ(decode(roots, one + Bytes{9} + one + Bytes{0} + one + Bytes{0} + one).text,
            R"({1 2 "a" 3 4} 9 {1 2 "a" 3 4} [{1 2 "a" 3 4} {1 2 "a" 3 4}])");
  EXPECT_EQ(decode(roots, one + Bytes{9} + Bytes{1, 0, 2, 0, 'a'}).status, RunStatus::kNeedBytes);
}

TEST(Aliases, WithRelativeLocationsKeepALengthEach) {
  const std::string text = R"({"type":"dynamic-length-string",)"
                           R"("length-field-location":{"path":["a"]}})";
  const Roots roots = {
      .payload = structure({R"("text")", R"("text")", static_array(2, R"("text")")}),
      .final = true,
      .aliases = "{\"type\":\"field-class-alias\",\"name\":\"text\",\"field-class\":" +
                 structure({u_le(8), text}) + "}\n"};
  EXPECT_EQ(decode(roots, {1, 'a', 2, 'b', 'c', 0, 1, 'd'}).text,
            R"({1 "a"} {2 "bc"} [{0 ""} {1 "d"}])");
}

}  // namespace
}  // namespace tracedeck::ctf
