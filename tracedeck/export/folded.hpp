// Stacks for flame graphs: a line for each, its frames from the outermost on with `;` between them,
// a space and a number, as flamegraph.pl, inferno and speedscope read them.
#pragma once

#include <cstdint>
#include <memory>

#include "tracedeck/export/exporter.hpp"
#include "tracedeck/io/output.hpp"

namespace tracedeck::exporting {

enum class FoldedStacks : std::uint8_t {
  kSlices,   // of slices: `track;outer;inner` and the nanoseconds that were spent in none inside
  kSamples,  // of instants with an argument `callchain`, addresses with the leaf first: how often
  kAuto,     // of samples where there are any, else of slices
  // Of allocations, each scaled by how probable it was to be sampled: the bytes of all of them, and
  // of those that nothing had freed when the trace ended.
  kAllocatedBytes,
  kLiveBytes,
};

// Holds a node for each different stack, a million at most. Lines are written by `finish`. `output`
// must outlive it.
[[nodiscard]] std::unique_ptr<Exporter> make_folded(io::Output& output,
                                                    FoldedStacks stacks = FoldedStacks::kAuto);

}  // namespace tracedeck::exporting
