// Comma-separated values with a column for each field.
//
// Columns are `time,duration,name,id`, with `trace` before them where several traces are
// distinguished, then `stream.KEY`, the members of contexts as `packet.x`, `common.x` and
// `specific.x`, and fields as `x`: as `fields.x` where a column before is called so. Members of
// structures are `a.b`. An enumeration is its value, and its first label in `x_label`. Arrays, maps
// and values of variants that are compound are JSON; blobs are base64.
//
// Quoting is that of csv.hpp. What does not apply to an event is empty.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tracedeck/format/writer.hpp"
#include "tracedeck/io/output.hpp"
#include "tracedeck/io/output_directory.hpp"
#include "tracedeck/render/trace_tags.hpp"

namespace tracedeck::render {

struct FlatCsvOptions {
  bool receipt = true;                     // see `JsonLinesOptions`
  bool large_integers_as_strings = false;  // in quotes, of columns too
  TraceNames trace_names = {};
};

// One table with the columns of all classes, in the order in which they come up. Which these are
// shows at the end alone: until then lines are in a temporary file. `output` must outlive the
// writer. One thread at a time.
[[nodiscard]] std::unique_ptr<Writer> flat_csv_writer(io::Output& output,
                                                      const FlatCsvOptions& options);

// A file for each event class, those of one name and other columns as `NAME@2`. `file_of`: the name
// of the file of a class. `output` must outlive the writer, and is finished by the caller. One
// thread at a time.
[[nodiscard]] std::unique_ptr<Writer> flat_csv_files(
    io::OutputDirectory& output, const FlatCsvOptions& options,
    std::function<std::string(std::string_view class_name)> file_of);

}  // namespace tracedeck::render
