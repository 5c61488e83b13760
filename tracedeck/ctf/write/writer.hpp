// Writes records of the model as a CTF trace: a directory with `metadata` and one file a data
// stream.
//
// Classes are mapped as target_classes.hpp says. Packets end when they are full and where the
// source's end; sequence numbers and discarded counters go on with the source's. Of a part of a
// source they begin anew: an empty packet before the first one tells what was lost between them.
// What the trace has in common (UUID, environment) is that of the first data stream's description.
#pragma once

#include <memory>

#include "tracedeck/format/format.hpp"

namespace tracedeck::ctf {

// `options.target`: "ctf2rc", "ctf2" or "ctf1"; `options.version` must be empty. `output` must
// outlive the writer. Errors: kInvalidArgument, kUnsupported; those of the output.
[[nodiscard]] Result<std::unique_ptr<Writer>> create_writer(io::OutputDirectory& output,
                                                            const WriteOptions& options);

}  // namespace tracedeck::ctf
