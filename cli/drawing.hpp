// Time lines of all TRACEs, drawn into one output: for `convert` and `view`.
#pragma once

#include <functional>
#include <optional>

#include "cli/options.hpp"
#include "cli/receipt.hpp"
#include "cli/session.hpp"
#include "tracedeck/io/output.hpp"

namespace tracedeck::cli {

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
