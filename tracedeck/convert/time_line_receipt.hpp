// What a result of time lines lacks.
#pragma once

#include <cstdint>

#include "tracedeck/format/writer.hpp"
#include "tracedeck/timeline/timeline.hpp"

namespace tracedeck {

// What a result shows, by which it is said what became of the rest.
enum class CountWords : std::uint8_t { kSlices, kPicture, kTables };

// Appends what the interpretation could not place.
void append_counts(Receipt& receipt, const timeline::TimelineCounts& counts, CountWords words);

}  // namespace tracedeck
