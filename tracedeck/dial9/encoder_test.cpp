#include "tracedeck/dial9/encoder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/dial9/make_value.hpp"
#include "tracedeck/dial9/version_04_test.hpp"

namespace tracedeck::dial9 {
namespace {

using Bytes = std::vector<std::uint8_t>;

enum class Colour : std::uint16_t { kRed = 3 };

struct Scalars {
  bool flag = true;
  std::uint8_t u8 = 0x12;
  std::uint16_t u16 = 0x1234;
  std::uint32_t u32 = 0x12345678;
  std::uint64_t varint = 300;
  std::int64_t i64 = -2;
  std::int32_t i32 = -1;
  double f64 = 1.0;
  Colour colour = Colour::kRed;
  InternedString pooled{0x01020304};
};

struct Variable {
  std::string string = "hi";
  std::string_view view = "\xC3\xA9";
  std::vector<std::uint8_t> bytes = {0xFF, 0x00};
  std::vector<std::uint64_t> frames = {0x1122334455667788, 1};
  StringMap map = {{"k", "v1"}, {"", ""}};
};

struct Dynamic {
  InternedStack stack{7};
  DynamicList list = {std::uint64_t{300}, true, "x", DynamicList{std::uint8_t{9}}};
  DynamicMap map = {{"a", std::int64_t{-1}}, {InternedString{2}, InternedStack{3}}};
};

struct Optionals {
  std::optional<std::uint8_t> u8;
  std::optional<std::uint64_t> varint;
  std::optional<std::string> string;
  std::optional<StackFrames> frames;
};

struct Tick {
  std::uint64_t at = 0;
};

struct Named {
  std::uint64_t at = 0;
  std::string_view name;
  std::optional<std::string> other;
};

struct Sampled {
  std::uint64_t at = 0;
  std::vector<std::uint64_t> stack;
  std::string_view name;
};

struct Empty {};

}  // namespace

}  // namespace tracedeck::dial9

namespace tracedeck_descriptions {
using namespace tracedeck::dial9;

template <>
inline constexpr auto kDescription<Scalars> = describe<Scalars>(
    "S", field("a", &Scalars::flag), field("b", &Scalars::u8), field("c", &Scalars::u16),
    field("d", &Scalars::u32), field("e", &Scalars::varint), field("f", &Scalars::i64),
    field("g", &Scalars::i32), field("h", &Scalars::f64), field("i", &Scalars::colour),
    field("j", &Scalars::pooled));
template <>
inline constexpr auto kDescription<Variable> = describe<Variable>(
    "V", field("a", &Variable::string), field("b", &Variable::view), field("c", &Variable::bytes),
    field("d", &Variable::frames), field("e", &Variable::map));
template <>
inline constexpr auto kDescription<Dynamic> = describe<Dynamic>(
    "D", field("a", &Dynamic::stack), field("b", &Dynamic::list), field("c", &Dynamic::map));
template <>
inline constexpr auto kDescription<Optionals> =
    describe<Optionals>("O", field("a", &Optionals::u8), field("b", &Optionals::varint),
                        field("c", &Optionals::string), field("d", &Optionals::frames));
template <>
inline constexpr auto kDescription<Tick> = describe<Tick>("T", timestamp(&Tick::at));
template <>
inline constexpr auto kDescription<Named> = describe<Named>(
    "N", timestamp(&Named::at), interned("name", &Named::name), interned("other", &Named::other));
template <>
inline constexpr auto kDescription<Sampled> = describe<Sampled>(
    "P", timestamp(&Sampled::at), interned("stack", &Sampled::stack, annotation("unit", "pc")),
    interned("name", &Sampled::name));
template <>
inline constexpr auto kDescription<Empty> = describe<Empty>("E");

}  // namespace tracedeck_descriptions

namespace tracedeck::dial9 {

namespace {

const Bytes kHeader = {0x54, 0x52, 0x43, 0x00, 0x01};

Bytes joined(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Bytes encoded(const Encoder& encoder) { return {encoder.bytes().begin(), encoder.bytes().end()}; }

// What `encode(encoder)` adds to the stream.
template <class Encode>
Bytes added(Encoder& encoder, Encode&& encode) {
  const std::size_t before = encoder.bytes().size();
  encode();
  const Bytes all = encoded(encoder);
  return {all.begin() + static_cast<std::ptrdiff_t>(before), all.end()};
}

// The event frame of an instance, after its class is registered.
template <class T>
Bytes event_of(const T& event, EncoderOptions options = {}) {
  Encoder encoder(options);
  EXPECT_TRUE(encoder.register_type<T>());
  return added(encoder, [&] { EXPECT_TRUE(encoder.write(event)); });
}

TEST(Encoder, BeginsWithTheHeader) { EXPECT_EQ(encoded(Encoder()), kHeader); }

TEST(Encoder, WritesSchemas) {
  Encoder encoder;
  const Schema schema{
      .name = "Ev",
      .has_timestamp = true,
      .fields = {{"x", FieldType::kVarint, false}, {"yz", FieldType::kString, true}}};
  EXPECT_EQ(encoder.register_schema(schema), 0);
  EXPECT_EQ(encoded(encoder), joined({kHeader,
                                      {0x01, 0x00, 0x00, 0x02, 0x00, 'E', 'v', 0x01, 0x02, 0x00},
                                      {0x01, 0x00, 'x', 0x09},
                                      {0x02, 0x00, 'y', 'z', 0x84}}));
}

TEST(Encoder, NumbersSchemasInOrderOfRegistration) {
  Encoder encoder;
  EXPECT_EQ(encoder.register_schema({.name = "A"}), 0);
  EXPECT_EQ(encoder.register_type<Tick>(), 1);
  EXPECT_EQ(encoder.register_schema({.name = "C"}, 700), 700);
  EXPECT_EQ(encoder.register_schema({.name = "D"}), 701);
  EXPECT_EQ(added(encoder, [&] { EXPECT_TRUE(encoder.write(Empty{})); }),
            (Bytes{0x01, 0xBE, 0x02, 0x01, 0x00, 'E', 0x00, 0x00, 0x00, 0x02, 0xBE, 0x02}));
}

TEST(Encoder, RegistersIdenticalSchemasOnce) {
  Encoder encoder;
  EXPECT_EQ(encoder.register_schema({.name = "A"}), 0);
  EXPECT_EQ(encoder.register_schema(schema_of<Tick>()), 1);
  const Bytes before = encoded(encoder);
  EXPECT_EQ(encoder.register_schema({.name = "A"}), 0);
  EXPECT_EQ(encoder.register_schema({.name = "A"}, 0), 0);
  EXPECT_EQ(encoder.register_type<Tick>(), 1);
  EXPECT_EQ(encoded(encoder), before);
  EXPECT_EQ(encoder.register_schema({.name = "A"}, 9), 9);
  EXPECT_GT(encoded(encoder).size(), before.size());
}

TEST(Encoder, FindsAFreeIdBelowTheHighest) {
  Encoder encoder;
  EXPECT_EQ(encoder.register_schema({.name = "A"}), 0);
  EXPECT_EQ(encoder.register_schema({.name = "Z"}, 65'535), 65'535);
  EXPECT_EQ(encoder.register_schema({.name = "B"}), 1);
}

TEST(Encoder, WritesScalars) {
  EXPECT_EQ(event_of(Scalars{}), joined({{0x02, 0x00, 0x00},
                                         {0x01},
                                         {0x12},
                                         {0x34, 0x12},
                                         {0x78, 0x56, 0x34, 0x12},
                                         {0xAC, 0x02},
                                         {0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF},
                                         {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF},
                                         {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xF0, 0x3F},
                                         {0x03, 0x00},
                                         {0x04, 0x03, 0x02, 0x01}}));
}

TEST(Encoder, WritesVarintsOfEveryLength) {
  Encoder encoder;
  ASSERT_EQ(encoder.register_schema(
                {.name = "V", .has_timestamp = false, .fields = {{"v", FieldType::kVarint}}}),
            0);
  const auto varint = [&](std::uint64_t value) {
    return added(encoder,
                 [&] { EXPECT_TRUE(encoder.write_event(0, {}, std::vector{make_varint(value)})); });
  };
  EXPECT_EQ(varint(0), (Bytes{0x02, 0x00, 0x00, 0x00}));
  EXPECT_EQ(varint(0x4000), (Bytes{0x02, 0x00, 0x00, 0x80, 0x80, 0x01}));
  EXPECT_EQ(varint(std::numeric_limits<std::uint64_t>::max()),
            (Bytes{0x02, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01}));
}

TEST(Encoder, WritesWhatHasALength) {
  EXPECT_EQ(event_of(Variable{}),
            joined({{0x02, 0x00, 0x00},
                    {0x02, 0x00, 0x00, 0x00, 'h', 'i'},
                    {0x02, 0x00, 0x00, 0x00, 0xC3, 0xA9},
                    {0x02, 0x00, 0x00, 0x00, 0xFF, 0x00},
                    {0x02, 0x00, 0x00, 0x00, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33,
                     0x22, 0x11, 0x01, 0,    0,    0,    0,    0,    0,    0},
                    {0x02, 0x00, 0x00, 0x00},
                    {0x01, 0x00, 0x00, 0x00, 'k', 0x02, 0x00, 0x00, 0x00, 'v', '1'},
                    {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00}}));
}

TEST(Encoder, WritesEmptyContent) {
  EXPECT_EQ(event_of(Variable{.string = {}, .view = {}, .bytes = {}, .frames = {}, .map = {}}),
            joined({{0x02, 0x00, 0x00}, Bytes(20)}));
}

TEST(Encoder, WritesStacksOfEveryLength) {
  for (std::size_t count = 0; count < 80; ++count) {
    Variable event{.string = {}, .view = {}, .bytes = {}, .frames = {}, .map = {}};
    Bytes expected =
        joined({{0x02, 0x00, 0x00}, Bytes(12), {static_cast<std::uint8_t>(count), 0, 0, 0}});
    for (std::size_t i = 0; i < count; ++i) {
      event.frames.push_back(0x0807060504030200 + i);
      expected.insert(expected.end(), {static_cast<std::uint8_t>(i), 2, 3, 4, 5, 6, 7, 8});
    }
    expected.resize(expected.size() + 4);
    EXPECT_EQ(event_of(event), expected) << count;
  }
}

TEST(Encoder, WritesPoolIdsListsAndMapsOf04) {
  EXPECT_EQ(event_of(Dynamic{}, kVersion04),
            joined({{0x02, 0x00, 0x00},
                    {0x07, 0x00, 0x00, 0x00},
                    {0x04, 0x00, 0x00, 0x00, 0x09, 0xAC, 0x02, 0x03, 0x01},
                    {0x04, 0x01, 0x00, 0x00, 0x00, 'x', 0x0E, 0x01, 0x00, 0x00, 0x00, 0x0B, 0x09},
                    {0x02, 0x00, 0x00, 0x00, 0x04, 0x01, 0x00, 0x00, 0x00, 'a'},
                    {0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF},
                    {0x07, 0x02, 0x00, 0x00, 0x00, 0x06, 0x03, 0x00, 0x00, 0x00}}));
}

TEST(Encoder, WritesOptionalFields) {
  EXPECT_EQ(event_of(Optionals{}), (Bytes{0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00}));
  const std::vector<std::uint64_t> frames = {5};
  EXPECT_EQ(
      event_of(Optionals{.u8 = 0, .varint = 128, .string = "s", .frames = StackFrames(frames)}),
      joined({{0x02, 0x00, 0x00},
              {0x01, 0x00},
              {0x01, 0x80, 0x01},
              {0x01, 0x01, 0x00, 0x00, 0x00, 's'},
              {0x01, 0x01, 0x00, 0x00, 0x00, 0x05, 0, 0, 0, 0, 0, 0, 0}}));
}

TEST(Encoder, SchemaMarksOptionalFields) {
  Encoder encoder;
  EXPECT_EQ(added(encoder, [&] { EXPECT_TRUE(encoder.register_type<Optionals>()); }),
            (Bytes{0x01, 0x00, 0x00, 0x01, 0x00, 'O',  0x00, 0x04, 0x00, 0x01, 0x00, 'a', 0x8B,
                   0x01, 0x00, 'b',  0x89, 0x01, 0x00, 'c',  0x84, 0x01, 0x00, 'd',  0x88}));
}

TEST(Encoder, RunTimeEventsAreWrittenLikeDescribedOnes) {
  const Variable event;
  Encoder encoder;
  ASSERT_TRUE(encoder.register_type<Variable>());
  const ContainerValue map(event.map);
  const std::vector<Value> values = {make_string(event.string), make_string(event.view),
                                     make_bytes(event.bytes), make_stack(event.frames),
                                     map.value()};
  EXPECT_EQ(added(encoder, [&] { EXPECT_TRUE(encoder.write_event(0, {}, values)); }),
            event_of(event));
}

struct TimestampCase {
  std::uint64_t base;
  std::uint64_t timestamp;
  Bytes expected;
};

TEST(Encoder, ResetsTheTimestampBaseWhenNeeded) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  const std::vector<TimestampCase> cases = {
      {0, 0, {0x02, 0x00, 0x00, 0x00, 0x00, 0x00}},
      {0, 0x030201, {0x02, 0x00, 0x00, 0x01, 0x02, 0x03}},
      {0, 0xFFFFFF, {0x02, 0x00, 0x00, 0xFF, 0xFF, 0xFF}},
      {0,
       0x1000000,
       {0x05, 0x00, 0x00, 0x00, 0x01, 0, 0, 0, 0, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00}},
      {1000, 1000 + 0xFFFFFF, {0x02, 0x00, 0x00, 0xFF, 0xFF, 0xFF}},
      {1000, 1000, {0x02, 0x00, 0x00, 0x00, 0x00, 0x00}},
      {1000, 999, {0x05, 0xE7, 0x03, 0, 0, 0, 0, 0, 0, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00}},
      {0,
       kMax,
       {0x05, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00}},
      {kMax, 0, {0x05, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00}},
      {kMax - 1, kMax, {0x02, 0x00, 0x00, 0x01, 0x00, 0x00}},
  };
  for (const TimestampCase& test : cases) {
    Encoder described;
    ASSERT_TRUE(described.write(Tick{test.base}));
    EXPECT_EQ(added(described, [&] { EXPECT_TRUE(described.write(Tick{test.timestamp})); }),
              test.expected)
        << test.base << " " << test.timestamp;
    Encoder dynamic;
    ASSERT_EQ(dynamic.register_schema(schema_of<Tick>()), 0);
    ASSERT_TRUE(dynamic.write_event(0, test.base, {}));
    EXPECT_EQ(added(dynamic, [&] { EXPECT_TRUE(dynamic.write_event(0, test.timestamp, {})); }),
              test.expected)
        << test.base << " " << test.timestamp;
    Encoder in_place;
    ASSERT_EQ(in_place.register_schema(schema_of<Tick>()), 0);
    ASSERT_TRUE(in_place.write_event(0, test.base, {}));
    const auto put = [&](auto values) {
      return in_place.put_event_values(0, test.timestamp, 0, values);
    };
    EXPECT_EQ(added(in_place,
                    [&] {
                      EXPECT_FALSE(put([](std::uint8_t*) -> std::uint8_t* { return nullptr; }));
                      EXPECT_TRUE(put([](std::uint8_t* to) { return to; }));
                    }),
              test.expected)
        << test.base << " " << test.timestamp;
  }
}

TEST(Encoder, EventsWithoutTimestampLeaveTheBase) {
  Encoder encoder;
  ASSERT_TRUE(encoder.write(Tick{0x500000}));
  ASSERT_TRUE(encoder.write(Empty{}));
  EXPECT_EQ(added(encoder, [&] { EXPECT_TRUE(encoder.write(Tick{0x500001})); }),
            (Bytes{0x02, 0x00, 0x00, 0x01, 0x00, 0x00}));
}

TEST(Encoder, FirstUseWritesSchemaThenResetThenEvent) {
  Encoder encoder;
  ASSERT_TRUE(encoder.write(Tick{0x1000000}));
  EXPECT_EQ(encoded(encoder), joined({kHeader,
                                      {0x01, 0x00, 0x00, 0x01, 0x00, 'T', 0x01, 0x00, 0x00},
                                      {0x05, 0x00, 0x00, 0x00, 0x01, 0, 0, 0, 0},
                                      {0x02, 0x00, 0x00, 0x00, 0x00, 0x00}}));
}

TEST(Encoder, InternsOnceInFramesOfOneEntry) {
  Encoder encoder;
  EXPECT_EQ(encoder.intern_string("main"), InternedString{0});
  EXPECT_EQ(encoder.intern_string(""), InternedString{1});
  EXPECT_EQ(encoder.intern_string("main"), InternedString{0});
  EXPECT_EQ(encoded(encoder),
            joined({kHeader,
                    {0x03, 0x01, 0, 0, 0, 0x00, 0, 0, 0, 0x04, 0, 0, 0, 'm', 'a', 'i', 'n'},
                    {0x03, 0x01, 0, 0, 0, 0x01, 0, 0, 0, 0x00, 0, 0, 0}}));
}

TEST(Encoder, StackPoolHasItsOwnIds) {
  Encoder encoder(kVersion04);
  const std::vector<std::uint64_t> stack = {0x10, 0x2000};
  EXPECT_EQ(encoder.intern_string("s"), InternedString{0});
  EXPECT_EQ(encoder.intern_stack(stack), InternedStack{0});
  EXPECT_EQ(encoder.intern_stack(stack), InternedStack{0});
  EXPECT_EQ(encoded(encoder), joined({kHeader,
                                      {0x03, 0x01, 0, 0, 0, 0x00, 0, 0, 0, 0x01, 0, 0, 0, 's'},
                                      {0x04, 0x01, 0, 0, 0, 0x00, 0, 0, 0, 0x02, 0, 0, 0},
                                      {0x10, 0, 0, 0, 0, 0, 0, 0, 0x00, 0x20, 0, 0, 0, 0, 0, 0}}));
}

TEST(Encoder, InternedFieldsFillThePoolBeforeTheSchema) {
  Encoder encoder;
  ASSERT_TRUE(encoder.write(Named{.at = 1, .name = "a", .other = "b"}));
  EXPECT_EQ(encoded(encoder),
            joined({kHeader,
                    {0x03, 0x01, 0, 0, 0, 0x00, 0, 0, 0, 0x01, 0, 0, 0, 'a'},
                    {0x03, 0x01, 0, 0, 0, 0x01, 0, 0, 0, 0x01, 0, 0, 0, 'b'},
                    {0x01, 0x00, 0x00, 0x01, 0x00, 'N', 0x01, 0x02, 0x00},
                    {0x04, 0x00, 'n', 'a', 'm', 'e', 0x07},
                    {0x05, 0x00, 'o', 't', 'h', 'e', 'r', 0x87},
                    {0x02, 0x00, 0x00, 0x01, 0x00, 0x00, 0, 0, 0, 0, 0x01, 0x01, 0, 0, 0}}));
  EXPECT_EQ(
      added(encoder, [&] { EXPECT_TRUE(encoder.write(Named{.at = 1, .name = "b", .other = {}})); }),
      (Bytes{0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0, 0, 0, 0x00}));
  EXPECT_EQ(added(encoder,
                  [&] { EXPECT_TRUE(encoder.write(Named{.at = 1, .name = "c", .other = "a"})); }),
            (Bytes{0x03, 0x01, 0,    0,    0,    0x02, 0, 0, 0, 0x01, 0, 0, 0, 'c', 0x02,
                   0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0, 0, 0, 0x01, 0, 0, 0, 0}));
}

TEST(Encoder, FirstUseOf04WritesPoolsSchemaAnnotationsResetEvent) {
  Encoder encoder(kVersion04);
  ASSERT_TRUE(encoder.write(Sampled{.at = 0x1000000, .stack = {1}, .name = "n"}));
  EXPECT_EQ(
      encoded(encoder),
      joined({kHeader,
              {0x04, 0x01, 0, 0, 0, 0x00, 0, 0, 0, 0x01, 0, 0, 0, 0x01, 0, 0, 0, 0, 0, 0, 0},
              {0x03, 0x01, 0, 0, 0, 0x00, 0, 0, 0, 0x01, 0, 0, 0, 'n'},
              {0x01, 0x00, 0x00, 0x01, 0x00, 'P', 0x01, 0x02, 0x00},
              {0x05, 0x00, 's', 't', 'a', 'c', 'k', 0x06, 0x04, 0x00, 'n', 'a', 'm', 'e', 0x07},
              {0x06, 0x00, 0x01, 0x00, 0x00, 0x00, 0x04, 0x00, 'u', 'n', 'i', 't', 0x02, 0, 0, 0,
               'p', 'c'},
              {0x05, 0x00, 0x00, 0x00, 0x01, 0, 0, 0, 0},
              {0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0, 0, 0, 0, 0, 0, 0, 0}}));
}

TEST(Encoder, AnnotatesRegisteredSchemas) {
  Encoder encoder(kVersion04);
  ASSERT_EQ(encoder.register_schema({.name = "A", .fields = {{"x"}, {"y"}}}, 0x4000), 0x4000);
  const std::vector<Annotation> annotations = {{1, "k", "v"}, {0, "", ""}};
  EXPECT_EQ(added(encoder, [&] { EXPECT_TRUE(encoder.annotate(0x4000, annotations)); }),
            (Bytes{0x06, 0x80, 0x80, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0x00, 'k',  0x01,
                   0,    0,    0,    'v',  0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00}));
  EXPECT_EQ(encoder.find_schema(0x4000)->annotations, annotations);
}

TEST(Encoder, NewSegmentForgetsEverything) {
  Encoder encoder;
  ASSERT_TRUE(encoder.write(Named{.at = 7, .name = "a", .other = {}}));
  const Bytes first = encoded(encoder);
  ASSERT_TRUE(encoder.new_segment());
  EXPECT_EQ(encoder.find_schema(0), nullptr);
  ASSERT_TRUE(encoder.write(Named{.at = 7, .name = "a", .other = {}}));
  EXPECT_EQ(encoded(encoder), joined({first, first}));
}

TEST(Encoder, FinishGivesTheBytesAndBeginsAnew) {
  Encoder encoder;
  ASSERT_TRUE(encoder.write(Tick{5}));
  const Bytes first = encoded(encoder);
  const Result<GrowingBuffer> finished = encoder.finish();
  ASSERT_TRUE(finished);
  EXPECT_THAT(finished->span(), testing::ElementsAreArray(first));
  EXPECT_EQ(encoded(encoder), kHeader);
  ASSERT_TRUE(encoder.write(Tick{5}));
  EXPECT_EQ(encoded(encoder), first);
}

TEST(Encoder, ClearBeginsAnewInTheSameMemory) {
  Encoder encoder;
  ASSERT_TRUE(encoder.write(Tick{5}));
  const Bytes first = encoded(encoder);
  const std::uint8_t* const memory = encoder.bytes().data();
  encoder.clear();
  EXPECT_EQ(encoded(encoder), kHeader);
  ASSERT_TRUE(encoder.write(Tick{5}));
  EXPECT_EQ(encoded(encoder), first);
  EXPECT_EQ(encoder.bytes().data(), memory);
}

TEST(Encoder, GrowsWithTheTrace) {
  Encoder encoder;
  Bytes expected = encoded(encoder);
  for (std::uint64_t i = 0; i < 200'000; ++i) ASSERT_TRUE(encoder.write(Tick{i}));
  EXPECT_EQ(encoder.bytes().size(), kHeader.size() + 9 + 200'000 * 6);
  EXPECT_EQ(encoder.size(), encoder.bytes().size());
  EXPECT_THAT(encoder.bytes().last(6), testing::ElementsAre(0x02, 0x00, 0x00, 0x01, 0x00, 0x00));
}

TEST(Encoder, ContinuesASegment) {
  EncoderState state;
  state.schemas.emplace_back(4, Schema{.name = "A"});
  state.schemas.emplace_back(9, schema_of<Named>());
  state.strings = {{5, "known"}, {2, "known"}, {0, "zero"}};
  state.timestamp_base = 100;
  Encoder encoder(state);
  EXPECT_TRUE(encoder.bytes().empty());
  EXPECT_EQ(encoder.register_schema({.name = "A"}), 4);
  EXPECT_EQ(
      added(encoder,
            [&] { EXPECT_TRUE(encoder.write(Named{.at = 103, .name = "zero", .other = "new"})); }),
      joined({{0x03, 0x01, 0, 0, 0, 0x06, 0, 0, 0, 0x03, 0, 0, 0, 'n', 'e', 'w'},
              {0x02, 0x09, 0x00, 0x03, 0x00, 0x00, 0, 0, 0, 0, 0x01, 0x06, 0, 0, 0}}));
  EXPECT_EQ(encoder.register_schema({.name = "B"}), 10);
}

}  // namespace
}  // namespace tracedeck::dial9
