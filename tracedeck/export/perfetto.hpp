// Traces for Perfetto (https://ui.perfetto.dev): TrackEvent packets of one sequence. docs/export.md
// says what becomes of each kind of mark.
#pragma once

#include <memory>
#include <string>

#include "tracedeck/export/exporter.hpp"
#include "tracedeck/io/output.hpp"

namespace tracedeck::exporting {

struct PerfettoOptions {
  // The oldest version of Perfetto that is to read the trace. Before 57 states are slices.
  int level = 57;
  // Of the trace: "dial9". Says which clock its times are of, where they do not count from the Unix
  // epoch.
  std::string format = {};
  // For Perfetto's page "Info and stats".
  TraceAttributes attributes = {};
};

// Takes no memory for a mark; for each track, name and key some bytes. `output` must outlive it.
[[nodiscard]] std::unique_ptr<Exporter> make_perfetto(io::Output& output, PerfettoOptions options);

}  // namespace tracedeck::exporting
