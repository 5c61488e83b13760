// Whether a receipt names what two traces differ in, for tests and fuzz targets.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "tracedeck/comparison/trace_difference.hpp"
#include "tracedeck/format/writer.hpp"

namespace tracedeck::comparison {

// Whether an entry names the place of a difference: its class, if it gives one, and its path or one
// above it.
[[nodiscard]] inline bool names(const ReceiptEntry& entry, const DifferenceKey& difference) {
  if (!entry.lossy || (entry.path.empty() && entry.event_class.empty())) return false;
  const std::string& of = is_of_event_class(difference) ? difference.class_name : "";
  if (!entry.event_class.empty() && entry.event_class != of) return false;
  const std::string place = place_of(difference);
  if (entry.path.empty() || place == entry.path) return true;
  return place.starts_with(entry.path) &&
         std::string_view(".[{").contains(place[entry.path.size()]);
}

[[nodiscard]] inline bool names(const Receipt& receipt, const DifferenceKey& difference) {
  return std::ranges::any_of(receipt,
                             [&](const ReceiptEntry& entry) { return names(entry, difference); });
}

}  // namespace tracedeck::comparison
