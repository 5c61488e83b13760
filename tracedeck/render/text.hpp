// Text made for reading: a line per event with its time, the time since the line before, its data
// stream, its class, and `name=value` for each field, aligned from line to line as far as that
// goes.
//
//     503226.032430072 +0.000001234 [segment 0] PollStart  worker_id=3  task_id=1001
//
// The context of a packet is shown with the first event of its data stream that it is new to.
//
// All of a value is shown. Nothing that a terminal would obey gets through (see visible.hpp). The
// form may change from version to version; programs read JSON lines.
#pragma once

#include <memory>

#include "tracedeck/format/writer.hpp"
#include "tracedeck/io/output.hpp"
#include "tracedeck/render/trace_tags.hpp"

namespace tracedeck::render {

struct TextOptions {
  bool color = false;
  bool all_records = false;     // streams, packets, losses and problems too
  bool receipt = true;          // see `JsonLinesOptions`
  TraceNames trace_names = {};  // adds a column with the trace behind the times
};

// `output` must outlive the writer. One thread at a time.
[[nodiscard]] std::unique_ptr<Writer> text_writer(io::Output& output,
                                                  const TextOptions& options = {});

}  // namespace tracedeck::render
