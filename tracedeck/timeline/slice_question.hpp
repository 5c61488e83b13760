// Which slice, wait or state is to be explained.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tracedeck::timeline {

inline constexpr std::size_t kMostRank = 1000;

struct SliceQuestion {
  // A label, a category, or a glob over both; empty: any. States count if nothing else is meant.
  std::string name = {};
  // 1 is the longest; at most `kMostRank`. What does not count (`Unended`) comes
  // behind all others.
  std::size_t rank = 1;
  // A moment: the longest that begins then, or the innermost that lasts. Whole microseconds behind
  // the trace's begin are how begins are printed: any that is printed so is meant.
  std::optional<std::int64_t> at = {};
  std::string track = {};  // a glob; empty: any
};

}  // namespace tracedeck::timeline
