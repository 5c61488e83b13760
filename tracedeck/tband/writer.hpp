// Writes records of the model as a Tonbandgerät trace.
//
// Events named and furnished as one of the table are written as that event. Any other becomes an
// `evtmarker` whose marker is named after its class and whose message holds its fields as JSON (see
// docs/formats/tband.md).
#pragma once

#include <memory>

#include "tracedeck/format/writer.hpp"
#include "tracedeck/io/output.hpp"

namespace tracedeck::tband {

[[nodiscard]] std::unique_ptr<Writer> create_writer(io::Output& output);

}  // namespace tracedeck::tband
