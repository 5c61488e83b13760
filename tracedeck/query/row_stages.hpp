// The stages that rows pass: conditions, columns, orders, limits.
#pragma once

#include <cstdint>
#include <memory>

#include "tracedeck/query/projection.hpp"
#include "tracedeck/query/row_sorter.hpp"
#include "tracedeck/query/rows.hpp"

namespace tracedeck::query {

// Hands on the rows of which the first value of `projection` is true.
[[nodiscard]] std::unique_ptr<RowSink> filter_rows(RowProjection projection,
                                                   std::unique_ptr<RowSink> next);
// Hands on the values of `projection`.
[[nodiscard]] std::unique_ptr<RowSink> project_rows(RowProjection projection,
                                                    std::unique_ptr<RowSink> next);
// Hands on the first `most` rows.
[[nodiscard]] std::unique_ptr<RowSink> limit_rows(std::uint64_t most,
                                                  std::unique_ptr<RowSink> next);
// Hands the rows on at the end, in the order of the values of `projection`.
[[nodiscard]] std::unique_ptr<RowSink> sort_rows(RowProjection projection, RowOrder order,
                                                 std::unique_ptr<RowSink> next);

}  // namespace tracedeck::query
