// Tables as Parquet files.
//
//   class=NAME/SEGMENT-PART.parquet
#pragma once

#include <memory>

#include "tracedeck/columns/directory_sink.hpp"

namespace tracedeck::parquet {

[[nodiscard]] std::unique_ptr<columns::TableFormat> parquet_format(columns::TableOptions options);

}  // namespace tracedeck::parquet
