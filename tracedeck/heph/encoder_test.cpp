#include "tracedeck/heph/encoder.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "tracedeck/heph/trace_bytes_test.hpp"

namespace tracedeck::heph {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes copy(ByteSpan bytes) { return {bytes.begin(), bytes.end()}; }

// The specification's example of a metadata packet, section Metadata Packet.
const Bytes kEpochExample = {0x75, 0xD1, 0x1D, 0x4D, 0x00, 0x00, 0x00, 0x17, 0x00, 0x05, 'e', 'p',
                             'o',  'c',  'h',  0x16, 0x58, 0x45, 0xE9, 0x12, 0x14, 0xEC, 0x90};

// The specification's example of an event packet, section Event Packet.
const Bytes kEventExample = {
    0xC1, 0xFC, 0x1F, 0xB7, 0x00, 0x00, 0x00, 0x5B, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x64,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xC8, 0x00, 0x08, 'M',  'y',  ' ',  'e',  'v',  'e',
    'n',  't',  0x00, 0x04, 'T',  'e',  's',  't',  0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x7B, 0x00, 0x05, 'T',  'e',  's',  't',  '2',  0x83, 0x00, 0x02, 0x40, 0x5E, 0xDD, 0x2F, 0x1A,
    0x9F, 0xBE, 0x77, 0x40, 0x88, 0xA8, 0x00, 0x00, 0x00, 0x00, 0x00};

TEST(Encoder, WritesTheExampleOfAMetadataPacket) {
  Encoder encoder;
  ASSERT_TRUE(encoder.set_epoch(1'610'113'734'118'010'000));
  EXPECT_EQ(copy(encoder.bytes()), kEpochExample);
}

TEST(Encoder, WritesTheExampleOfAnEventPacket) {
  Encoder encoder;
  ASSERT_TRUE(encoder.write({.stream = 0, .counter = 0, .substream = 1, .start = 100, .end = 200},
                            "My event", {{"Test", 123U}, {"Test2", std::array{123.456, 789.0}}}));
  EXPECT_EQ(copy(encoder.bytes()), kEventExample);
}

TEST(Encoder, WritesAnyOption) {
  Encoder encoder;
  ASSERT_TRUE(encoder.set_option("", {}));
  ASSERT_TRUE(encoder.set_option("zone", as_bytes("UTC")));
  EXPECT_EQ(copy(encoder.bytes()), copy(TraceBytes().option("", "").option("zone", "UTC").bytes()));
}

TEST(Encoder, WritesEveryTypeOfValue) {
  const std::vector<std::uint64_t> numbers = {1, ~std::uint64_t{0}};
  const std::vector<std::int64_t> signed_numbers = {-1};
  const std::vector<std::string_view> texts = {"a", "", "bc"};
  Encoder encoder;
  ASSERT_TRUE(encoder.write({.stream = 7, .counter = 8, .substream = 9, .start = 10, .end = 11},
                            "e",
                            {{"u", std::uint8_t{3}},
                             {"i", -2},
                             {"f", 0.5F},
                             {"s", "text"},
                             {"string", std::string("x")},
                             {"au", numbers},
                             {"ai", signed_numbers},
                             {"as", texts},
                             {"", true}}));
  const TraceBytes attributes = TraceBytes()
                                    .attribute("u", 1)
                                    .u64(3)
                                    .attribute("i", 2)
                                    .u64(~std::uint64_t{1})
                                    .attribute("f", 3)
                                    .u64(0x3FE0'0000'0000'0000)
                                    .attribute("s", 4)
                                    .text("text")
                                    .attribute("string", 4)
                                    .text("x")
                                    .attribute("au", 0x81)
                                    .u16(2)
                                    .u64(1)
                                    .u64(~std::uint64_t{0})
                                    .attribute("ai", 0x82)
                                    .u16(1)
                                    .u64(~std::uint64_t{0})
                                    .attribute("as", 0x84)
                                    .u16(3)
                                    .text("a")
                                    .text("")
                                    .text("bc")
                                    .attribute("", 1)
                                    .u64(1);
  EXPECT_EQ(copy(encoder.bytes()),
            copy(TraceBytes().event({7, 8, 9, 10, 11}, "e", attributes).bytes()));
}

TEST(Encoder, WritesEmptyArraysOfEveryType) {
  Encoder encoder;
  ASSERT_TRUE(encoder.write({}, "",
                            {{"a", std::vector<std::uint64_t>{}},
                             {"b", std::vector<std::int64_t>{}},
                             {"c", std::vector<double>{}},
                             {"d", std::vector<std::string_view>{}}}));
  TraceBytes attributes;
  attributes.attribute("a", 0x81).u16(0).attribute("b", 0x82).u16(0);
  attributes.attribute("c", 0x83).u16(0).attribute("d", 0x84).u16(0);
  EXPECT_EQ(copy(encoder.bytes()), copy(TraceBytes().event({}, "", attributes).bytes()));
}

TEST(Encoder, RefusesWhatIsTooLongBeforeAByteIsWritten) {
  const std::string fits(65'535, 'x');
  const std::string too_long(65'536, 'x');
  const std::vector<std::uint64_t> many(65'536);
  const std::vector<std::string_view> texts = {"a", too_long};
  Encoder encoder;
  ASSERT_TRUE(encoder.write({}, fits, {{fits, fits}}));
  ASSERT_TRUE(encoder.set_option(fits, {}));
  const std::uint64_t size = encoder.size();
  const auto expect_refused = [&](const Result<void>& written) {
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(encoder.size(), size);
  };
  expect_refused(encoder.write({}, too_long));
  expect_refused(encoder.write({}, "e", {{"before", 1}, {too_long, 1}}));
  expect_refused(encoder.write({}, "e", {{"a", too_long}}));
  expect_refused(encoder.write({}, "e", {{"a", many}}));
  expect_refused(encoder.write({}, "e", {{"a", texts}}));
  expect_refused(encoder.set_option(too_long, {}));
  ASSERT_TRUE(encoder.write({}, "e"));
}

TEST(Encoder, RefusesPacketsOfMoreThan32BitsOfBytes) {
  // 65,536 attributes of one long text are 4 GiB and more, without being in memory.
  const std::string text(65'535, 'x');
  const std::vector<Attribute> attributes(65'536, {"a", text});
  Encoder encoder;
  const Result<void> written = encoder.write({}, "e", attributes);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(encoder.size(), 0U);
}

TEST(Encoder, HandsOverWholePackets) {
  std::vector<std::size_t> chunks;
  Bytes all;
  Encoder encoder(
      [&](ByteSpan bytes) -> Result<void> {
        chunks.push_back(bytes.size());
        all.insert(all.end(), bytes.begin(), bytes.end());
        return {};
      },
      100);
  TraceBytes expected;
  const std::string large(300, 'x');
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(encoder.write({}, "event"));
    expected.event({}, "event");
  }
  ASSERT_TRUE(encoder.write({}, large));
  expected.event({}, large);
  ASSERT_TRUE(encoder.write({}, "event"));
  expected.event({}, "event");
  ASSERT_TRUE(encoder.finish());
  EXPECT_EQ(chunks, (std::vector<std::size_t>{94, 94, 47, 342, 47}));
  EXPECT_EQ(all, copy(expected.bytes()));
}

TEST(Encoder, ReturnsTheErrorOfTheSinkFromThenOn) {
  Encoder encoder([](ByteSpan) -> Result<void> { return fail(ErrorCode::kWriteFailed, "full"); });
  ASSERT_TRUE(encoder.write({}, "e"));
  EXPECT_FALSE(encoder.flush());
  EXPECT_FALSE(encoder.flush());
  EXPECT_FALSE(encoder.finish());
}

}  // namespace
}  // namespace tracedeck::heph
