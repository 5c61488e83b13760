// The stages that rows pass: conditions, columns, orders, limits.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tracedeck/query/projection.hpp"
#include "tracedeck/query/row_sorter.hpp"
#include "tracedeck/query/rows.hpp"

namespace tracedeck::query {

// What a condition was asked about, and how often it was true.
struct Tried {
  std::string behind = {};  // the stage before it
  std::uint64_t rows = 0;
  std::uint64_t met = 0;
};

// Hands on the rows of which the first value of `projection` is true, and counts in `tried`.
[[nodiscard]] std::unique_ptr<RowSink> filter_rows(RowProjection projection,
                                                   std::shared_ptr<Tried> tried,
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
