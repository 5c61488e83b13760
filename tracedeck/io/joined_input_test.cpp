#include "tracedeck/io/joined_input.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tracedeck/io/support_test.hpp"
#include "tracedeck/io/window.hpp"

namespace tracedeck::io {
namespace {

TEST(JoinedInput, DeliversEachFileAsAPart) {
  const TemporaryFolder folder;
  const Bytes one = made_up(1000);
  const Bytes two = made_up(500, 2);
  const std::string plain = folder.file("one", one);
  const std::string packed = folder.file("two", gzipped(two));
  const std::string empty = folder.file("three", Bytes());
  const auto input = joined_input("all", {plain, packed, empty});
  EXPECT_EQ(input->name(), "all");
  EXPECT_EQ(input->stored_size(), 1000 + gzipped(two).size());
  EXPECT_THAT(input->part_files(), testing::ElementsAre(plain, packed, empty));
  for (int pass = 0; pass < 2; ++pass) {
    EXPECT_EQ(read_all(*input).bytes, one);
    ASSERT_TRUE(input->next_part());
    EXPECT_EQ(input->skip(100), 100U);
    EXPECT_EQ(read_all(*input).bytes, Bytes(two.begin() + 100, two.end()));
    ASSERT_TRUE(input->next_part());
    EXPECT_TRUE(read_all(*input).bytes.empty());
    EXPECT_FALSE(input->next_part());
    EXPECT_EQ(input->stored_position(), *input->stored_size());
    ASSERT_TRUE(input->rewind());
  }
}

TEST(JoinedInput, AFileThatFailsCostsItself) {
  const TemporaryFolder folder;
  const Bytes one = made_up(1000);
  Bytes cut = gzipped(one);
  cut.resize(cut.size() - 20);
  const auto input = joined_input(
      "all", {folder.file("cut", cut), folder.file("missing"), folder.file("one", one)});
  EXPECT_TRUE(read_all(*input).error);
  ASSERT_TRUE(input->next_part());
  const ReadAll missing = read_all(*input);
  ASSERT_TRUE(missing.error);
  EXPECT_EQ(missing.error->code, ErrorCode::kCannotOpen);
  ASSERT_TRUE(input->next_part());
  EXPECT_EQ(read_all(*input).bytes, one);
}

TEST(JoinedInput, EndsWhenStopped) {
  const TemporaryFolder folder;
  std::stop_source stop;
  const auto input = joined_input(
      "all", {folder.file("one", made_up(10)), folder.file("two", made_up(10))}, stop.get_token());
  EXPECT_EQ(read_all(*input).bytes.size(), 10U);
  EXPECT_FALSE(input->stopped());
  stop.request_stop();
  EXPECT_FALSE(input->next_part());
  EXPECT_TRUE(input->stopped());
}

TEST(JoinedInput, WindowsGoOnBehindAFailure) {
  const TemporaryFolder folder;
  const Bytes one = made_up(100);
  WindowReader windows(joined_input("all", {folder.file("missing"), folder.file("one", one)}));
  EXPECT_FALSE(windows.advance(0, 1));
  EXPECT_TRUE(windows.failure());
  ASSERT_TRUE(windows.next_part());
  EXPECT_FALSE(windows.failure());
  ASSERT_TRUE(windows.advance(0, 100));
  EXPECT_EQ(windows.current()->size(), 100U);
}

}  // namespace
}  // namespace tracedeck::io
