#include <gtest/gtest.h>

#include "tracedeck/io/support_test.hpp"

namespace tracedeck::io {
namespace {

TEST(MemoryInput, DeliversACopyAndStartsAgain) {
  Bytes bytes = made_up(1000);
  const auto input = memory_input("some", bytes);
  const Bytes expected = bytes;
  bytes.assign(1000, 0);
  EXPECT_EQ(input->name(), "some");
  EXPECT_EQ(input->size(), 1000U);
  EXPECT_FALSE(input->live());
  EXPECT_EQ(read_all(*input, 300).bytes, expected);
  EXPECT_EQ(input->stored_position(), 1000U);
  ASSERT_TRUE(input->rewind());
  EXPECT_EQ(read_all(*input).bytes, expected);
}

TEST(MemoryInput, WithAChunkItComesLikeAPipe) {
  const auto input = memory_input("some", made_up(10), 4);
  EXPECT_TRUE(input->live());
  EXPECT_TRUE(input->seekable());
  Bytes buffer(100);
  EXPECT_EQ(input->read(buffer.data(), 100), 4U);
  EXPECT_EQ(input->read(buffer.data(), 3), 3U);
  EXPECT_EQ(input->read(buffer.data(), 100), 3U);
  EXPECT_EQ(input->read(buffer.data(), 100), 0U);
}

TEST(MemoryInput, Skips) {
  const Bytes bytes = made_up(100);
  const auto input = memory_input("some", bytes);
  EXPECT_EQ(input->skip(60), 60U);
  Bytes byte(1);
  EXPECT_EQ(input->read(byte.data(), 1), 1U);
  EXPECT_EQ(byte[0], bytes[60]);
  EXPECT_EQ(input->skip(~std::uint64_t{0}), 39U);
  EXPECT_EQ(input->skip(1), 0U);
}

TEST(MemoryInput, MayBeEmpty) {
  EXPECT_TRUE(read_all(*memory_input("nothing", {})).bytes.empty());
  EXPECT_EQ(memory_input("nothing", {})->size(), 0U);
}

}  // namespace
}  // namespace tracedeck::io
