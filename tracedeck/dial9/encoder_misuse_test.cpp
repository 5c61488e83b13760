// What the encoder refuses: each time an error, and nothing written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/dial9/encoder.hpp"
#include "tracedeck/dial9/make_value.hpp"
#include "tracedeck/dial9/version_04_test.hpp"

namespace tracedeck::dial9 {
namespace {

struct Listed {
  DynamicList list;
};
struct Mapped {
  std::string_view name;
  StringMap map;
};
struct Stacked {
  std::vector<std::uint64_t> stack;
};
struct Annotated {
  std::uint8_t x = 0;
};
struct LateComer {
  std::string_view name;
};

}  // namespace

}  // namespace tracedeck::dial9

namespace tracedeck_descriptions {
using namespace tracedeck::dial9;

template <>
inline constexpr auto kDescription<Listed> =
    describe<Listed>("Listed", field("list", &Listed::list));
template <>
inline constexpr auto kDescription<Mapped> =
    describe<Mapped>("Mapped", field("name", &Mapped::name), field("map", &Mapped::map));
template <>
inline constexpr auto kDescription<Stacked> =
    describe<Stacked>("Stacked", interned("stack", &Stacked::stack));
template <>
inline constexpr auto kDescription<Annotated> =
    describe<Annotated>("Annotated", field("x", &Annotated::x, annotation("unit", "ns")));
template <>
inline constexpr auto kDescription<LateComer> =
    describe<LateComer>("LateComer", interned("name", &LateComer::name));

}  // namespace tracedeck_descriptions

namespace tracedeck::dial9 {

namespace {

// Expects that `attempt(encoder)` fails with `code` and leaves no byte behind.
template <class Attempt>
void expect_refused(Encoder& encoder, ErrorCode code, std::string_view path, Attempt&& attempt) {
  const std::vector<std::uint8_t> before(encoder.bytes().begin(), encoder.bytes().end());
  const auto result = attempt(encoder);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, code) << result.error().to_string();
  EXPECT_EQ(result.error().path, path) << result.error().to_string();
  EXPECT_FALSE(result.error().message.empty());
  EXPECT_THAT(encoder.bytes(), testing::ElementsAreArray(before));
}

template <class Attempt>
void expect_refused(ErrorCode code, std::string_view path, Attempt&& attempt,
                    EncoderOptions options = {}) {
  Encoder encoder(options);
  expect_refused(encoder, code, path, attempt);
}

Schema schema_with(FieldType type, bool optional = false) {
  return {.name = "C", .has_timestamp = false, .fields = {{"f", type, optional}}};
}

// `value` for a field of `type` in a class that is registered as type_id 0.
void expect_value_refused(FieldType type, const Value& value, bool optional = false) {
  Encoder encoder(kVersion04);
  ASSERT_EQ(encoder.register_schema(schema_with(type, optional)), 0);
  expect_refused(encoder, ErrorCode::kInvalidArgument, "C.f",
                 [&](Encoder& e) { return e.write_event(0, {}, std::vector{value}); });
}

TEST(EncoderMisuse, NamesTooLong) {
  const std::string longest(65'535, 'n');
  EXPECT_TRUE(Encoder().register_schema({.name = longest, .fields = {{longest}}}));
  expect_refused(ErrorCode::kInvalidArgument, "",
                 [&](Encoder& e) { return e.register_schema({.name = longest + "n"}); });
  expect_refused(ErrorCode::kInvalidArgument, "A." + std::string(64, 'n'), [&](Encoder& e) {
    return e.register_schema({.name = "A", .fields = {{"x"}, {longest + "n"}}});
  });
}

TEST(EncoderMisuse, TooManyFields) {
  Schema schema{.name = "A", .fields = std::vector<FieldDefinition>(65'535)};
  EXPECT_TRUE(Encoder().register_schema(schema));
  schema.fields.emplace_back();
  expect_refused(ErrorCode::kInvalidArgument, "A",
                 [&](Encoder& e) { return e.register_schema(schema); });
}

TEST(EncoderMisuse, UnknownFieldType) {
  for (const int tag : {0, 16, 0x89}) {
    expect_refused(ErrorCode::kInvalidArgument, "C.f", [&](Encoder& e) {
      return e.register_schema(schema_with(static_cast<FieldType>(tag)));
    });
  }
}

TEST(EncoderMisuse, TooManySchemas) {
  Encoder encoder;
  for (int i = 0; i < 65'536; ++i)
    ASSERT_EQ(encoder.register_schema({.name = std::to_string(i)}), i);
  expect_refused(encoder, ErrorCode::kLimitExceeded, "",
                 [](Encoder& e) { return e.register_schema({.name = "one more"}); });
  // Not even the pool entry that the event would need is written.
  expect_refused(encoder, ErrorCode::kLimitExceeded, "",
                 [](Encoder& e) { return e.write(LateComer{"x"}); });
  EXPECT_EQ(encoder.register_schema({.name = "77"}), 77);
  ASSERT_TRUE(encoder.new_segment());
  EXPECT_TRUE(encoder.write(LateComer{"x"}));
}

TEST(EncoderMisuse, TypeIdTaken) {
  Encoder encoder;
  ASSERT_EQ(encoder.register_schema({.name = "A"}, 5), 5);
  expect_refused(encoder, ErrorCode::kInvalidArgument, "", [](Encoder& e) {
    return e.register_schema({.name = "A", .has_timestamp = false}, 5);
  });
}

TEST(EncoderMisuse, UnknownTypeId) {
  Encoder encoder;
  ASSERT_EQ(encoder.register_schema({.name = "A"}), 0);
  expect_refused(encoder, ErrorCode::kInvalidArgument, "",
                 [](Encoder& e) { return e.write_event(1, 5, {}); });
  expect_refused(encoder, ErrorCode::kInvalidArgument, "",
                 [](Encoder& e) { return e.annotate(1, {}); });
  ASSERT_TRUE(encoder.new_segment());
  expect_refused(encoder, ErrorCode::kInvalidArgument, "",
                 [](Encoder& e) { return e.write_event(0, 5, {}); });
}

TEST(EncoderMisuse, TimestampIfAndOnlyIfTheClassHasOne) {
  Encoder encoder;
  ASSERT_EQ(encoder.register_schema({.name = "With"}), 0);
  ASSERT_EQ(encoder.register_schema({.name = "Without", .has_timestamp = false}), 1);
  expect_refused(encoder, ErrorCode::kInvalidArgument, "With",
                 [](Encoder& e) { return e.write_event(0, {}, {}); });
  expect_refused(encoder, ErrorCode::kInvalidArgument, "Without",
                 [](Encoder& e) { return e.write_event(1, 5, {}); });
}

TEST(EncoderMisuse, WrongNumberOfValues) {
  Encoder encoder;
  ASSERT_EQ(encoder.register_schema(schema_with(FieldType::kU8)), 0);
  const std::vector<Value> values(2, make_u8(1));
  expect_refused(encoder, ErrorCode::kInvalidArgument, "C",
                 [](Encoder& e) { return e.write_event(0, {}, {}); });
  expect_refused(encoder, ErrorCode::kInvalidArgument, "C",
                 [&](Encoder& e) { return e.write_event(0, {}, values); });
}

TEST(EncoderMisuse, ValuesOfAnotherType) {
  for (const FieldTypeFacts& field : kFieldTypes) {
    for (const FieldTypeFacts& value : kFieldTypes) {
      if (field.type != value.type) expect_value_refused(field.type, make_absent(value.type), true);
    }
  }
  expect_value_refused(FieldType::kU8, make_u16(1));
  expect_value_refused(FieldType::kString, make_bytes({}));
}

TEST(EncoderMisuse, NoValueForAFieldThatIsNotOptional) {
  for (const FieldTypeFacts& field : kFieldTypes)
    expect_value_refused(field.type, make_absent(field.type));
}

TEST(EncoderMisuse, NumbersOutOfRange) {
  const auto number = [](FieldType type, std::uint64_t bits) { return detail::scalar(type, bits); };
  expect_value_refused(FieldType::kBool, number(FieldType::kBool, 2));
  expect_value_refused(FieldType::kU8, number(FieldType::kU8, 0x100));
  expect_value_refused(FieldType::kU16, number(FieldType::kU16, 0x10000));
  expect_value_refused(FieldType::kU32, number(FieldType::kU32, 0x1'0000'0000));
  expect_value_refused(FieldType::kPooledString, number(FieldType::kPooledString, 0x1'0000'0000));
  expect_value_refused(FieldType::kPooledStackFrames,
                       number(FieldType::kPooledStackFrames, 0x1'0000'0000));
}

TEST(EncoderMisuse, MalformedContent) {
  const std::vector<std::uint64_t> stack = {1, 2};
  Value frames = make_stack(stack);
  frames.length = 12;
  expect_value_refused(FieldType::kStackFrames, frames);
  const ContainerValue map(StringMap{{"key", "value"}});
  Value cut = map.value();
  --cut.length;
  expect_value_refused(FieldType::kStringMap, cut);
  Value longer = map.value();
  ++longer.length;
  expect_value_refused(FieldType::kStringMap, longer);
  const ContainerValue list(DynamicList{"text"});
  Value cut_list = list.value();
  --cut_list.length;
  expect_value_refused(FieldType::kDynamicList, cut_list);
}

DynamicList nested(std::uint32_t depth) {
  DynamicList list;
  for (std::uint32_t i = 1; i < depth; ++i) {
    DynamicList outer;
    outer.push_back(DynamicValue(std::move(list)));
    list = std::move(outer);
  }
  return list;
}

TEST(EncoderMisuse, ListsNestedTooDeep) {
  Encoder encoder(kVersion04);
  ASSERT_TRUE(encoder.write(Listed{nested(kMaxNesting)}));
  expect_refused(encoder, ErrorCode::kInvalidArgument, "Listed.list",
                 [](Encoder& e) { return e.write(Listed{nested(kMaxNesting + 1)}); });
  // Many of them do not add up to something that fits again.
  Listed many;
  for (int i = 0; i < 3; ++i) many.list.push_back(DynamicValue(nested(kMaxNesting)));
  expect_refused(encoder, ErrorCode::kInvalidArgument, "Listed.list",
                 [&](Encoder& e) { return e.write(many); });
  expect_value_refused(FieldType::kDynamicList, ContainerValue(nested(kMaxNesting + 1)).value());
}

TEST(EncoderMisuse, What03DoesNotHave) {
  for (const FieldType type :
       {FieldType::kPooledStackFrames, FieldType::kDynamicList, FieldType::kDynamicMap}) {
    expect_refused(ErrorCode::kUnsupported, "C.f",
                   [&](Encoder& e) { return e.register_schema(schema_with(type)); });
    EXPECT_TRUE(Encoder(kVersion04).register_schema(schema_with(type)));
  }
  const std::vector<std::uint64_t> stack = {1};
  expect_refused(ErrorCode::kUnsupported, "", [&](Encoder& e) { return e.intern_stack(stack); });
  expect_refused(ErrorCode::kUnsupported, "Listed.list",
                 [](Encoder& e) { return e.write(Listed{}); });
  expect_refused(ErrorCode::kUnsupported, "Stacked.stack",
                 [&](Encoder& e) { return e.write(Stacked{stack}); });
  expect_refused(ErrorCode::kUnsupported, "Annotated",
                 [](Encoder& e) { return e.write(Annotated{}); });
}

TEST(EncoderMisuse, AnnotationsOfNoField) {
  Schema schema = schema_with(FieldType::kU8);
  schema.annotations = {{1, "k", "v"}};
  expect_refused(
      ErrorCode::kInvalidArgument, "C", [&](Encoder& e) { return e.register_schema(schema); },
      kVersion04);
  schema.annotations = {{0, std::string(65'536, 'k'), "v"}};
  expect_refused(
      ErrorCode::kInvalidArgument, "C", [&](Encoder& e) { return e.register_schema(schema); },
      kVersion04);
  schema.annotations.assign(65'536, {0, "k", "v"});
  expect_refused(
      ErrorCode::kInvalidArgument, "C", [&](Encoder& e) { return e.register_schema(schema); },
      kVersion04);
}

TEST(EncoderMisuse, PoolIdsUsedUp) {
  EncoderState state;
  state.strings = {{0xFFFFFFFF, "last"}};
  Encoder encoder(state);
  EXPECT_EQ(encoder.intern_string("last"), InternedString{0xFFFFFFFF});
  expect_refused(encoder, ErrorCode::kLimitExceeded, "",
                 [](Encoder& e) { return e.intern_string("more"); });
}

// Text of a given length without memory behind it.
std::string_view phantom_text(std::size_t length) {
  static const char kText = 'x';
  return {&kText, length};
}

TEST(EncoderMisuse, TextOver4GiB) {
  constexpr std::size_t kTooLong = std::size_t{1} << 32;
  expect_refused(ErrorCode::kInvalidArgument, "Mapped.name",
                 [](Encoder& e) { return e.write(Mapped{phantom_text(kTooLong), {}}); });
  expect_refused(ErrorCode::kInvalidArgument, "LateComer.name",
                 [](Encoder& e) { return e.write(LateComer{phantom_text(kTooLong)}); });
  expect_value_refused(FieldType::kString, make_string(phantom_text(kTooLong)));
}

TEST(EncoderMisuse, AnErrorLeavesTheEncoderUsable) {
  Encoder encoder;
  ASSERT_EQ(encoder.register_schema(schema_with(FieldType::kU8)), 0);
  EXPECT_FALSE(encoder.write_event(0, {}, {}));
  EXPECT_TRUE(encoder.write_event(0, {}, std::vector{make_u8(1)}));
}

}  // namespace
}  // namespace tracedeck::dial9
