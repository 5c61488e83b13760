// Encoding to a sink: the same bytes as into memory, in chunks that end at frame boundaries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/dial9/encoder.hpp"
#include "tracedeck/dial9/make_value.hpp"

namespace tracedeck::dial9 {
namespace {

struct Message {
  std::uint64_t at = 0;
  std::string text;
};

}  // namespace

}  // namespace tracedeck::dial9

namespace tracedeck_descriptions {
using namespace tracedeck::dial9;

template <>
inline constexpr auto kDescription<Message> =
    describe<Message>("Message", timestamp(&Message::at), field("text", &Message::text));

}  // namespace tracedeck_descriptions

namespace tracedeck::dial9 {

namespace {

using Chunks = std::vector<std::vector<std::uint8_t>>;

Sink collect(Chunks& chunks) {
  return [&chunks](ByteSpan chunk) -> Result<void> {
    chunks.emplace_back(chunk.begin(), chunk.end());
    return {};
  };
}

std::vector<std::uint8_t> joined(const Chunks& chunks) {
  std::vector<std::uint8_t> all;
  for (const auto& chunk : chunks) all.insert(all.end(), chunk.begin(), chunk.end());
  return all;
}

// Events of growing and shrinking size, with interning and segments between.
void encode_much(Encoder& encoder) {
  for (std::uint64_t i = 0; i < 3'000; ++i) {
    ASSERT_TRUE(encoder.write(Message{i * 1'000, std::string(i * i % 1'500, 'x')}));
    if (i % 100 == 0) {
      ASSERT_TRUE(encoder.intern_string("string " + std::to_string(i)));
    }
    if (i % 1'000 == 999) {
      ASSERT_TRUE(encoder.new_segment());
    }
  }
}

TEST(EncoderSink, GetsTheBytesThatMemoryWouldHold) {
  Encoder in_memory;
  encode_much(in_memory);
  for (const std::size_t chunk_size : {0UL, 1UL, 100UL, 4'096UL, 100'000UL, 10'000'000UL}) {
    Chunks chunks;
    Encoder encoder(collect(chunks), {.chunk_size = chunk_size});
    encode_much(encoder);
    EXPECT_EQ(encoder.size(), in_memory.size());
    const Result<GrowingBuffer> finished = encoder.finish();
    ASSERT_TRUE(finished);
    EXPECT_EQ(finished->size(), 0U);
    EXPECT_TRUE(std::ranges::equal(in_memory.bytes(), joined(chunks))) << chunk_size;
  }
}

TEST(EncoderSink, ChunksAreOfTheSizeAskedForAndWhole) {
  Chunks chunks;
  Encoder encoder(collect(chunks), {.chunk_size = 4'096});
  for (std::uint64_t i = 0; i < 10'000; ++i) ASSERT_TRUE(encoder.write(Message{i, "0123456789"}));
  ASSERT_TRUE(encoder.finish());
  ASSERT_GT(chunks.size(), 10U);
  for (std::size_t i = 0; i + 1 < chunks.size(); ++i) {
    EXPECT_LE(chunks[i].size(), 4'096U);
    EXPECT_GT(chunks[i].size(), 4'000U);
    // All frames but the header and the schema are events of 20 bytes.
    const std::size_t before = i == 0 ? 5 + 22 : 0;
    EXPECT_EQ((chunks[i].size() - before) % 20, 0U);
  }
}

TEST(EncoderSink, AFrameLargerThanAChunkGoesOverWhole) {
  Chunks chunks;
  Encoder encoder(collect(chunks), {.chunk_size = 1'000});
  ASSERT_TRUE(encoder.write(Message{1, "small"}));
  ASSERT_TRUE(encoder.write(Message{2, std::string(1'000'000, 'x')}));
  ASSERT_TRUE(encoder.write(Message{3, "small"}));
  ASSERT_TRUE(encoder.flush());
  ASSERT_EQ(chunks.size(), 3U);
  EXPECT_EQ(chunks[1].size(), 1'000'010U);
  EXPECT_TRUE(encoder.bytes().empty());
}

TEST(EncoderSink, FlushHandsOverWhatThereIs) {
  Chunks chunks;
  Encoder encoder(collect(chunks));
  ASSERT_TRUE(encoder.flush());
  ASSERT_TRUE(encoder.flush());
  EXPECT_EQ(chunks, (Chunks{{0x54, 0x52, 0x43, 0x00, 0x01}}));
  ASSERT_TRUE(encoder.write(Message{1, ""}));
  EXPECT_EQ(chunks.size(), 1U);
}

TEST(EncoderSink, AfterItsErrorEveryCallReturnsIt) {
  int calls = 0;
  Encoder encoder(
      [&calls](ByteSpan) -> Result<void> {
        ++calls;
        return fail(ErrorCode::kWriteFailed, "the disk is full");
      },
      {.chunk_size = 1'000});
  Result<void> written;
  for (std::uint64_t i = 0; i < 100 && written; ++i)
    written = encoder.write(Message{i, "0123456789"});
  const auto is_failure = [](const auto& result) {
    return !result && result.error().code == ErrorCode::kWriteFailed &&
           result.error().message == "the disk is full";
  };
  EXPECT_TRUE(is_failure(written));
  EXPECT_TRUE(is_failure(encoder.write(Message{})));
  EXPECT_TRUE(is_failure(encoder.register_schema({.name = "A"})));
  EXPECT_TRUE(is_failure(encoder.register_type<Message>()));
  EXPECT_TRUE(is_failure(encoder.intern_string("x")));
  EXPECT_TRUE(is_failure(encoder.new_segment()));
  EXPECT_TRUE(is_failure(encoder.write_event(0, 1, std::vector{make_string("")})));
  EXPECT_TRUE(is_failure(encoder.flush()));
  EXPECT_TRUE(is_failure(encoder.finish()));
  EXPECT_EQ(calls, 1);
  encoder.clear();
  EXPECT_TRUE(encoder.write(Message{}));
}

TEST(EncoderSink, MovesWithItsState) {
  Chunks chunks;
  Encoder first(collect(chunks));
  ASSERT_TRUE(first.write(Message{1, "a"}));
  Encoder second(std::move(first));
  ASSERT_TRUE(second.write(Message{2, "b"}));
  Encoder third;
  third = std::move(second);
  ASSERT_TRUE(third.write(Message{3, "c"}));
  ASSERT_TRUE(third.finish());
  Encoder in_memory;
  for (const auto& [at, text] : {std::pair(1U, "a"), std::pair(2U, "b"), std::pair(3U, "c")}) {
    ASSERT_TRUE(in_memory.write(Message{at, text}));
  }
  EXPECT_THAT(in_memory.bytes(), testing::ElementsAreArray(joined(chunks)));
}

}  // namespace
}  // namespace tracedeck::dial9
