#include "tracedeck/export/protobuf_writer.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace tracedeck::exporting {
namespace {

using namespace std::string_literals;

std::string written(const std::function<void(ProtobufWriter&)>& write) {
  std::string bytes;
  const auto output = io::memory_output(bytes);
  ProtobufWriter writer(*output);
  write(writer);
  EXPECT_TRUE(writer.drain());
  EXPECT_TRUE(output->flush());
  return bytes;
}

TEST(ProtobufWriter, WritesEachType) {
  EXPECT_EQ(written([](ProtobufWriter& writer) { writer.integer(1, 150); }), "\x08\x96\x01"s);
  EXPECT_EQ(written([](ProtobufWriter& writer) { writer.integer(126, 0); }), "\xF0\x07\x00"s);
  EXPECT_EQ(written([](ProtobufWriter& writer) { writer.signed_integer(1, -2); }),
            "\x08\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"s);
  EXPECT_EQ(written([](ProtobufWriter& writer) { writer.fixed(2, 0x0102); }),
            "\x11\x02\x01\x00\x00\x00\x00\x00\x00"s);
  EXPECT_EQ(written([](ProtobufWriter& writer) { writer.real(1, 1.0); }),
            "\x09\x00\x00\x00\x00\x00\x00\xF0\x3F"s);
  EXPECT_EQ(written([](ProtobufWriter& writer) { writer.text(2, "testing"); }), "\x12\x07testing"s);
  EXPECT_EQ(written([](ProtobufWriter& writer) { writer.empty_message(18); }), "\x92\x01\x00"s);
}

TEST(ProtobufWriter, NestsMessages) {
  EXPECT_EQ(written([](ProtobufWriter& writer) {
              const auto outer = writer.open(3);
              const auto inner = writer.open(1);
              writer.integer(1, 5);
              writer.close(inner);
              writer.close(outer);
            }),
            "\x1A\x04\x0A\x02\x08\x05"s);
}

TEST(ProtobufWriter, LengthsAreAsLongAsTheyMustBe) {
  for (const std::size_t size : {124U, 125U, 126U, 127U, 128U, 16'380U, 16'384U, 300'000U}) {
    const std::string text(size, 'x');
    const std::string bytes = written([&](ProtobufWriter& writer) {
      const auto outer = writer.open(1);
      writer.text(1, text);
      writer.close(outer);
      writer.integer(2, 1);
    });
    std::string inner = "\x0A";
    const auto put_length = [](std::string& to, std::size_t length) {
      for (; length >= 0x80; length >>= 7) to.push_back(static_cast<char>(length | 0x80));
      to.push_back(static_cast<char>(length));
    };
    put_length(inner, size);
    inner += text;
    std::string expected = "\x0A";
    put_length(expected, inner.size());
    expected += inner + "\x10\x01";
    EXPECT_EQ(bytes, expected) << size;
  }
}

}  // namespace
}  // namespace tracedeck::exporting
