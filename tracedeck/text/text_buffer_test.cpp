#include "tracedeck/text/text_buffer.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tracedeck {
namespace {

TEST(TextBuffer, GrowsWithoutAnOutput) {
  TextBuffer out(nullptr, 4);
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    out.append("abc");
    out.append('d');
    expected += "abcd";
  }
  EXPECT_EQ(out.view(), expected);
}

TEST(TextBuffer, DrainsWhenItIsFull) {
  std::string text;
  const auto output = io::memory_output(text);
  TextBuffer out(output.get(), 1024);
  const std::string piece(100, 'x');
  for (int i = 0; i < 100; ++i) out.append(piece);
  EXPECT_LE(out.size(), 1024U);
  ASSERT_TRUE(out.drain());
  EXPECT_EQ(text, std::string(10'000, 'x'));
}

TEST(TextBuffer, ATextLongerThanTheBufferPassesInPieces) {
  std::string text;
  const auto output = io::memory_output(text);
  TextBuffer out(output.get());
  const std::string piece(3 * TextBuffer::kCapacity + 7, 'y');
  out.append("<");
  out.append(piece);
  out.append(">");
  ASSERT_TRUE(out.drain());
  EXPECT_EQ(text, "<" + piece + ">");
}

TEST(TextBuffer, RepeatsACharacter) {
  TextBuffer out;
  out.append(0, ' ');
  out.append(1000, '-');
  EXPECT_EQ(out.view(), std::string(1000, '-'));
}

class FullDisk final : public io::Output {
 public:
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] Result<void> write(ByteSpan) override {
    ++writes;
    return fail(ErrorCode::kWriteFailed, "No space left on device.");
  }
  [[nodiscard]] Result<void> flush() override { return {}; }
  [[nodiscard]] Result<void> finish() override { return {}; }
  int writes = 0;

 private:
  std::string name_ = "full";
};

TEST(TextBuffer, KeepsTheFirstErrorAndGoesOnWithoutGrowing) {
  FullDisk disk;
  TextBuffer out(&disk, 1024);
  for (int i = 0; i < 1000; ++i) out.append(std::string(100, 'x'));
  EXPECT_TRUE(out.failed());
  EXPECT_LE(out.size(), 1024U);
  const Result<void> drained = out.drain();
  ASSERT_FALSE(drained);
  EXPECT_EQ(drained.error().code, ErrorCode::kWriteFailed);
  EXPECT_EQ(disk.writes, 1);
}

}  // namespace
}  // namespace tracedeck
