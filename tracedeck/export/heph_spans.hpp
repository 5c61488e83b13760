// Slices as spans of a Heph trace: what `convert --to heph --spans` writes.
#pragma once

#include <memory>

#include "tracedeck/export/exporter.hpp"
#include "tracedeck/io/output.hpp"

namespace tracedeck::exporting {

// A span for each slice whose duration is known: its name as the description; its track as the
// stream, named by an option `stream.ID`, and the lane of that as the substream; its arguments as
// attributes. In ns, since the Unix epoch where the clock counts from that. What else there are
// marks of is left out, and the receipt says so. Takes memory for the arguments of slices that are
// open, 16 MiB at most. `output` must outlive it.
[[nodiscard]] std::unique_ptr<Exporter> make_heph_spans(io::Output& output);

}  // namespace tracedeck::exporting
