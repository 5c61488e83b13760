#include "tracedeck/io/compressing_output.hpp"

#include <gtest/gtest.h>

#include "tracedeck/io/support_test.hpp"

namespace tracedeck::io {
namespace {

constexpr std::array kBoth = {Compression::kGzip, Compression::kZstd};

// Everything that can be decompressed.
std::string decompressed(const std::string& bytes) {
  auto input = see_through_compression(memory_input("compressed", as_bytes(bytes)));
  std::string text;
  std::array<std::uint8_t, 1000> piece{};
  for (;;) {
    const auto got = (*input)->read(piece.data(), piece.size());
    if (!got || *got == 0) return text;
    text += as_text(ByteSpan(piece).first(*got));
  }
}

TEST(CompressingOutput, IsNamedByItsSuffix) {
  EXPECT_EQ(compression_named("a/b.jsonl.gz"), Compression::kGzip);
  EXPECT_EQ(compression_named("b.csv.zst"), Compression::kZstd);
  for (const std::string_view path : {"a.gz/b", "gz", "b.bin", ""})
    EXPECT_EQ(compression_named(path), Compression::kNone) << path;
}

TEST(CompressingOutput, IsReadBack) {
  for (const Compression compression : kBoth) {
    std::string bytes;
    std::string want;
    const auto output = compress(memory_output(bytes), compression);
    for (unsigned i = 0; i < 100'000; ++i) {
      const std::string text = std::to_string(i * 2654435761U) + "\n";
      want += text;
      ASSERT_TRUE(output->write(text));
    }
    ASSERT_TRUE(output->write(want));
    ASSERT_TRUE(output->finish());
    ASSERT_TRUE(output->finish());
    EXPECT_LT(bytes.size(), want.size());
    EXPECT_EQ(decompressed(bytes), want + want);
  }
}

TEST(CompressingOutput, NothingIsReadBackToo) {
  for (const Compression compression : kBoth) {
    std::string bytes;
    const auto output = compress(memory_output(bytes), compression);
    ASSERT_TRUE(output->finish());
    EXPECT_EQ(compression_of(as_bytes(bytes), true), compression);
    EXPECT_EQ(decompressed(bytes), "");
  }
}

TEST(CompressingOutput, WhatWasFlushedCanBeRead) {
  for (const Compression compression : kBoth) {
    std::string bytes;
    const auto output = compress(memory_output(bytes), compression);
    ASSERT_TRUE(output->write("first"));
    ASSERT_TRUE(output->flush());
    const std::size_t size = bytes.size();
    ASSERT_TRUE(output->flush());
    EXPECT_EQ(bytes.size(), size) << "a flush of nothing costs nothing";
    EXPECT_EQ(decompressed(bytes), "first");
    ASSERT_TRUE(output->write(" second"));
    ASSERT_TRUE(output->finish());
    EXPECT_EQ(decompressed(bytes), "first second");
  }
}

}  // namespace
}  // namespace tracedeck::io
