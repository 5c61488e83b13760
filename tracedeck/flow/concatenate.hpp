// Several sources of records one after the other.
#pragma once

#include <memory>
#include <vector>

#include "tracedeck/format/reader.hpp"

namespace tracedeck::flow {

// The records of the first source, then those of the second, and so on; each source is let go of
// when it has ended. An error of a source ends the whole.
[[nodiscard]] std::unique_ptr<RecordSource> concatenate(
    std::vector<std::unique_ptr<RecordSource>> sources);

}  // namespace tracedeck::flow
