// Tables in ClickHouse's format Native: blocks of rows, column by column.
//
// https://clickhouse.com/docs/interfaces/formats/Native. Types that servers know since 18.16:
// UInt, Int, Float, String, Nullable, Array.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tracedeck/columns/directory_sink.hpp"

namespace tracedeck::clickhouse {

// NAME.native, and beside it NAME.sql, which makes the table of that name.
[[nodiscard]] std::unique_ptr<columns::TableFormat> native_format();

// The options with a tag for the segment, which is a part of the sorting key.
[[nodiscard]] columns::TableOptions with_segment(columns::TableOptions options);

// The statement that makes a table.
[[nodiscard]] std::string create_statement(std::string_view name, const columns::Column& root);

}  // namespace tracedeck::clickhouse
