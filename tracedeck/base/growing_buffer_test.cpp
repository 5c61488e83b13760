#include "tracedeck/base/growing_buffer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <limits>
#include <new>
#include <utility>
#include <vector>

namespace tracedeck {
namespace {

// A byte that depends on its place, so that a page that moved shows.
std::uint8_t pattern(std::size_t at) {
  return static_cast<std::uint8_t>(at * 2'654'435'761U >> 13);
}

void write_pattern(GrowingBuffer& buffer, std::size_t from, std::size_t to) {
  for (std::size_t at = from; at < to; ++at) buffer.data()[at] = pattern(at);
  buffer.set_size(to);
}

bool has_pattern(const GrowingBuffer& buffer) {
  const ByteSpan bytes = buffer.span();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (bytes[at] != pattern(at)) return false;
  }
  return true;
}

TEST(GrowingBuffer, IsEmptyAtFirst) {
  const GrowingBuffer buffer;
  EXPECT_EQ(buffer.size(), 0U);
  EXPECT_EQ(buffer.capacity(), 0U);
  EXPECT_TRUE(buffer.span().empty());
}

TEST(GrowingBuffer, KeepsItsBytesFromHeapToMappingToLargerMapping) {
  GrowingBuffer buffer;
  std::size_t size = 0;
  for (const std::size_t next :
       {100UL, 4'096UL, 200'000UL, 262'144UL, 262'145UL, 3'000'000UL, 70'000'000UL}) {
    buffer.reserve(size, next - size);
    ASSERT_GE(buffer.capacity(), next);
    write_pattern(buffer, size, next);
    size = next;
    ASSERT_TRUE(has_pattern(buffer)) << next;
  }
}

TEST(GrowingBuffer, LargeFirstReserve) {
  GrowingBuffer buffer;
  buffer.reserve(0, 5'000'000);
  write_pattern(buffer, 0, 5'000'000);
  EXPECT_TRUE(has_pattern(buffer));
}

TEST(GrowingBuffer, StaysWhereItIsWhileThereIsRoom) {
  GrowingBuffer buffer;
  const std::uint8_t* const data = buffer.reserve(0, 1'000);
  EXPECT_EQ(buffer.reserve(500, 500), data);
  EXPECT_EQ(buffer.reserve(0, buffer.capacity()), data);
}

TEST(GrowingBuffer, MovesWithItsBytes) {
  for (const std::size_t size : {1'000UL, 1'000'000UL}) {
    GrowingBuffer buffer;
    const std::uint8_t* const data = buffer.reserve(0, size);
    write_pattern(buffer, 0, size);
    GrowingBuffer moved(std::move(buffer));
    EXPECT_EQ(moved.data(), data);
    EXPECT_TRUE(has_pattern(moved));
    GrowingBuffer assigned;
    assigned.reserve(0, 10);
    assigned = std::move(moved);
    EXPECT_EQ(assigned.data(), data);
    EXPECT_EQ(assigned.size(), size);
  }
}

TEST(GrowingBuffer, RefusesWhatNoMemoryHolds) {
  GrowingBuffer buffer;
  constexpr std::size_t kMax = std::numeric_limits<std::size_t>::max();
  EXPECT_THROW(buffer.reserve(0, kMax), std::bad_alloc);
  EXPECT_THROW(buffer.reserve(kMax, 1), std::bad_alloc);
  EXPECT_THROW(buffer.reserve(0, kMax / 8), std::bad_alloc);
  buffer.reserve(0, 10);
  write_pattern(buffer, 0, 10);
  EXPECT_TRUE(has_pattern(buffer));
}

RC_GTEST_PROP(GrowingBuffer, KeepsItsBytesThroughAnyGrowth, ()) {
  const auto steps =
      *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 300'000));
  GrowingBuffer buffer;
  std::size_t size = 0;
  for (const std::size_t step : steps) {
    buffer.reserve(size, step);
    RC_ASSERT(buffer.capacity() >= size + step);
    write_pattern(buffer, size, size + step);
    size += step;
  }
  RC_ASSERT(has_pattern(buffer));
}

}  // namespace
}  // namespace tracedeck
