// JSON lines: one object per event (docs/json/jsonl-record.schema.json).
#pragma once

#include <memory>

#include "tracedeck/format/writer.hpp"
#include "tracedeck/io/output.hpp"
#include "tracedeck/render/trace_tags.hpp"

namespace tracedeck::render {

struct JsonLinesOptions {
  bool all_records = false;  // streams, packets, losses and problems too
  bool receipt = true;       // counts what is left out; without it the receipt is empty
  // Integers beyond 2^53, which readers that take numbers for doubles would round, as strings.
  bool large_integers_as_strings = false;
  TraceNames trace_names = {};  // puts `"trace":"NAME"` first
};

// `output` must outlive the writer. One thread at a time.
[[nodiscard]] std::unique_ptr<Writer> json_lines_writer(io::Output& output,
                                                        const JsonLinesOptions& options = {});

}  // namespace tracedeck::render
