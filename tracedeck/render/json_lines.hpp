// JSON lines: one object per event (docs/json/jsonl-record.schema.json).
#pragma once

#include <memory>

#include "tracedeck/format/writer.hpp"
#include "tracedeck/io/output.hpp"

namespace tracedeck::render {

struct JsonLinesOptions {
  bool all_records = false;  // streams, packets, losses and problems too
};

// `output` must outlive the writer. One thread at a time.
[[nodiscard]] std::unique_ptr<Writer> json_lines_writer(io::Output& output,
                                                        const JsonLinesOptions& options = {});

}  // namespace tracedeck::render
