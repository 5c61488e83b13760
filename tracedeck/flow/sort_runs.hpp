// Sorts what consists of few ascending runs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

namespace tracedeck::flow {

// Sorts [first, last) stably. What ascends already is found and merged, so that n elements in k
// runs take about n log k comparisons, and a short run behind a long one what it overlaps.
// `scratch`: the begin of room for as many elements; they are of a type that is copied in a few
// instructions.
template <class Iterator, class Scratch, class Less>
void sort_runs(Iterator first, Iterator last, Scratch scratch, const Less& less) {
  // Runs that were found, each more than twice as long as the one behind it.
  constexpr std::ptrdiff_t kLeastRun = 12;
  std::array<Iterator, sizeof(std::size_t) * 8 + 2> begins;
  std::size_t runs = 0;
  const auto merge_last_two = [&](Iterator end) {
    const Iterator middle = begins[--runs];
    // What lies before or behind all of the other run stays where it is.
    Iterator to = std::upper_bound(begins[runs - 1], middle, *middle, less);
    const Iterator right_end = std::lower_bound(middle, end, *std::prev(middle), less);
    const Scratch left_end = std::copy(to, middle, scratch);
    Scratch left = scratch;
    Iterator right = middle;
    while (left != left_end && right != right_end) *to++ = less(*right, *left) ? *right++ : *left++;
    std::copy(left, left_end, to);
  };
  for (Iterator at = first; at != last;) {
    begins[runs++] = at;
    Iterator end = std::is_sorted_until(at, last, less);
    // What is in no order at all has runs of two or three.
    for (; end != last && end - at < kLeastRun; ++end)
      std::rotate(std::upper_bound(at, end, *end, less), end, std::next(end));
    at = end;
    while (runs > 1 && begins[runs - 1] - begins[runs - 2] <= 2 * (at - begins[runs - 1]))
      merge_last_two(at);
  }
  while (runs > 1) merge_last_two(last);
}

}  // namespace tracedeck::flow
