#include "tracedeck/base/page_image.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace tracedeck {
namespace {

std::vector<std::uint8_t> some_bytes(std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i / 7);
  return bytes;
}

TEST(PageImage, CopiesChangeEachForItself) {
  const std::vector<std::uint8_t> bytes = some_bytes(100'000);
  std::optional<PageImage> image(std::in_place, ByteSpan(bytes));
  EXPECT_EQ(image->size(), bytes.size());
  PageCopy first(*image);
  PageCopy second(*image);
  first.data()[50'000] = 255;
  second.data()[99'999] = 254;
  const PageCopy third(*image);
  image.reset();
  EXPECT_EQ(first.data()[50'000], 255);
  EXPECT_EQ(first.data()[99'999], bytes[99'999]);
  EXPECT_EQ(second.data()[50'000], bytes[50'000]);
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), third.data()));
}

TEST(PageImage, CopiesCanBeAsTheyWereAtFirst) {
  const std::vector<std::uint8_t> bytes = some_bytes(100'000);
  const PageImage image{ByteSpan(bytes)};
  PageCopy copy(image);
  copy.data()[50'000] = 255;
  const bool reset = copy.reset();
  EXPECT_EQ(copy.data()[50'000], reset ? bytes[50'000] : 255);
  copy.data()[50'000] = 254;
  EXPECT_EQ(copy.data()[50'000], 254);
}

TEST(PageImage, CopiesCanBeMoved) {
  const std::vector<std::uint8_t> bytes = some_bytes(5000);
  const PageImage image{ByteSpan(bytes)};
  PageCopy copy(image);
  copy.data()[1] = 200;
  PageCopy moved = std::move(copy);
  EXPECT_EQ(moved.data()[1], 200);
  PageCopy other(image);
  other = std::move(moved);
  EXPECT_EQ(other.data()[1], 200);
  EXPECT_EQ(other.data()[4999], bytes[4999]);
}

}  // namespace
}  // namespace tracedeck
