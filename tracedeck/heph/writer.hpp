// Writes records of the model as a Heph trace; docs/formats/heph.md says what becomes of what the
// format cannot say.
#pragma once

#include <memory>

#include "tracedeck/format/format.hpp"

namespace tracedeck::heph {

// Error: kInvalidArgument for a version other than "0.1.0" or none.
[[nodiscard]] Result<std::unique_ptr<Writer>> create_writer(io::Output& output,
                                                            const WriteOptions& options);

}  // namespace tracedeck::heph
