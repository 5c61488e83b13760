// Tables in Arrow's IPC format: files that are read from their end, and a stream.
//
// https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-communication-ipc
// Bodies and what is in them begin at multiples of 64 bytes. Words have dictionaries: in a file
// one behind all rows, in a stream one before each batch whose words are others.
#pragma once

#include <memory>

#include "tracedeck/columns/directory_sink.hpp"

namespace tracedeck::arrow {

// class=NAME/SEGMENT-PART.arrow
[[nodiscard]] std::unique_ptr<columns::TableFormat> file_format(columns::TableOptions options);

// For `columns::file_sink`.
[[nodiscard]] std::unique_ptr<columns::TableFormat> stream_format(columns::TableOptions options);

}  // namespace tracedeck::arrow
