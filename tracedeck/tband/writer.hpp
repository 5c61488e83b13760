// Writes events of the classes that Tonbandgerät has, in ticks, as its frames. Where cores change,
// how long a tick is, and what was lost are events among them: `lower` makes all that of other
// formats, docs/formats/tband.md.
#pragma once

#include <memory>

#include "tracedeck/format/writer.hpp"
#include "tracedeck/io/output.hpp"

namespace tracedeck::tband {

[[nodiscard]] std::unique_ptr<Writer> create_writer(io::Output& output);

}  // namespace tracedeck::tband
