// What Arrow's IPC format says of tables and batches, as FlatBuffers.
//
// https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-communication-ipc
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tracedeck/columns/arrow/flat_table.hpp"
#include "tracedeck/columns/column.hpp"
#include "tracedeck/columns/table_files.hpp"

namespace tracedeck::arrow {

// What bodies and buffers begin at multiples of.
inline constexpr std::size_t kBodyAlignment = 64;

// The arrays of a batch: their sizes, and their bytes.
struct Arrays {
  std::size_t rows = 0;
  std::vector<std::uint64_t> nodes = {};    // of each column: how many values, how many nulls
  std::vector<std::uint64_t> buffers = {};  // each one's offset in the body and its size
  std::string body = {};
};

// Where a message lies in a file.
struct Block {
  std::uint64_t offset = 0;
  std::uint64_t head = 0;  // bytes before its body
  std::uint64_t body = 0;
};

// The columns of a table. Those of words have dictionaries, numbered from 0 in the order of
// columns.
[[nodiscard]] FlatTable schema_table(const columns::Column& root,
                                     const columns::KeyValues& key_values);

// Messages, without what is before and behind them.
[[nodiscard]] std::string schema_message(FlatTable schema);
[[nodiscard]] std::string batch_message(Arrays& arrays);
[[nodiscard]] std::string dictionary_message(std::int64_t number, Arrays& arrays);

// The end of a file.
[[nodiscard]] std::string footer(FlatTable schema, std::span<const Block> dictionaries,
                                 std::span<const Block> batches);

}  // namespace tracedeck::arrow
