// Profiles as pprof reads them (https://github.com/google/pprof, proto/profile.proto): protobuf,
// compressed by gzip.
#pragma once

#include <memory>

#include "tracedeck/export/exporter.hpp"
#include "tracedeck/io/output.hpp"

namespace tracedeck::exporting {

struct PprofOptions {
  bool gzip = true;  // false: what `output` is written to compresses
};

// The stacks of samples: instants with an argument `callchain`, addresses with the leaf first. Each
// kind of samples is a type of values: what ran, what was switched out. Of events that allocate and
// free memory, four more: how many there were and their bytes, and of these what is in use when the
// trace ends, each scaled by how probable it was to be sampled. Holds a node for each different
// stack, a million at most, and what is allocated and not free. `output` must outlive it.
[[nodiscard]] std::unique_ptr<Exporter> make_pprof(io::Output& output, PprofOptions options);

}  // namespace tracedeck::exporting
