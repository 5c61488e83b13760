// Values of options as the command babeltrace2 takes them.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/base/time_point.hpp"
#include "tracedeck/render/babeltrace.hpp"

namespace tracedeck::cli {

// Words between commas, given at once or one after the other: what one of them names is shown, and
// else nothing, or everything if the last option says `all`. Without a word all is as `Shown` has
// it.
template <class Shown>
class BabeltraceList {
 public:
  // The words of one option. Returns what is wrong with them, or "".
  [[nodiscard]] std::string add(std::string_view words);
  [[nodiscard]] Shown shown() const;

 private:
  bool given_ = false;
  bool all_ = false;
  std::vector<std::string> words_;
};

extern template class BabeltraceList<render::BabeltraceNames>;
extern template class BabeltraceList<render::BabeltraceFields>;

// "BEGIN,END", with brackets or without. Each is a number of seconds from the origin, a time of day
// (HH:MM, HH:MM:SS.NANO), or a date (YYYY-MM-DD) with or without one behind a space; all but the
// first are in the local time zone, or in UTC with `gmt`. The error is a sentence about what is
// wrong.
[[nodiscard]] std::expected<std::pair<TimePoint, TimePoint>, std::string> parse_babeltrace_range(
    std::string_view text, bool gmt);

}  // namespace tracedeck::cli
