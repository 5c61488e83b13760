#include "tracedeck/convert/time_line_receipt.hpp"

#include <string>
#include <utility>

namespace tracedeck {

void append_counts(Receipt& receipt, const timeline::TimelineCounts& counts, CountWords words) {
  const bool is_picture = words == CountWords::kPicture;
  const auto append = [&](std::uint64_t count, std::string what, std::string done, bool lossy) {
    if (count != 0)
      receipt.push_back(
          {.what = std::move(what), .done = std::move(done), .count = count, .lossy = lossy});
  };
  append(counts.without_rule, "event that no rule is about",
         is_picture                     ? "in no picture"
         : words == CountWords::kTables ? "in no table of what events mean"
                                        : "left out",
         false);
  // Tables have rows of them, and stacks count them among losses.
  if (is_picture) append(counts.damaged, "damaged ranges", "left out", true);
  append(counts.without_time, "event without a time", "left out", true);
  append(counts.too_far, "event 292 years or more from the first", "left out", true);
  append(counts.without_lane, "slice beyond 256 at a time on one track", "left out", true);
  append(counts.not_held, "begin beyond what memory holds", "left out", true);
  append(counts.without_field, "event that lacks a field of its rule", "left out", true);
  append(counts.inferred_ends, "slice without an end of its own", "ended where the next begins",
         false);
  append(counts.ended_with_task, "slice without an end of its own", "ended with its task", false);
  append(counts.unmatched_ends, "end without a begin",
         is_picture                     ? "shown as an instant"
         : words == CountWords::kTables ? "a row of `__instant`"
                                        : "left out",
         false);
  append(counts.clock_steps, "time earlier than the last on its track", "clamped to that", false);
  append(counts.sections, "step back of a clock", "all begins anew there", false);
  if (words == CountWords::kSlices) return;
  append(counts.overlaps, "slice that overlaps another on its track", "on a lane of its own",
         false);
  append(counts.inferred_states, "state before the first switch of a processor",
         "taken from what that took off", false);
}

}  // namespace tracedeck
