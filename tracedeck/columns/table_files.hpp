// Where the files of a table lie in a directory, and what each says of itself.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/columns/table.hpp"
#include "tracedeck/columns/table_sink.hpp"

namespace tracedeck::columns {

// Pairs of key and value that a file carries, in this order.
using KeyValues = std::vector<std::pair<std::string, std::string>>;

// What a file holds before another part is begun.
inline constexpr std::uint64_t kFileBytes = std::uint64_t{512} << 20;

// `class=NAME/`, folders of a partition, `SEGMENT-PART` and the suffix; of the only table of events
// `SEGMENT-PART`. `part` counts the files of the table from 0.
[[nodiscard]] std::string table_path(const Table& table, const TableOptions& options,
                                     std::size_t part, std::string_view suffix);

// Version, segment and class.
[[nodiscard]] KeyValues file_facts(const Table& table, const TableOptions& options);

}  // namespace tracedeck::columns
