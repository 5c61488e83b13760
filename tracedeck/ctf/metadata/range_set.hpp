// A set of integers as disjoint ranges.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <vector>

#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf {

// Whether a fixed-length integer can have all values of a range.
[[nodiscard]] inline bool holds(const FixedLayout& layout, bool is_signed,
                                const IntegerRange& range) {
  constexpr std::uint32_t kAll = 128;  // that bounds have, and a sign
  if (!is_signed) {
    return range.lower >= 0 &&
           (layout.width >= kAll || range.upper < Integer(Uint128{1} << layout.width, false));
  }
  if (layout.width > kAll) return true;
  const Uint128 most = Uint128{1} << (layout.width - 1);
  return range.lower >= Integer(most, true) && range.upper < Integer(most, false);
}

// Whether each range of the options, which have `ranges`, lies behind those before it: mostly they
// do, and nothing needs to be gathered to see that none meets another.
template <class Options>
[[nodiscard]] bool are_in_order(const Options& options) {
  std::optional<Integer> last;
  for (const auto& option : options) {
    for (const IntegerRange& range : option.ranges) {
      if (last && range.lower <= *last) return false;
      last = range.upper;
    }
  }
  return true;
}

class RangeSet {
 public:
  // Adds a range and returns the parts of it that were not in the set.
  std::vector<IntegerRange> add(const IntegerRange& range) {
    std::vector<IntegerRange> added;
    IntegerRange whole = range;
    Integer next = range.lower;  // what is before was dealt with
    auto known = uppers_.upper_bound(range.lower);
    if (known != uppers_.begin() && std::prev(known)->second >= range.lower) --known;
    bool open = true;
    while (known != uppers_.end() && known->first <= range.upper) {
      if (known->first > next) added.push_back({next, *subtract(known->first, 1)});
      whole = {std::min(whole.lower, known->first), std::max(whole.upper, known->second)};
      open = known->second < range.upper;
      if (open) next = *tracedeck::add(known->second, 1);
      known = uppers_.erase(known);
    }
    if (open) added.push_back({next, range.upper});
    uppers_.emplace(whole.lower, whole.upper);
    return added;
  }

 private:
  std::map<Integer, Integer> uppers_;  // by the lower ends
};

}  // namespace tracedeck::ctf
