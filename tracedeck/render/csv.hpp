// Comma-separated values, RFC 4180 quoting: a header line, then one line per event.
//
// `time,duration,name,id,stream,context,fields`: as in JSON lines, the last three as JSON objects;
// `trace` before them where several traces are distinguished.
// What does not apply is empty; an empty name is `""`. Lines end in a line feed.
#pragma once

#include <memory>
#include <string_view>

#include "tracedeck/format/writer.hpp"
#include "tracedeck/io/output.hpp"
#include "tracedeck/render/trace_tags.hpp"
#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck::render {

struct CsvOptions {
  // Streams, packets, losses and problems too: lines whose last value is the object that JSON lines
  // show, the others being empty.
  bool all_records = false;
  bool receipt = true;  // see `JsonLinesOptions`
  // See `JsonLinesOptions`; of values inside of JSON.
  bool large_integers_as_strings = false;
  TraceNames trace_names = {};  // puts a column `trace` first
};

// Appends a text as one value of a line, quoted where it has to be or is empty. Each maximal
// invalid UTF-8 sequence becomes U+FFFD; returns whether there was none.
bool append_csv_text(TextBuffer& out, std::string_view text);

// `output` must outlive the writer. One thread at a time.
[[nodiscard]] std::unique_ptr<Writer> csv_writer(io::Output& output,
                                                 const CsvOptions& options = {});

}  // namespace tracedeck::render
