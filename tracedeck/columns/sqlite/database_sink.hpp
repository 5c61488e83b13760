// Tables as a database of SQLite: a table for each, with indexes, and one that says what there is.
#pragma once

#include <memory>

#include "tracedeck/columns/table_sink.hpp"
#include "tracedeck/io/output.hpp"

namespace tracedeck::sqlite {

// `output` must outlive it, gets the database when all is in it, and is finished by the caller.
[[nodiscard]] std::unique_ptr<columns::TableSink> database_sink(io::Output& output,
                                                                columns::TableOptions options);

}  // namespace tracedeck::sqlite
