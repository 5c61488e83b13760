#include "tracedeck/base/distinct_counter.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tracedeck {
namespace {

std::uint64_t hash_of_number(int number) { return hash_of(std::to_string(number)); }

TEST(DistinctCounter, IsExactOfFewAndNearOfMany) {
  for (const int count : {0, 1, 1024, 1025, 5'000, 200'000}) {
    DistinctCounter counter;
    for (int i = 0; i < count; ++i) {
      counter.add(hash_of_number(i));
      counter.add(hash_of_number(i / 2));
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
      all.add(hash_of_number(i));
      if (i % 3 != 0) one.add(hash_of_number(i));
      if (i % 2 != 0 || i % 3 == 0) other.add(hash_of_number(i));
    }
    one.merge(other);
    EXPECT_EQ(one.count(), all.count());
  }
}

TEST(DistinctCounter, TravelsAsBytes) {
  for (const int count : {0, 7, 1024, 3000}) {
    DistinctCounter counter;
    for (int i = 0; i < count; ++i) counter.add(hash_of_number(i));
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

}  // namespace
}  // namespace tracedeck
