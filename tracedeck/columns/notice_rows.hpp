// Tables of what is no event: losses that a producer recorded, and what reading found.
#pragma once

#include <cstdint>
#include <string_view>

#include "tracedeck/columns/class_columns.hpp"
#include "tracedeck/columns/class_rows.hpp"
#include "tracedeck/columns/tables.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck::columns {

// The columns of both tables.
[[nodiscard]] Column loss_columns(const TableOptions& options);
[[nodiscard]] Column problem_columns(const TableOptions& options);

// Appends a row. `seq`: how many events came before.
void append_loss(Table& table, const Loss& loss, const RowOrigin& origin, std::int64_t seq,
                 ColumnLosses& losses);
// `damage`: bytes that could not be read.
void append_problem(Table& table, const Notice& notice, bool damage, std::string_view trace,
                    std::int64_t seq);

}  // namespace tracedeck::columns
