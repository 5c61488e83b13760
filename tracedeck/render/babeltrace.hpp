// Events as the command babeltrace2 prints them, byte for byte: what Debian's version 2.0.4 writes
// for the same trace, its oddities included; but an empty string is empty, where that program may
// print what an earlier event left in its memory.
//
//     [17:48:17.586558519] (+0.000001234) host:app:(3208) app:ping: { cpu_id = 2 }, { seq = 3 }
//
// What that program cannot read has its form continued in the same manner.
#pragma once

#include <memory>

#include "tracedeck/format/writer.hpp"
#include "tracedeck/io/output.hpp"
#include "tracedeck/render/babeltrace_options.hpp"

namespace tracedeck::render {

// `output` must outlive the writer. One thread at a time.
[[nodiscard]] std::unique_ptr<Writer> babeltrace_writer(io::Output& output,
                                                        BabeltraceOptions options = {});

}  // namespace tracedeck::render
