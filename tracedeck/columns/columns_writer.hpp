// A writer of records whose target are tables: one for each event class, and those of losses and
// problems.
#pragma once

#include <memory>

#include "tracedeck/columns/table_sink.hpp"
#include "tracedeck/format/trace_names.hpp"
#include "tracedeck/format/writer.hpp"

namespace tracedeck::columns {

// `names`: of traces that are written together; null: there is one.
[[nodiscard]] std::unique_ptr<Writer> columns_writer(std::unique_ptr<TableSink> sink,
                                                     TableOptions options, TraceNames names);

}  // namespace tracedeck::columns
