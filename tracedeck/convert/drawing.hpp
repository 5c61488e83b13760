// Time lines of traces, drawn into one output: of targets that show what events mean.
#pragma once

#include <functional>
#include <optional>

#include "tracedeck/convert/conversion.hpp"
#include "tracedeck/convert/report.hpp"
#include "tracedeck/io/output.hpp"

namespace tracedeck {

// Returns where to draw to; null: that cannot be had, which was reported. Is called for each
// attempt, and what the last one made is not wanted.
using OpenDrawing = std::function<io::Output*()>;

// Draws what the task, which `is_drawn()`, says. The output is complete, and is not finished.
// Nothing: there is no result, and why was reported.
[[nodiscard]] std::optional<ConversionReport> draw(const ConversionTask& task, ConversionHost& host,
                                                   const OpenDrawing& open);

}  // namespace tracedeck
