// What `diff` prints.
#pragma once

#include <cstddef>
#include <string>

#include "tracedeck/timeline/comparison.hpp"
#include "tracedeck/timeline/timeline.hpp"

namespace tracedeck::timeline {

// One of the two traces, beside what is in the comparison.
struct ReportedTrace {
  std::string name;  // as the user calls it
  const Timeline& timeline;
};

// `top`: rows of each part; 0: all.
[[nodiscard]] std::string comparison_text(const Comparison& comparison, const ReportedTrace& a,
                                          const ReportedTrace& b, std::size_t top);
// As docs/json/diff.schema.json says.
[[nodiscard]] std::string comparison_json(const Comparison& comparison, const ReportedTrace& a,
                                          const ReportedTrace& b, std::size_t top);

}  // namespace tracedeck::timeline
