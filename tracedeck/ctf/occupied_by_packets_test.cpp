#include "tracedeck/ctf/occupied_by_packets.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace tracedeck::ctf {
namespace {

using File = TwinPackets::FileOfStream;

File timed(std::uint64_t begin, std::uint64_t end) { return {.begin = begin, .end = end}; }
File numbered(std::uint64_t first, std::uint64_t last, std::uint64_t begin, std::uint64_t end) {
  return {.begin = begin, .end = end, .first_sequence = first, .last_sequence = last};
}

TEST(OccupiedByPackets, NextFileMayBeginWhereOneEnds) {
  OccupiedByPackets occupied;
  occupied.add(timed(10, 20));
  EXPECT_FALSE(occupied.excludes(timed(20, 30)));
  EXPECT_FALSE(occupied.excludes(timed(0, 10)));
  EXPECT_TRUE(occupied.excludes(timed(19, 30)));
  EXPECT_TRUE(occupied.excludes(timed(0, 40)));
  EXPECT_TRUE(occupied.excludes(timed(15, 15)));
  EXPECT_FALSE(occupied.excludes(timed(20, 20)));
}

TEST(OccupiedByPackets, SequenceNumbersAreOfOneFile) {
  OccupiedByPackets occupied;
  occupied.add(numbered(4, 6, 10, 10));
  EXPECT_TRUE(occupied.excludes(numbered(6, 9, 50, 60)));
  EXPECT_FALSE(occupied.excludes(numbered(7, 9, 50, 60)));
  EXPECT_FALSE(occupied.excludes(numbered(7, 9, 10, 10)));
  EXPECT_TRUE(occupied.excludes(timed(10, 10)));
}

TEST(OccupiedByPackets, WithoutTimesOnlyNumbersCount) {
  OccupiedByPackets occupied;
  occupied.add({.first_sequence = 1, .last_sequence = 1});
  EXPECT_FALSE(occupied.excludes({}));
  EXPECT_FALSE(occupied.excludes(timed(0, 100)));
  EXPECT_TRUE(occupied.excludes({.first_sequence = 0, .last_sequence = 3}));
}

// As the rule says it of two files.
bool exclude(const File& one, const File& other) {
  if (one.first_sequence && other.first_sequence) {
    if (*one.first_sequence <= other.last_sequence && *other.first_sequence <= one.last_sequence)
      return true;
  } else if (one.end && other.end && one.begin == other.begin) {
    return true;
  }
  return one.end && other.end && one.begin < *other.end && other.begin < *one.end;
}

RC_GTEST_PROP(OccupiedByPacketsProperty, ExcludesWhatAFileOfItDoes, ()) {
  const auto some = [] { return *rc::gen::inRange<std::uint64_t>(0, 12); };
  const auto file = [&] {
    File made{.begin = some()};
    if (*rc::gen::inRange(0, 5) != 0) made.end = made.begin + some() / 3;
    if (*rc::gen::inRange(0, 2) != 0) {
      made.first_sequence = some();
      made.last_sequence = *made.first_sequence + some() / 4;
    }
    return made;
  };
  OccupiedByPackets occupied;
  std::vector<File> added;
  for (int i = 0; i < 8; ++i) {
    const File next = file();
    const bool any =
        std::ranges::any_of(added, [&](const File& each) { return exclude(each, next); });
    RC_ASSERT(occupied.excludes(next) == any);
    // Parts with twins are added whatever they have in common.
    if (any && *rc::gen::inRange(0, 3) != 0) continue;
    occupied.add(next);
    added.push_back(next);
  }
}

}  // namespace
}  // namespace tracedeck::ctf
