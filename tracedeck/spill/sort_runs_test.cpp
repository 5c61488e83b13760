#include "tracedeck/spill/sort_runs.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "tracedeck/format/made_up_trace_test.hpp"

namespace tracedeck {
namespace {

using Element = std::pair<int, std::size_t>;  // the key, and when it came

bool by_key(const Element& a, const Element& b) { return a.first < b.first; }

std::vector<Element> numbered(const std::vector<int>& keys) {
  std::vector<Element> elements;
  for (const int key : keys) elements.emplace_back(key, elements.size());
  return elements;
}

std::vector<Element> sorted(std::vector<Element> elements, std::size_t* comparisons = nullptr) {
  std::vector<Element> scratch(elements.size());
  std::size_t counted = 0;
  sort_runs(elements.begin(), elements.end(), scratch.begin(),
            [&](const Element& a, const Element& b) {
              ++counted;
              return by_key(a, b);
            });
  if (comparisons != nullptr) *comparisons = counted;
  return elements;
}

RC_GTEST_PROP(SortRuns, IsStable, ()) {
  const auto keys = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 20));
  auto expected = numbered(keys);
  sort_stably(expected, by_key);
  RC_ASSERT(sorted(numbered(keys)) == expected);
}

RC_GTEST_PROP(SortRuns, MergesAscendingParts, ()) {
  auto parts = *rc::gen::arbitrary<std::vector<std::vector<int>>>();
  std::vector<int> keys;
  for (std::vector<int>& part : parts) {
    std::ranges::sort(part);
    keys.insert(keys.end(), part.begin(), part.end());
  }
  auto expected = numbered(keys);
  sort_stably(expected, by_key);
  RC_ASSERT(sorted(numbered(keys)) == expected);
}

TEST(SortRuns, WhatAscendsIsComparedOnce) {
  std::vector<int> keys(1000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<int>(i / 3);
  std::size_t comparisons = 0;
  (void)sorted(numbered(keys), &comparisons);
  EXPECT_LE(comparisons, keys.size());
}

TEST(SortRuns, ALateTailIsMergedWithWhatItOverlaps) {
  std::vector<int> keys(10'000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<int>(i);
  for (const int late : {9'970, 9'980, 9'990}) keys.push_back(late);
  auto expected = numbered(keys);
  sort_stably(expected, by_key);
  std::size_t comparisons = 0;
  EXPECT_EQ(sorted(numbered(keys), &comparisons), expected);
  EXPECT_LE(comparisons, keys.size() + 100);
}

}  // namespace
}  // namespace tracedeck
