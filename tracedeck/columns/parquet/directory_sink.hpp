// Tables as Parquet files in a directory, and the manifest that says which.
//
//   class=NAME/SEGMENT-PART.parquet
//   _manifest/SEGMENT.json            written last
#pragma once

#include <memory>

#include "tracedeck/columns/table_sink.hpp"
#include "tracedeck/io/output_directory.hpp"

namespace tracedeck::parquet {

// `output` must outlive it, and is finished by the caller.
[[nodiscard]] std::unique_ptr<columns::TableSink> directory_sink(io::OutputDirectory& output,
                                                                 columns::TableOptions options);

}  // namespace tracedeck::parquet
