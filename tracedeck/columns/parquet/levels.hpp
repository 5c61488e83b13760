// Definition and repetition levels: how Parquet says where in nested columns a value stands.
//
// https://github.com/apache/parquet-format: "Nested Encoding".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tracedeck/columns/column.hpp"

namespace tracedeck::parquet {

// The columns from below the root of a table to one of its leaves.
using LeafPath = std::vector<const columns::Column*>;

// The paths of all leaves, in their order.
[[nodiscard]] std::vector<LeafPath> leaf_paths(const columns::Column& root);

// The levels of a leaf. An entry is a value, or a place where there is none.
struct Levels {
  std::uint8_t most_defined = 0;                // of an entry that is a value
  std::uint8_t most_repeated = 0;               // lists around the leaf, itself included
  columns::Values<std::uint8_t> defined = {};   // of each entry; empty if `most_defined` is 0
  columns::Values<std::uint8_t> repeated = {};  // the same
  std::size_t entries = 0;
};

// `rows`: of the table.
[[nodiscard]] Levels levels_of(const LeafPath& path, std::size_t rows);

}  // namespace tracedeck::parquet
