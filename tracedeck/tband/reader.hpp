// Reads a Tonbandgerät trace as records of the model.
//
// Every core is a data stream. Events lie on the tape of their batch and point into the input's
// window. What holds for the whole trace wherever it stands (how long a tick is, and names) is
// looked for first in inputs that can be read twice; others are held back for the length of a tick.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tracedeck/format/format.hpp"
#include "tracedeck/format/reader.hpp"
#include "tracedeck/io/input.hpp"

namespace tracedeck::tband {

// Errors: those of rewinding the input.
[[nodiscard]] Result<std::unique_ptr<Reader>> open_reader(std::unique_ptr<io::Input> input,
                                                          const ReadOptions& options);

// The files of one trace, one for each core, in order: they share the length of a tick, names and
// the count of dropped events. `files` is not empty.
[[nodiscard]] Result<std::unique_ptr<Reader>> open_reader(std::vector<CoreInput> files,
                                                          const ReadOptions& options);

}  // namespace tracedeck::tband
