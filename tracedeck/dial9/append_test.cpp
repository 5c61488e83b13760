#include "tracedeck/dial9/append.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/padded_bytes.hpp"
#include "tracedeck/dial9/make_value.hpp"
#include "tracedeck/dial9/version_04_test.hpp"

namespace tracedeck::dial9 {
namespace {

struct AppendedStep {
  std::uint64_t at = 0;
  std::string_view name;
};
struct Sample {
  std::uint64_t at = 0;
  std::vector<std::uint64_t> stack;
};

}  // namespace

}  // namespace tracedeck::dial9

namespace tracedeck_descriptions {
using namespace tracedeck::dial9;

template <>
inline constexpr auto kDescription<AppendedStep> = describe<AppendedStep>(
    "Step", timestamp(&AppendedStep::at), interned("name", &AppendedStep::name));
template <>
inline constexpr auto kDescription<Sample> = describe<Sample>(
    "Sample", timestamp(&Sample::at), interned("stack", &Sample::stack, annotation("unit", "pc")));

}  // namespace tracedeck_descriptions

namespace tracedeck::dial9 {

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes copy(ByteSpan bytes) { return {bytes.begin(), bytes.end()}; }

void encode_first_half(Encoder& encoder) {
  ASSERT_TRUE(encoder.write(AppendedStep{1, "forgotten"}));
  ASSERT_TRUE(encoder.new_segment());
  ASSERT_TRUE(encoder.write(AppendedStep{0x2000000, "a"}));
  ASSERT_EQ(encoder.register_schema({.name = "Other", .fields = {{"x"}}}, 40), 40);
  ASSERT_TRUE(encoder.annotate(40, std::vector<Annotation>{{0, "k", "v"}}));
  ASSERT_TRUE(encoder.write(Sample{0x2000001, {1, 2}}));
}

void encode_second_half(Encoder& encoder) {
  ASSERT_TRUE(encoder.write(AppendedStep{0x2000005, "a"}));
  ASSERT_TRUE(encoder.write(AppendedStep{0x2000005, "b"}));
  ASSERT_TRUE(encoder.write(Sample{0x2000001, {1, 2}}));
  ASSERT_TRUE(encoder.write(Sample{0x2000001, {3}}));
  ASSERT_EQ(
      encoder.register_schema({.name = "Other", .fields = {{"x"}}, .annotations = {{0, "k", "v"}}}),
      40);
  ASSERT_TRUE(encoder.write_event(40, 0x2000002, std::vector{make_varint(1)}));
  ASSERT_TRUE(encoder.register_schema({.name = "New"}));
}

TEST(Append, ContinuesAsIfThereHadBeenNoBreak) {
  Encoder whole(kVersion04);
  encode_first_half(whole);
  const PaddedBytes first(whole.bytes());
  encode_second_half(whole);
  Result<Encoder> rest = append_to(first.view(), kVersion04);
  ASSERT_TRUE(rest);
  EXPECT_TRUE(rest->bytes().empty());
  encode_second_half(*rest);
  Bytes both = copy(first.view().span());
  both.insert(both.end(), rest->bytes().begin(), rest->bytes().end());
  EXPECT_EQ(both, copy(whole.bytes()));
}

TEST(Append, TakesOverTheLastSegmentOnly) {
  Encoder encoder(kVersion04);
  encode_first_half(encoder);
  const PaddedBytes trace(encoder.bytes());
  const Result<EncoderState> state = read_encoder_state(trace.view());
  ASSERT_TRUE(state);
  EXPECT_THAT(state->strings, testing::ElementsAre(testing::Pair(0U, "a")));
  EXPECT_THAT(state->stacks, testing::ElementsAre(testing::Pair(
                                 0U, std::string("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16))));
  EXPECT_EQ(state->timestamp_base, 0x2000001U);
  ASSERT_EQ(state->schemas.size(), 3U);
  EXPECT_EQ(state->schemas[1].first, 40U);
  EXPECT_EQ(state->schemas[1].second.annotations, (std::vector<Annotation>{{0, "k", "v"}}));
}

TEST(Append, ToASinkWithoutAHeader) {
  Encoder encoder;
  ASSERT_TRUE(encoder.write(AppendedStep{7, "a"}));
  const PaddedBytes trace(encoder.bytes());
  Bytes added;
  Result<Encoder> rest = append_to(trace.view(), {}, [&added](ByteSpan chunk) -> Result<void> {
    added.insert(added.end(), chunk.begin(), chunk.end());
    return {};
  });
  ASSERT_TRUE(rest);
  ASSERT_TRUE(rest->write(AppendedStep{8, "a"}));
  ASSERT_TRUE(rest->finish());
  EXPECT_EQ(added, (Bytes{0x02, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00}));
}

TEST(Append, RefusesWhatIsNoTrace) {
  const PaddedBytes nothing;
  const Result<EncoderState> state = read_encoder_state(nothing.view());
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().code, ErrorCode::kMustReject);
}

TEST(Append, RefusesADamagedEnd) {
  Encoder encoder;
  ASSERT_TRUE(encoder.write(AppendedStep{7, "a"}));
  Bytes cut = copy(encoder.bytes());
  cut.pop_back();
  const Result<Encoder> rest = append_to(PaddedBytes(cut).view());
  ASSERT_FALSE(rest);
  EXPECT_EQ(rest.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(rest.error().offset, encoder.bytes().size() - 10);
}

TEST(Append, DamageInAnEarlierSegmentDoesNotMatter) {
  Encoder encoder;
  ASSERT_TRUE(encoder.write(AppendedStep{7, "a"}));
  Bytes trace = copy(encoder.bytes());
  trace.push_back(0x77);
  trace.insert(trace.end(), encoder.bytes().begin(), encoder.bytes().end());
  Result<Encoder> rest = append_to(PaddedBytes(trace).view());
  ASSERT_TRUE(rest);
  ASSERT_TRUE(rest->write(AppendedStep{7, "a"}));
  EXPECT_EQ(rest->bytes().size(), 10U);
}

}  // namespace
}  // namespace tracedeck::dial9
