// Sorts what consists of few ascending runs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

namespace tracedeck {

// Sorts [first, last) stably. What ascends already is found and merged, so that n elements in k
// runs take about n log k comparisons, and a short run behind a long one what it overlaps.
// `scratch`: the begin of room for as many elements; they are of a type that is copied in a few
// instructions.
template <class Iterator, class Scratch, class Less>
void sort_runs(const Iterator& first, const Iterator& last, const Scratch& scratch,
               const Less& less) {
  constexpr std::ptrdiff_t kLeastRun = 12;
  const auto merge = [&](const Iterator& begin, const Iterator& middle, const Iterator& end) {
    // What lies before or behind all of the other run stays where it is.
    Iterator to = std::upper_bound(begin, middle, *middle, less);
    const Iterator right_end = std::lower_bound(middle, end, *std::prev(middle), less);
    const Scratch left_end = std::copy(to, middle, scratch);
    Scratch left = scratch;
    Iterator right = middle;
    while (left != left_end && right != right_end) *to++ = less(*right, *left) ? *right++ : *left++;
    std::copy(left, left_end, to);
  };
  // Runs that were found, each more than twice as long as the one behind it.
  std::array<Iterator, sizeof(std::size_t) * 8 + 2> begins;
  std::size_t runs = 0;
  for (Iterator at = first; at != last;) {
    begins[runs++] = at;
    at = std::is_sorted_until(at, last, less);
    // What is in no order at all has runs of two or three.
    for (const Iterator& begin = begins[runs - 1]; at != last && at - begin < kLeastRun; ++at)
      std::rotate(std::upper_bound(begin, at, *at, less), at, std::next(at));
    for (; runs > 1 && begins[runs - 1] - begins[runs - 2] <= 2 * (at - begins[runs - 1]); --runs)
      merge(begins[runs - 2], begins[runs - 1], at);
  }
  for (; runs > 1; --runs) merge(begins[runs - 2], begins[runs - 1], last);
}

}  // namespace tracedeck
