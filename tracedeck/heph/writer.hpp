// Writes records as a Heph trace that have what its reader gives them: substream and counter as
// their common context, and numbers, texts and arrays of them, or a map of such, as their payload.
// `lower` makes them of other formats, docs/formats/heph.md. Records are of one description.
#pragma once

#include <memory>

#include "tracedeck/format/format.hpp"

namespace tracedeck::heph {

// Error: kInvalidArgument for a version other than "0.1.0" or none.
[[nodiscard]] Result<std::unique_ptr<Writer>> create_writer(io::Output& output,
                                                            const WriteOptions& options);

}  // namespace tracedeck::heph
