// Reads what a conversion to a format with nested classes made from another trace as that trace.
#pragma once

#include <memory>

#include "tracedeck/format/reader.hpp"
#include "tracedeck/format/target_profile.hpp"

namespace tracedeck::lower {

// Whether its classes have marks (class_mark.hpp): then it is to be read with its values and
// through `restore_nested`.
[[nodiscard]] bool has_marks(const TraceDescription& description);

// As `restore` (restoring_reader.hpp). Events are put back into the order in which they were
// recorded: data streams are read side by side, and one whose next event has to wait is not read
// on. Of a bare data stream all come as they are stored.
[[nodiscard]] std::unique_ptr<Reader> restore_nested(std::unique_ptr<Reader> stored,
                                                     const TargetProfile& profile,
                                                     const ReadOptions& options);

}  // namespace tracedeck::lower
