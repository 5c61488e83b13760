// What the flags of marks are called where they are shown.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "tracedeck/timeline/mark.hpp"

namespace tracedeck::exporting {

struct FlagName {
  timeline::MarkFlag flag;
  std::string_view name;
};

// Those that say something about a slice or an instant.
inline constexpr std::array kFlagNames = {
    FlagName{timeline::kBeganBefore, "began before what is shown"},
    FlagName{timeline::kOpenAtEnd, "open at the end"},
    FlagName{timeline::kAcrossLoss, "events were lost inside"},
    FlagName{timeline::kInferredEnd, "end inferred"},
    FlagName{timeline::kGone, "ended with its task"},
    FlagName{timeline::kOverlap, "overlaps another"},
    FlagName{timeline::kClockStep, "clock stepped back"},
    FlagName{timeline::kUnmatchedEnd, "end without a begin"},
    FlagName{timeline::kNegative, "ended before it began"},
    FlagName{timeline::kMoved, "part of a slice that changes lanes"},
};
inline constexpr std::uint16_t kNamedFlags = [] {
  std::uint16_t flags = 0;
  for (const FlagName& each : kFlagNames) flags = static_cast<std::uint16_t>(flags | each.flag);
  return flags;
}();

// Why it is not known how long a wait lasted; empty: it is known.
[[nodiscard]] inline std::string unknown_duration(const timeline::Mark& mark) {
  if (mark.has_duration()) return {};
  std::string why = "not known";
  for (const FlagName& each : kFlagNames) {
    if (mark.has(each.flag) && (each.flag & timeline::kNoDuration) != 0)
      why.append(", ").append(each.name);
  }
  return why;
}

}  // namespace tracedeck::exporting
