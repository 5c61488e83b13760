// Traces as JSON of Chrome's trace viewer, which speedscope, Perfetto, Firefox, Trace Compass and
// VizTracer read too. docs/export.md says what becomes of each kind of mark.
#pragma once

#include <memory>

#include "tracedeck/export/exporter.hpp"
#include "tracedeck/io/output.hpp"

namespace tracedeck::exporting {

struct ChromeOptions {
  // Members of "otherData".
  TraceAttributes attributes = {};
};

// Takes no memory for a mark; for each track some bytes. `output` must outlive it.
[[nodiscard]] std::unique_ptr<Exporter> make_chrome(io::Output& output, ChromeOptions options = {});

}  // namespace tracedeck::exporting
