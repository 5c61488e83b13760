// Time lines of all TRACEs, drawn into one output: for `convert` and `view`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "cli/options.hpp"
#include "cli/receipt.hpp"
#include "cli/session.hpp"
#include "tracedeck/io/output.hpp"
#include "tracedeck/timeline/timeline.hpp"

namespace tracedeck::cli {

// What a result shows, by which it is said what became of the rest.
enum class CountWords : std::uint8_t { kSlices, kPicture, kTables };

// What the interpretation itself could not place.
void append_counts(Receipt& receipt, const timeline::TimelineCounts& counts, CountWords words);

// Where to draw to, once there is something to draw; null: that cannot be had, which was reported.
// What was made before is not wanted.
using OpenDrawing = std::function<io::Output*()>;

// Draws what `options.to` says. The output is complete, and is not finished. Nothing: there is no
// result, and why was reported.
[[nodiscard]] std::optional<ConversionReport> draw(const Options& options, Session& session,
                                                   const OpenDrawing& open);

// Instead of a result: prints what was applied and inferred, as tables.
void explain(const Options& options, Session& session);

}  // namespace tracedeck::cli
