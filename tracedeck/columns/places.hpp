// Where the instances of columns stand that are dense: storage has an entry for each that is there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "tracedeck/columns/column.hpp"

namespace tracedeck::columns {

struct Places {
  std::size_t count = 0;
  Values<std::uint8_t> there = {};  // 1 or 0 for each; empty: all are there

  [[nodiscard]] bool has(std::size_t place) const { return there.empty() || there[place] != 0; }
};

// Whether no instance of a column is null.
[[nodiscard]] inline bool all_there(const Column& column) {
  return !column.nullable || column.valid.empty() ||
         std::memchr(column.valid.data(), 0, column.valid.size()) == nullptr;
}

// The places of a column's values, where its instances stand at `places`.
[[nodiscard]] inline Places value_places(const Column& column, Places places) {
  if (!column.nullable || all_there(column)) return places;
  if (places.there.empty()) return {.count = places.count, .there = column.valid};
  std::size_t instance = 0;
  for (std::uint8_t& there : places.there) {
    if (there != 0) there = column.valid[instance++];
  }
  return places;
}

// Behind the last element of each place, counted from 0. `places`: of the values of a list.
[[nodiscard]] inline std::vector<std::uint64_t> list_ends(const Column& list,
                                                          const Places& places) {
  std::vector<std::uint64_t> ends(places.count);
  std::uint64_t end = 0;
  std::size_t value = 0;
  for (std::size_t i = 0; i < places.count; ++i) {
    if (places.has(i)) end += list.words32[value++];
    ends[i] = end;
  }
  return ends;
}

}  // namespace tracedeck::columns
