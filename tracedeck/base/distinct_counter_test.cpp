#include "tracedeck/base/distinct_counter.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

namespace tracedeck {
namespace {

TEST(DistinctCounter, IsExactOfFewAndNearOfMany) {
  for (const int count : {0, 1, 1024, 1025, 5'000, 200'000}) {
    DistinctCounter counter;
    for (int i = 0; i < count; ++i) {
      counter.add(std::to_string(i));
      counter.add(std::to_string(i / 2));
    }
    if (count <= 1024) {
      EXPECT_EQ(counter.count(), static_cast<std::uint64_t>(count));
    } else {
      EXPECT_NEAR(static_cast<double>(counter.count()), count, count * 0.07);
    }
    EXPECT_EQ(counter.exact(), count <= 1024);
  }
}

TEST(DistinctCounter, AddsUp) {
  for (const int count : {10, 1'300, 20'000}) {
    DistinctCounter all;
    DistinctCounter one;
    DistinctCounter other;
    for (int i = 0; i < count; ++i) {
      all.add(std::to_string(i));
      if (i % 3 != 0) one.add(std::to_string(i));
      if (i % 2 != 0 || i % 3 == 0) other.add(std::to_string(i));
    }
    one.merge(other);
    EXPECT_EQ(one.count(), all.count());
  }
}

TEST(DistinctCounter, TravelsAsBytes) {
  for (const int count : {0, 7, 1024, 3000}) {
    DistinctCounter counter;
    for (int i = 0; i < count; ++i) counter.add(std::to_string(i));
    std::string bytes;
    counter.encode(bytes);
    const std::span<const std::uint8_t> whole(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                              bytes.size());
    auto rest = whole;
    const auto back = DistinctCounter::decode(rest);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->count(), counter.count());
    for (std::size_t size = 0; size < whole.size(); ++size) {
      auto cut = whole.first(size);
      EXPECT_FALSE(DistinctCounter::decode(cut)) << size;
    }
  }
}

TEST(DistinctCounter, CountsBySipHashUnderItsKey) {
  DistinctCounter usual;
  DistinctCounter keyed(HashKey{.low = 1, .high = 2});
  for (int i = 0; i < 5'000; ++i) {
    usual.add(std::to_string(i));
    keyed.add(std::to_string(i));
  }
  // Both are near, by other registers.
  std::string bytes;
  std::string keyed_bytes;
  usual.encode(bytes);
  keyed.encode(keyed_bytes);
  EXPECT_NE(bytes, keyed_bytes);
  EXPECT_NEAR(static_cast<double>(keyed.count()), 5'000, 350);
}

// Texts of two words, of which the second is chosen so that a hash without a key has one state
// behind both: as is done to hide how many there are.
TEST(DistinctCounter, CountsTextsThatAreMadeToCollideElsewhere) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15U;
  const auto mixed = [](std::uint64_t bits) {
    for (int i = 0; i < 2; ++i) bits = (bits ^ bits >> 32) * 0xD6E8FEB86659FD93U;
    return bits ^ bits >> 32;
  };
  const auto text_of = [&](std::uint64_t first) {
    const std::uint64_t second = 0 - mixed((kOdd ^ 16U) + first + kOdd);
    std::string text(16, '\0');
    std::memcpy(text.data(), &first, 8);
    std::memcpy(text.data() + 8, &second, 8);
    return text;
  };
  DistinctCounter few;
  DistinctCounter many;
  KeyedHash hash;
  std::set<std::size_t> hashes;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    if (i < 800) few.add(text_of(i));
    many.add(text_of(i));
    hashes.insert(hash(text_of(i)));
  }
  EXPECT_EQ(few.count(), 800U);
  EXPECT_NEAR(static_cast<double>(many.count()), 20'000, 1'400);
  EXPECT_EQ(hashes.size(), 20'000U);
}

}  // namespace
}  // namespace tracedeck
