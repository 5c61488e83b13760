#include "tracedeck/dial9/typed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/padded_bytes.hpp"
#include "tracedeck/dial9/encoder.hpp"
#include "tracedeck/dial9/make_value.hpp"

namespace tracedeck::dial9 {
namespace {

enum class Kind : std::uint8_t { kOne = 1 };

struct Everything {
  std::uint64_t at = 0;
  bool flag = false;
  std::uint8_t u8 = 0;
  std::uint16_t u16 = 0;
  std::uint32_t u32 = 0;
  std::uint64_t varint = 0;
  std::int64_t i64 = 0;
  double f64 = 0;
  Kind kind{};
  std::string string = {};
  std::string_view view = {};
  std::vector<std::uint8_t> bytes = {};
  ByteSpan span = {};
  std::vector<std::uint64_t> addresses = {};
  StackFrames frames = {};
  InternedString id = {};
  StringMap map = {};
  DynamicList list = {};
  DynamicMap dynamic_map = {};
  std::optional<std::uint32_t> absent = 77;
  std::optional<std::string> present = {};
  std::string interned_text = {};
  std::optional<std::string_view> interned_optional = {};
  std::vector<std::uint64_t> interned_stack = {};
};

struct Poll {
  std::uint64_t at = 0;
  std::uint64_t worker = 0;
  std::optional<std::uint32_t> depth = 5;
};

struct Small {
  std::int8_t number = 0;
};

}  // namespace

}  // namespace tracedeck::dial9

namespace tracedeck_descriptions {
using namespace tracedeck::dial9;

template <>
inline constexpr auto kDescription<Everything> = describe<Everything>(
    "Everything", timestamp(&Everything::at), field("flag", &Everything::flag),
    field("u8", &Everything::u8), field("u16", &Everything::u16), field("u32", &Everything::u32),
    field("varint", &Everything::varint), field("i64", &Everything::i64),
    field("f64", &Everything::f64), field("kind", &Everything::kind),
    field("string", &Everything::string), field("view", &Everything::view),
    field("bytes", &Everything::bytes), field("span", &Everything::span),
    field("addresses", &Everything::addresses), field("frames", &Everything::frames),
    field("id", &Everything::id), field("map", &Everything::map), field("list", &Everything::list),
    field("dynamic_map", &Everything::dynamic_map), field("absent", &Everything::absent),
    field("present", &Everything::present), interned("interned_text", &Everything::interned_text),
    interned("interned_optional", &Everything::interned_optional),
    interned("interned_stack", &Everything::interned_stack));
template <>
inline constexpr auto kDescription<Poll> = describe<Poll>(
    "Poll", timestamp(&Poll::at), field("worker", &Poll::worker), field("depth", &Poll::depth));
template <>
inline constexpr auto kDescription<Small> =
    describe<Small>("Small", field("number", &Small::number));

}  // namespace tracedeck_descriptions

namespace tracedeck::dial9 {

namespace {

// Decodes all events as `T` and hands each result to `check`.
template <class T, class Check>
void decode_all(const Encoder& encoder, Check&& check) {
  const PaddedBytes padded(encoder.bytes());
  struct Visitor {
    TypedDecoder<T> decoder = {};
    Check& check;
    int events = 0;
    void event(const EventView& event) {
      ++events;
      check(decoder, event);
    }
  } visitor{.check = check};
  ASSERT_TRUE(decode(padded.view(), visitor));
  EXPECT_GT(visitor.events, 0);
}

// Expects that the first event decodes to an error at `path`.
template <class T>
void expect_error(const Encoder& encoder, std::string_view path, std::string_view message) {
  decode_all<T>(encoder, [&](TypedDecoder<T>& decoder, const EventView& event) {
    for (int again = 0; again < 2; ++again) {
      const Result<T> decoded = decoder.decode(event);
      ASSERT_FALSE(decoded);
      EXPECT_EQ(decoded.error().code, ErrorCode::kInvalidArgument);
      EXPECT_EQ(decoded.error().path, path);
      EXPECT_THAT(decoded.error().message, testing::HasSubstr(message));
    }
  });
}

TEST(TypedDecoder, ReadsEveryTypeBack) {
  const std::vector<std::uint64_t> frames = {1, 0xFFFFFFFFFFFFFFFF};
  const std::vector<std::uint8_t> blob = {9, 8};
  Everything written{.at = 123456789, .flag = true, .u8 = 200, .u16 = 60'000, .u32 = 4'000'000'000};
  written.varint = ~std::uint64_t{0};
  written.i64 = -5;
  written.f64 = -0.5;
  written.kind = Kind::kOne;
  written.string = "text";
  written.view = "view";
  written.bytes = {1, 2, 3};
  written.span = blob;
  written.addresses = {7};
  written.frames = frames;
  written.id = {3};
  written.map = {{"a", "b"}, {"", "c"}};
  written.list = {std::uint8_t{1}, DynamicList{"deep"}};
  written.dynamic_map = {{"key", 1.5}};
  written.absent.reset();
  written.present = "here";
  written.interned_text = "in the pool";
  written.interned_optional = "";
  written.interned_stack = {5, 6};
  Encoder encoder({.version = Version::k0_4});
  ASSERT_TRUE(encoder.write(written));
  decode_all<Everything>(encoder, [&](auto& decoder, const EventView& event) {
    EXPECT_TRUE(decoder.accepts(event));
    const Result<Everything> decoded = decoder.decode(event);
    ASSERT_TRUE(decoded) << decoded.error().to_string();
    EXPECT_EQ(decoded->at, written.at);
    EXPECT_EQ(decoded->flag, written.flag);
    EXPECT_EQ(decoded->u8, written.u8);
    EXPECT_EQ(decoded->u16, written.u16);
    EXPECT_EQ(decoded->u32, written.u32);
    EXPECT_EQ(decoded->varint, written.varint);
    EXPECT_EQ(decoded->i64, written.i64);
    EXPECT_EQ(decoded->f64, written.f64);
    EXPECT_EQ(decoded->kind, written.kind);
    EXPECT_EQ(decoded->string, written.string);
    EXPECT_EQ(decoded->view, written.view);
    EXPECT_EQ(decoded->bytes, written.bytes);
    EXPECT_THAT(decoded->span, testing::ElementsAre(9, 8));
    EXPECT_EQ(decoded->addresses, written.addresses);
    ASSERT_EQ(decoded->frames.size(), 2U);
    EXPECT_EQ(decoded->frames[1], 0xFFFFFFFFFFFFFFFF);
    EXPECT_EQ(decoded->id, written.id);
    EXPECT_EQ(decoded->map, written.map);
    EXPECT_EQ(decoded->list, written.list);
    EXPECT_EQ(decoded->dynamic_map, written.dynamic_map);
    EXPECT_EQ(decoded->absent, std::nullopt);
    EXPECT_EQ(decoded->present, "here");
    EXPECT_EQ(decoded->interned_text, "in the pool");
    EXPECT_EQ(decoded->interned_optional, "");
    EXPECT_EQ(decoded->interned_stack, written.interned_stack);
  });
}

// A class `Poll` as other versions of a program may have written it.
Encoder poll_with(std::vector<FieldDefinition> fields, const std::vector<Value>& values) {
  Encoder encoder;
  EXPECT_EQ(encoder.register_schema({.name = "Poll", .fields = std::move(fields)}), 0);
  EXPECT_TRUE(encoder.write_event(0, 9, values));
  return encoder;
}

TEST(TypedDecoder, FieldsAreFoundByNameInAnyOrderAndUnknownOnesSkipped) {
  const Encoder encoder =
      poll_with({{"extra", FieldType::kString}, {"depth", FieldType::kU32}, {"worker"}},
                {make_string("x"), make_u32(4), make_varint(3)});
  decode_all<Poll>(encoder, [](auto& decoder, const EventView& event) {
    const Result<Poll> decoded = decoder.decode(event);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->at, 9U);
    EXPECT_EQ(decoded->worker, 3U);
    EXPECT_EQ(decoded->depth, 4U);
  });
}

TEST(TypedDecoder, MissingOptionalFieldIsEmpty) {
  decode_all<Poll>(poll_with({{"worker"}}, {make_varint(3)}),
                   [](auto& decoder, const EventView& event) {
                     Poll decoded;
                     ASSERT_TRUE(decoder.decode(event, decoded));
                     EXPECT_EQ(decoded.depth, std::nullopt);
                   });
}

TEST(TypedDecoder, OptionalOnTheWireIsReadWhenPresent) {
  decode_all<Poll>(
      poll_with({{"worker", FieldType::kVarint, true}}, {make_varint(3)}),
      [](auto& decoder, const EventView& event) { EXPECT_EQ(decoder.decode(event)->worker, 3U); });
  expect_error<Poll>(
      poll_with({{"worker", FieldType::kVarint, true}}, {make_absent(FieldType::kVarint)}),
      "Poll.worker", "not optional");
}

TEST(TypedDecoder, MissingFieldIsAnError) {
  expect_error<Poll>(poll_with({{"depth", FieldType::kU32}}, {make_u32(1)}), "Poll.worker",
                     "no such field");
}

TEST(TypedDecoder, FieldOfAnotherTypeIsAnError) {
  expect_error<Poll>(poll_with({{"worker", FieldType::kU32}}, {make_u32(1)}), "Poll.worker",
                     "of type U32, not Varint");
  expect_error<Poll>(
      poll_with({{"worker"}, {"depth", FieldType::kU16, true}}, {make_varint(1), make_u16(1)}),
      "Poll.depth", "of type U16, not U32");
}

TEST(TypedDecoder, MissingTimestampIsAnError) {
  Encoder encoder;
  ASSERT_EQ(
      encoder.register_schema({.name = "Poll", .has_timestamp = false, .fields = {{"worker"}}}), 0);
  ASSERT_TRUE(encoder.write_event(0, {}, std::vector{make_varint(1)}));
  expect_error<Poll>(encoder, "Poll", "no timestamp");
}

TEST(TypedDecoder, NumberThatDoesNotFitIsAnError) {
  Encoder encoder;
  ASSERT_EQ(encoder.register_schema({.name = "Small", .fields = {{"number", FieldType::kI64}}}), 0);
  ASSERT_TRUE(encoder.write_event(0, 1, std::vector{make_i64(128)}));
  expect_error<Small>(encoder, "Small.number", "too large");
}

TEST(TypedDecoder, UnresolvedPoolIdIsAnError) {
  Encoder encoder({.version = Version::k0_4});
  ASSERT_TRUE(encoder.write(Everything{}));
  const std::vector<std::uint8_t> whole(encoder.bytes().begin(), encoder.bytes().end());
  // The first entry of the pool, id 0, becomes id 9.
  ASSERT_EQ(whole[5], 0x03);
  std::vector<std::uint8_t> changed = whole;
  changed[10] = 9;
  const PaddedBytes padded(changed);
  struct Visitor {
    TypedDecoder<Everything> decoder;
    void event(const EventView& event) {
      const Result<Everything> decoded = decoder.decode(event);
      ASSERT_FALSE(decoded);
      EXPECT_EQ(decoded.error().path, "Everything.interned_text");
    }
  } visitor;
  ASSERT_TRUE(decode(padded.view(), visitor));
}

TEST(TypedDecoder, AnotherClassIsAnError) {
  Encoder encoder;
  ASSERT_EQ(encoder.register_schema({.name = "Other", .fields = {{"worker"}}}), 0);
  ASSERT_TRUE(encoder.write_event(0, 1, std::vector{make_varint(1)}));
  decode_all<Poll>(
      encoder, [](auto& decoder, const EventView& event) { EXPECT_FALSE(decoder.accepts(event)); });
  expect_error<Poll>(encoder, "Poll", "`Other`");
}

TEST(TypedDecoder, FollowsTheSchemaFromSegmentToSegment) {
  Encoder encoder;
  ASSERT_TRUE(encoder.write(Poll{.at = 1, .worker = 1, .depth = 1}));
  ASSERT_TRUE(encoder.new_segment());
  ASSERT_EQ(
      encoder.register_schema({.name = "Poll", .fields = {{"x", FieldType::kU8}, {"worker"}}}), 0);
  ASSERT_TRUE(encoder.write_event(0, 2, std::vector{make_u8(5), make_varint(2)}));
  ASSERT_TRUE(encoder.new_segment());
  ASSERT_TRUE(encoder.write(Poll{.at = 3, .worker = 3, .depth = 3}));
  std::vector<std::uint64_t> workers;
  decode_all<Poll>(encoder, [&](auto& decoder, const EventView& event) {
    const Result<Poll> decoded = decoder.decode(event);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->depth.has_value(), decoded->at != 2);
    workers.push_back(decoded->worker);
  });
  EXPECT_THAT(workers, testing::ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace tracedeck::dial9
