// Columns through the Arrow C data interface: what is handed out owns its memory.
//
// https://arrow.apache.org/docs/format/CDataInterface.html
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "tracedeck/c/column_kinds.hpp"
#include "tracedeck/columns/column.hpp"
#include "tracedeck/tracedeck.h"

namespace tracedeck::capi {

// Texts of words as Arrow wants them, shared by all arrays that refer to them.
struct WordTexts {
  std::vector<std::uint32_t> ends = {};
  std::string characters = {};
  std::size_t count = 0;
};

// The texts of words as they were when they were last asked for. One thread at a time.
class WordSnapshots {
 public:
  // Null: there are more than last time, and too many to copy all of them again and again.
  [[nodiscard]] std::shared_ptr<const WordTexts> of(const columns::Words& words);

 private:
  static constexpr std::size_t kMostCopied = 1024;

  std::unordered_map<const columns::Words*, std::shared_ptr<const WordTexts>> texts_;
};

// `root`: a group; `notes`: for its columns, or empty.
void export_schema(const columns::Column& root, std::span<const ColumnNote> notes,
                   ArrowSchema& schema);

// Takes the values out of the columns of `root`, of which there are `rows`, and leaves room for as
// many more.
void export_rows(columns::Column& root, std::size_t rows, WordSnapshots& words, ArrowArray& array);

}  // namespace tracedeck::capi
