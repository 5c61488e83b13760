// Nested columns as flat ones, for what has no groups: `a.b`, and of lists of groups parallel
// lists.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/columns/column.hpp"

namespace tracedeck::columns {

struct FlatColumn {
  std::string name = {};
  std::vector<const Column*> path = {};  // from below the root
  bool nullable = false;                 // a value may be null, of itself or with a group around it
  bool presence = false;  // its values are whether those of the path's last column are there
};

// What becomes of a list.
enum class FlatLists : std::uint8_t {
  kParallel,  // a column for each leaf in it
  kWhole,     // one column, whose path ends at the list
};

// The flat columns of a root, in order. What is null and no leaf, a list or a group, is said by a
// column `NAME.present` of its own, as is that of the leaves called `keys`, which are not nullable.
// Where a parallel list lies in groups, its name has `_` between theirs: lists whose names begin
// alike up to a dot are of one list of groups.
[[nodiscard]] std::vector<FlatColumn> flat_columns(const Column& root,
                                                   std::span<const std::string_view> keys,
                                                   FlatLists lists = FlatLists::kParallel);

}  // namespace tracedeck::columns
